"""Can a crawl be searched from the browser and by programs, whatever stands in its pages and in a query?"""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from control_rig import NOW, Rig, make_crawl, rig

from tiptoe.catalog.catalog_directory import CatalogDirectory
from tiptoe.catalog.catalog_update import CatalogUpdate
from tiptoe.catalog.entry import page_id
from tiptoe.catalog.search import ConcordanceLine, Passage
from tiptoe.cli.control_client_commands import ControlServer, call_command
from tiptoe.control.concordance_file import concordance_file
from tiptoe.control.crawl_catalogs import OPEN_MAX, CrawlCatalogs
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.marked_text import coded, marked, paragraphs_of
from tiptoe.control.tiptoe_process import ProcessOutput
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.keeper.settings_file import remember
from tiptoe.write.corpus import Document

API = "/api/v1/crawls/old"
HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m\"'&"
HOSTILE_URL = "https://b.example/<script>'\"&"


def document(url: str, *paragraphs: str, **fields: Any) -> bytes:
    known: dict[str, Any] = {
        "title": "Voda", "language": "cs", "charset": "utf-8", "depth": 0, "digest": "", "usability": 0.9,
        "fetched_at": "2026-01-05T00:00:00Z", "last_modified": "", "warc_file": "x.warc.gz", "warc_offset": 7,
    }  # fmt: skip
    made = Document(id=f"<{url}>", url=url, paragraphs=list(paragraphs), **{**known, **fields})
    return msgspec.json.encode(made) + b"\n"


PAGES = (
    document("https://www.a.example/1", "Pitná voda teče.", "Druhý odstavec: studená voda."),
    document("https://a.example/2", "Čistá voda a řeka.", title="Řeka", usability=0.2),
    document("https://b.example/3", f"voda {HOSTILE} voda", title=HOSTILE, language='x"y', usability=None),
    document(HOSTILE_URL, "nic", language="de", fetched_at="2026-02-01T00:00:00Z", type="application/pdf"),
)


def build(directory: Path, *lines: bytes) -> None:
    """Make the catalog of a crawl with these documents."""
    path = directory / "corpus" / "h1-00001.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(lines))
    place = CatalogDirectory(directory)
    with place.held(), place.new_writer() as writer:
        CatalogUpdate(directory, writer).run(None)


@pytest.fixture(scope="module")
def catalogued(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl with a catalog; tests only read it."""
    directory = make_crawl(tmp_path_factory.mktemp("crawls") / "old")
    remember(directory, {"crawl.contact": "me@example.org"})
    build(directory, *PAGES, *(document(f"https://c.example/{n}", f"strana {n} moře") for n in range(60)))
    return directory


@pytest.fixture
def server(tmp_path: Path, catalogued: Path) -> Iterator[Rig]:
    with rig(tmp_path / "control") as made:
        made.parts.crawls.open(catalogued, NOW)
        yield made
        made.parts.catalogs.close()


class Seen(HTMLParser):
    """What a browser makes of a page: elements, links and texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.marks: list[str] = []
        self._is_marked = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]
        self._is_marked = tag == "mark"

    def handle_data(self, data: str) -> None:
        if self._is_marked:
            self.marks.append(data)
        self._is_marked = False


# -- pages of a query ---------------------------------------------------------


def test_hits_are_shown_with_the_words_marked_that_were_looked_for(server: Rig) -> None:
    page = server.browser(UserRole.READER).get("/crawls/old/search", params={"q": "pitna voda"})
    assert page.status_code == 200
    seen = Seen(page.text)
    assert seen.marks == ["Pitná", "voda", "voda"]
    assert "1 page" in page.text
    assert f"/crawls/old/documents/{page_id('https://www.a.example/1')}?q=pitna%20voda" in seen.links


@pytest.mark.parametrize("path", ["search", "concordance", f"documents/{page_id('https://b.example/3')}"])
def test_what_pages_say_is_text_and_nothing_else(server: Rig, path: str) -> None:
    """A title is whatever a stranger wanted it to be."""
    browser = server.browser()
    plain = browser.get(f"/crawls/old/{path}", params={"q": "řeka"}).text
    page = browser.get(f"/crawls/old/{path}", params={"q": f'voda "alert" {HOSTILE}'}).text
    hostile = browser.get(f"/crawls/old/{path}", params={"q": "voda"}).text
    assert "alert(1)" in hostile
    for one in (page, hostile):
        assert Seen(one).tags.count("script") == Seen(plain).tags.count("script")
        assert "\u202e" not in one
        assert "\x1b" not in one


def test_a_hostile_address_leads_nowhere_else(server: Rig) -> None:
    page = server.browser().get(f"/crawls/old/documents/{page_id(HOSTILE_URL)}")
    assert page.status_code == 200
    outside = [link for link in Seen(page.text).links if not link.startswith(("/", "#"))]
    assert outside == [HOSTILE_URL]  # one attribute, whatever quotes stand in it


@pytest.mark.parametrize(
    ("query", "said", "place"),
    [
        ("voda AND", "it ends too early", 9),
        ("titel:voda", "no field is called titel", 1),
        ('voda "a', "a &#34; without its end", 6),
    ],
)
def test_a_query_with_a_mistake_says_where_and_what_to_try(
    server: Rig, query: str, said: str, place: int
) -> None:
    page = server.browser().get("/crawls/old/search", params={"q": query})
    assert page.status_code == 422
    assert said in page.text
    assert f"at character {place}." in page.text
    assert 'aria-invalid="true"' in page.text
    assert len(Seen(page.text).marks) == 1


def test_facets_narrow_a_query_and_take_it_back(server: Rig) -> None:
    browser = server.browser()
    first = Seen(browser.get("/crawls/old/search", params={"q": "voda OR nic"}).text)
    narrow = next(link for link in first.links if "lang%3Ade" in link)
    assert "%28voda+OR+nic%29+lang%3Ade" in narrow
    second = browser.get(narrow)
    assert 'role="status">1 page ' in second.text
    back = "?q=%28voda+OR+nic%29&sort=relevance"
    wide = next(link for link in Seen(second.text).links if link.endswith(back))
    assert "4 pages" in browser.get(wide).text


def test_every_facet_counts_what_its_link_finds(server: Rig) -> None:
    """Bands of usability touch each other, and a value may need quotes."""
    browser = server.browser()
    program = server.program(user="program")
    facets = program.get(f"{API}/search", params={"facets": "true"}).json()["facets"]
    assert set(facets) == {"language", "site", "type", "date", "usability"}
    links = Seen(browser.get("/crawls/old/search").text).links
    asked = [link for link in links if link.endswith("&sort=relevance")]
    found = sorted(browser.get(link).text.partition('role="status">')[2].split(" page")[0] for link in asked)
    values = [one for counts in facets.values() for one in counts if '"' not in one["value"]]
    assert found == sorted(str(one["count"]) for one in values)


def test_a_query_that_can_grow_no_longer_still_shows_its_facets(server: Rig) -> None:
    full = "strana " + " ".join(["moře"] * 63)  # as many conditions as a query may have
    page = server.browser().get("/crawls/old/search", params={"q": full})
    assert page.status_code == 200
    assert "60 pages" in page.text
    assert "c.example" in page.text
    assert not any("lang%3Acs" in link for link in Seen(page.text).links)


def test_one_leafs_through_pages_and_no_further(server: Rig) -> None:
    browser = server.browser()
    last = browser.get("/crawls/old/search", params={"q": "strana", "page": "3", "sort": "url"})
    assert "page 3 of 3" in last.text
    assert "41 to 60 here" in last.text
    assert 'rel="next"' not in last.text
    for page in ("-1", "x", "999999999", "0"):
        assert browser.get("/crawls/old/search", params={"q": "strana", "page": page}).status_code == 200


def test_a_crawl_without_a_catalog_says_how_to_make_one(server: Rig, tmp_path: Path) -> None:
    server.parts.crawls.open(make_crawl(tmp_path / "it's new"), NOW, name="new")
    browser = server.browser(UserRole.READER)
    for path in ("search", "concordance"):
        page = browser.get(f"/crawls/new/{path}")
        assert page.status_code == 200
        assert "No catalog yet" in page.text
        assert "tiptoe catalog build &#39;" in page.text
    answer = server.program(user="program").get("/api/v1/crawls/new/search")
    assert answer.status_code == 409
    assert "tiptoe catalog build" in answer.json()["detail"]


# -- concordance and documents ------------------------------------------------


def test_a_concordance_is_sorted_and_leads_to_its_documents(server: Rig) -> None:
    browser = server.browser()
    wish = {"q": "voda", "sort": "left", "width": "30"}
    page = browser.get("/crawls/old/concordance", params=wish)
    assert "5 lines in 3 pages" in page.text
    lefts = [page.text.index(word) for word in ("Čistá", "Pitná", "studená")]
    assert lefts == sorted(lefts)
    document = next(link for link in Seen(page.text).links if "/documents/" in link)
    assert Seen(browser.get(document).text).marks
    assert browser.get("/crawls/old/concordance", params={"q": "lang:cs"}).status_code == 422
    assert browser.get("/crawls/old/concordance").status_code == 200


def test_the_lines_of_a_concordance_can_be_saved_in_their_order(server: Rig) -> None:
    browser = server.browser()
    page = browser.get("/crawls/old/concordance", params={"q": "voda", "sort": "left", "width": "30"})
    link = next(link for link in Seen(page.text).links if ".tsv" in link)
    saved = browser.get(link)
    assert saved.headers["content-type"] == "text/tab-separated-values; charset=utf-8"
    assert "old-concordance.tsv" in saved.headers["content-disposition"]
    headings, *rows = [line.split("\t") for line in saved.text.splitlines()]
    assert headings == ["left", "match", "right", "url", "title"]
    assert [len(row) for row in rows] == [5] * 5
    lefts = [row[0] for row in rows if row[0] in ("Čistá", "Pitná", "Druhý odstavec: studená")]
    assert lefts == ["Čistá", "Pitná", "Druhý odstavec: studená"]


@pytest.mark.parametrize("query", ["", "lang:cs", "voda ("])
def test_lines_of_no_concordance_are_not_saved(server: Rig, query: str) -> None:
    assert server.browser().get("/crawls/old/concordance.tsv", params={"q": query}).status_code == 422


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("  @SUM(1)", "'@SUM(1)"),
        ("- řeka", "'- řeka"),
        ("a\tb\r\nc\u2028d", "a b c d"),
        ("\ud800", "?"),
    ],
)
def test_a_saved_line_is_one_row_and_no_formula(text: str, cell: str) -> None:
    saved = concordance_file([ConcordanceLine("", "voda", "", "0", "https://a.example/", text)]).decode()
    assert saved.split("\n")[1] == f"\tvoda\t\thttps://a.example/\t{cell}"
    assert saved.count("\n") == 2


def test_a_document_shows_its_paragraphs_and_fields(server: Rig) -> None:
    url = "https://www.a.example/1"
    browser = server.browser()
    moved = browser.get("/crawls/old/documents", params={"url": url})
    assert moved.headers["location"] == f"/crawls/old/documents/{page_id(url)}"
    page = browser.get(moved.headers["location"], params={"q": "voda"}).text
    assert '<p dir="auto">Pitná <mark>voda</mark> teče.</p>' in page
    assert '<p dir="auto">Druhý odstavec: studená <mark>voda</mark>.</p>' in page
    assert "x.warc.gz, at byte 7" in page
    assert browser.get(f"/crawls/old/documents/{page_id('https://no.example/')}").status_code == 404


def test_what_cannot_be_told_of_visits_is_said_in_its_place(server: Rig, monkeypatch: Any) -> None:
    """A part of a page that fails must not leave a button that does nothing."""
    told = ProcessOutput(2, b"", f"{HOSTILE}: never visited")
    monkeypatch.setattr(server.parts.processes, "run", lambda words, seconds: told)
    path = f"documents/{page_id('https://www.a.example/1')}/visits"
    page = server.browser().get(f"/crawls/old/{path}")
    assert page.status_code == 200
    assert "never visited" in page.text
    assert "<script>" not in page.text
    params = {"url": "https://www.a.example/1"}
    answer = server.program(user="program").get(f"{API}/documents/visits", params=params)
    assert answer.status_code == 422
    assert "never visited" in answer.json()["detail"]


def test_what_a_server_sent_is_shown_as_text(server: Rig, monkeypatch: Any) -> None:
    """A page from the web that runs here could do all that its reader may."""
    sent = {
        "url": "https://www.a.example/1", "seen_at": "2026-01-05T00:00:00Z", "warc_file": "x.warc.gz",
        "warc_offset": 7, "status_line": "HTTP/1.1 200 OK", "headers": [["X-Evil", HOSTILE]],
        "body_bytes": 9, "charset": "utf-8", "text": f"<html>{HOSTILE}",
    }  # fmt: skip
    asked: list[list[str]] = []

    def run(words: list[str], seconds: float) -> ProcessOutput:
        asked.append(words)
        return ProcessOutput(0, json.dumps(sent).encode(), "")

    monkeypatch.setattr(server.parts.processes, "run", run)
    path = f"/crawls/old/documents/{page_id('https://www.a.example/1')}"
    browser = server.browser()
    assert f'href="{path}/answer"' in browser.get(path).text
    page = browser.get(f"{path}/answer")
    assert "&lt;html&gt;&lt;script&gt;alert(1)" in page.text
    assert "<script>alert" not in page.text
    assert "\x1b" not in page.text
    assert asked[0][2:4] == ["https://www.a.example/1", "--answer=1"]
    program = server.program(user="program")
    params = {"url": "https://www.a.example/1"}
    assert program.get(f"{API}/documents/answer", params=params).json()["headers"] == [["X-Evil", HOSTILE]]
    told = ProcessOutput(2, b"", "tiptoe: version 1 of it: not in the archive")
    monkeypatch.setattr(server.parts.processes, "run", lambda words, seconds: told)
    answer = program.get(f"{API}/documents/answer", params=params)
    assert (answer.status_code, answer.json()["detail"]) == (422, "version 1 of it: not in the archive")


def test_a_long_text_is_cut_and_its_marks_stay_where_they_are() -> None:
    text = "ab voda\n\nvoda cd\nvoda voda"
    places = [(3, 7), (9, 13), (17, 21), (22, 26)]
    assert [str(marked(one)) for one in paragraphs_of(text, places, 24)] == [
        "ab <mark>voda</mark>",
        "<mark>voda</mark> cd",
        "<mark>voda</mark> <mark>vo</mark>",
    ]


def test_characters_that_are_named_do_not_move_marks() -> None:
    """A name is longer than what it stands for."""
    assert marked(Passage("\u202e<a", ((1, 2),))) == "⟨U+202E⟩<mark>&lt;</mark>a"


# -- programs -----------------------------------------------------------------


def test_programs_get_the_same_answers(server: Rig) -> None:
    program = server.program(UserRole.READER)
    found = program.get(f"{API}/search", params={"query": "řeka", "limit": 5, "sort": "newest"}).json()
    assert [hit["url"] for hit in found["hits"]] == ["https://a.example/2"]
    lines = program.get(f"{API}/concordance", params={"query": "voda", "sort": "right"}).json()["lines"]
    assert {line["match"] for line in lines} == {"voda"}
    facts = program.get(f"{API}/documents", params={"id": found["hits"][0]["id"]}).json()
    assert facts["description"]["full_text"] == "Čistá voda a řeka."
    assert program.get(f"{API}/documents", params={"url": "https://a.example/2"}).json() == facts


@pytest.mark.parametrize(
    ("path", "params", "field"),
    [
        ("search", {"query": "(voda"}, "query"),
        ("search", {"sort": "best"}, "sort"),
        ("search", {"limit": "5000"}, ""),
        ("search", {"page": "501", "limit": "20"}, ""),
        ("search", {"wrong": "1"}, "wrong"),
        ("concordance", {"query": "lang:cs"}, "query"),
        ("concordance", {"query": "voda", "width": "9000"}, ""),
        ("concordance", {}, "request"),
        ("documents", {}, "url"),
        ("documents", {"id": "../../etc/passwd"}, "id"),
    ],
)
def test_what_is_wrong_with_a_question_is_told(
    server: Rig, path: str, params: dict[str, str], field: str
) -> None:
    answer = server.program(UserRole.READER).get(f"{API}/{path}", params=params)
    assert answer.status_code == 422
    assert not field or field in answer.json()["errors"]


@pytest.mark.parametrize(
    "path", ["search", "concordance", "concordance.tsv", "documents", "documents/0123456789abcdef"]
)
def test_nobody_searches_who_was_not_let_in(server: Rig, path: str) -> None:
    stranger = server.stranger()
    assert stranger.get(f"/crawls/old/{path}").headers["location"].startswith("/login")
    if "/" not in path and "." not in path:
        assert stranger.get(f"{API}/{path}").status_code == 401


def test_operations_stand_in_the_document_with_their_parameters(server: Rig) -> None:
    paths = server.program().get("/api/v1/openapi.json").json()["paths"]
    search = paths["/api/v1/crawls/{crawl}/search"]["get"]
    assert {one["name"] for one in search["parameters"]} >= {"crawl", "query", "sort", "page", "facets"}
    assert "/api/v1/crawls/{crawl}/concordance" in paths
    assert "/api/v1/crawls/{crawl}/documents" in paths


def test_the_command_line_asks_with_parameters(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A question mark of a path is one, and not a letter of a name."""
    asked: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"total": 3}')

        def log_message(self, *words: object) -> None: ...

    token = tmp_path / "token"
    token.write_text("tiptoe_x")
    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        path = "crawls/old/search?query=title:řeka voda&limit=5"
        assert call_command("get", path, on=ControlServer(url, token)) == 0
        thread.join()
    assert asked == ["/api/v1/crawls/old/search?query=title%3A%C5%99eka+voda&limit=5"]
    assert '"total": 3' in capsys.readouterr().out


# -- many at once -------------------------------------------------------------


@pytest.fixture
def known(catalogued: Path) -> KnownCrawl:
    return KnownCrawl(name="old", directory=catalogued)


def test_a_catalog_is_asked_by_one_thread_at_a_time(known: KnownCrawl) -> None:
    catalogs = CrawlCatalogs()
    with ThreadPoolExecutor(8) as pool:
        threads = set(pool.map(lambda _: catalogs.ask(known, lambda _: threading.get_ident()), range(10)))
    catalogs.close()
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_who_waits_too_long_is_told_and_the_next_ones_are_answered(known: KnownCrawl) -> None:
    catalogs = CrawlCatalogs(answer_seconds=0.05, waiting_max=2)
    release = threading.Event()
    with pytest.raises(WebProblem, match=r"no answer within 0\.05 s") as told:
        catalogs.ask(known, lambda _: release.wait(30))
    assert told.value.status == 503
    with pytest.raises(WebProblem, match="no answer"):
        catalogs.ask(known, lambda _: "behind it")
    release.set()
    patient = CrawlCatalogs()
    assert patient.ask(known, lambda _: "at once") == "at once"
    for one in (catalogs, patient):
        one.close()


def test_only_so_many_wait_at_a_time(known: KnownCrawl) -> None:
    """The other pages of the server need threads as well."""
    catalogs = CrawlCatalogs(waiting_max=1)
    inside, release = threading.Event(), threading.Event()

    def question(catalog: object) -> bool:
        inside.set()
        return release.wait(30)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(catalogs.ask, known, question)
        assert inside.wait(30)
        with pytest.raises(WebProblem, match="many are searching"):
            catalogs.ask(known, lambda _: True)
        release.set()
        assert first.result(30)
    assert catalogs.ask(known, lambda _: True)
    catalogs.close()


def test_a_catalog_that_breaks_is_opened_anew(known: KnownCrawl) -> None:
    """A connection that was cut must not stay cut."""
    catalogs = CrawlCatalogs()
    asked: list[object] = []

    def break_it(catalog: object) -> None:
        asked.append(catalog)
        raise ValueError("a file is gone")

    with pytest.raises(WebProblem, match=r"a file is gone; `tiptoe catalog build .* --rebuild`") as told:
        catalogs.ask(known, break_it)
    assert told.value.status == 503
    assert catalogs.ask(known, lambda catalog: catalog) is not asked[0]
    catalogs.close()


def test_of_many_catalogs_those_asked_last_stay_open(tmp_path: Path) -> None:
    catalogs = CrawlCatalogs()
    crawls = []
    for number in range(OPEN_MAX + 1):
        directory = make_crawl(tmp_path / str(number))
        remember(directory, {})
        build(directory, PAGES[0])
        crawls.append(KnownCrawl(name=f"c{number}", directory=directory))
    first = [catalogs.ask(crawl, lambda catalog: catalog) for crawl in crawls]
    again = [catalogs.ask(crawl, lambda catalog: catalog) for crawl in reversed(crawls)]
    assert [one is other for one, other in zip(first, reversed(again), strict=True)] == [
        False, *[True] * OPEN_MAX,
    ]  # fmt: skip
    catalogs.close()


def test_a_catalog_made_anew_is_seen_by_the_next_question(server: Rig, tmp_path: Path) -> None:
    directory = make_crawl(tmp_path / "new")
    remember(directory, {})
    build(directory, PAGES[0])
    server.parts.crawls.open(directory, NOW, name="new")
    program = server.program()
    assert program.get("/api/v1/crawls/new/search").json()["total"] == 1
    build(directory, *PAGES)
    assert program.get("/api/v1/crawls/new/search").json()["total"] == len(PAGES)
    of_another_version = json.dumps({"id": "x", "generation": 1, "format": 99})
    (directory / "catalog" / "current.json").write_text(of_another_version)
    assert program.get("/api/v1/crawls/new/search").status_code in (409, 422)


def test_a_server_that_ends_lets_go_of_its_catalogs(tmp_path: Path, catalogued: Path) -> None:
    """A thread that waits for questions would keep the process alive."""
    made = Rig(tmp_path / "control")
    made.parts.crawls.open(catalogued, NOW, name="last")
    with made.program() as program:
        assert program.get("/api/v1/crawls/last/search").status_code == 200
        reading = [one for one in threading.enumerate() if one.name.startswith("catalog-last")]
        assert len(reading) == 1
    for thread in reading:
        thread.join(30)
        assert not thread.is_alive()


def test_commands_in_the_help_of_a_setting_are_code() -> None:
    """Backquotes are for people who read source; the command line drops them, too."""
    assert coded("see `tiptoe config <x>`, or not; `a`") == (
        "see <code>tiptoe config &lt;x&gt;</code>, or not; <code>a</code>"
    )
    assert coded("a < b") == "a &lt; b"
