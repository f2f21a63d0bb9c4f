"""Documents on the way: stored aside, converted once, and their links followed."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from journey_crawl import Crawl, Pace, tiptoe, wait_until
from journey_servers import Talk, Visitor, html, scripted_server
from made_documents import doc, docx, epub, odt, pdf, word_paragraph

pytestmark = pytest.mark.journey

BROKEN = {"/broken.pdf": b"%PDF-1.4 but no more", "/locked.doc": doc(["x\r"], flags=0x0100)}


def served(body: bytes, media_type: str) -> Talk:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return lambda visitor: visitor.say(head.encode() + body)


def documents(origin: str) -> dict[str, bytes]:
    """Return a document of every kind; each links to a page of its own that nothing else leads to."""
    link = f"{origin}/hidden"
    rtf = (
        rb"{\rtf1\ansi\ansicpg1250 \'c8esk\'fd text {\field{\*\fldinst HYPERLINK "
        + b'"%s-rtf"' % link.encode()
    )
    return {
        "/a.pdf": pdf([[(50, 800, 10, "Printed text.")]], link=f"{link}-pdf"),
        "/a.doc": doc([f'Old text \x13 HYPERLINK "{link}-doc" \x14here\x15.\r']),
        "/a.docx": docx(word_paragraph(f"New text, see {link}-docx")),
        "/a.odt": odt(f'<text:p>Open <text:a xlink:href="{link}-odt">text</text:a></text:p>'),
        "/a.rtf": rtf + rb"}{\fldrslt zde}}\par}",
        "/a.epub": epub({"p.xhtml": f"<p>A <a href='{link}-epub'>book</a></p>"}),
        "/a.txt": f"Plain text: {link}-txt".encode(),
    }


KINDS = ["pdf", "doc", "docx", "odt", "rtf", "epub", "txt"]


class Site:
    """A site whose documents are made for the address it has got."""

    def __init__(self) -> None:
        self.scripts: dict[str, Talk] = {}
        self.origin = ""

    def fill(self, origin: str, *more: str) -> None:
        self.origin = origin
        files = {**documents(origin), **BROKEN}
        paths = [*files, *more]
        links = "".join(f"<a href='{path}'>{path}</a>" for path in paths)
        self.scripts["/"] = html(f"<title>Home</title><p>Documents {links}".encode())
        for kind in KINDS:
            self.scripts[f"/hidden-{kind}"] = html(f"<p>A page behind {kind}.".encode())
        for path, body in files.items():
            media_type = "text/plain" if path.endswith(".txt") else "application/octet-stream"
            self.scripts[path] = served(body, media_type)

    def urls(self, *paths: str) -> list[str]:
        return sorted(self.origin + path for path in paths)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    with scripted_server(site.scripts) as server:
        site.fill(server.origin)
        yield site


def crawl_of(site: Site, folder: Path, **settings: object) -> Crawl:
    known: dict[str, object] = {
        "crawl.contact": "https://example.org/bot",
        "crawl.rehearsal": "true",
        "fetch.allow_networks": "127.0.0.0/8",
        **Pace(max_reqs=1000).settings(),
    }
    known.update((name.replace("__", "."), value) for name, value in settings.items())
    return Crawl(folder / "crawl", [f"{site.origin}/"], known)


def converted(crawl: Crawl, *options: str) -> dict[str, object]:
    done = tiptoe("convert", str(crawl.out), "--json", *options)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


ALL = [f"/a.{kind}" for kind in KINDS]
HIDDEN = [f"/hidden-{kind}" for kind in KINDS]


def test_documents_become_text_and_their_links_join_the_crawl(tmp_path: Path, site: Site) -> None:
    """Crawl, convert, go on: pages that only documents lead to are found."""
    crawl = crawl_of(site, tmp_path)
    printed = crawl.run()
    assert crawl.urls() == site.urls("/")
    assert "stored_aside" in printed
    told = converted(crawl)
    assert told["counts"] == {"converted": 7, "broken": 1, "encrypted": 1}
    assert (told["links"], told["waiting"]) == (7, 0)
    assert crawl.urls() == site.urls("/", *ALL)
    crawl.run()
    assert crawl.urls() == site.urls("/", *ALL, *HIDDEN)
    depths = {line["url"]: line["depth"] for line in crawl.documents()}
    assert {depths[url] for url in site.urls(*HIDDEN)} == {2}
    again = converted(crawl)
    assert again["counts"] == told["counts"]
    assert crawl.urls() == site.urls("/", *ALL, *HIDDEN)


def test_every_kind_gives_its_text_and_the_way_back(tmp_path: Path, site: Site) -> None:
    crawl = crawl_of(site, tmp_path)
    crawl.run()
    tiptoe("convert", str(crawl.out))
    texts = {line["url"].rpartition(".")[2]: line for line in crawl.documents() if "/a." in line["url"]}
    assert {kind: line["paragraphs"][0] for kind, line in texts.items()} == {
        "pdf": "Printed text.", "doc": "Old text here.", "docx": f"New text, see {site.origin}/hidden-docx",
        "odt": "Open text", "rtf": "Český text zde", "epub": "A book",
        "txt": f"Plain text: {site.origin}/hidden-txt",
    }  # fmt: skip
    for line in texts.values():
        assert line["id"]
        assert (crawl.out / "warc" / line["warc_file"]).stat().st_size > line["warc_offset"]


ARTICLE = [f"Věta číslo {number}, která v žádném jiném článku na celém webu nestojí." for number in range(8)]
REPORT = [
    f"Zpráva číslo {number}, kterou nikdo jiný než její autor nikde nezveřejnil." for number in range(8)
]
ENGLISH = ["The weather was fine, and so they went for a walk along the river in the evening."] * 2


def fill_with_texts(site: Site) -> None:
    """A page, the same as a document, another document under two addresses, one in English."""
    site.fill(site.origin, "/article", "/article.txt", "/report.txt", "/report-again.txt", "/english.txt")
    site.scripts["/article"] = html("".join(f"<p>{one}" for one in ARTICLE).encode())
    texts = {"article": ARTICLE, "report": REPORT, "report-again": REPORT, "english": ENGLISH}
    for name, paragraphs in texts.items():
        site.scripts[f"/{name}.txt"] = served("\n\n".join(paragraphs).encode(), "text/plain; charset=utf-8")


def check_texts(site: Site, crawl: Crawl) -> None:
    lines = {line["url"].removeprefix(site.origin): line for line in crawl.documents()}
    assert {"/article", "/article.txt", "/english.txt"} & lines.keys() == {"/article"}
    (report,) = (lines[path] for path in ("/report.txt", "/report-again.txt") if path in lines)
    assert (report["lang"], report["paragraphs"]) == ("cs", REPORT)
    assert 0.0 < report["usability"] <= 1.0


def test_documents_are_judged_as_pages_are(tmp_path: Path, site: Site) -> None:
    """After the crawl, again, and after it went on: what a page says is not said again by a document."""
    fill_with_texts(site)
    options = ("--languages", "cs")
    crawl = crawl_of(site, tmp_path, text__languages="cs")
    crawl.run()
    counts = converted(crawl, *options)["counts"]
    assert isinstance(counts, dict)
    others = 1 + len(KINDS) - 1  # of the other documents only the rtf is in Czech
    assert (counts["duplicate"], counts["other_language"]) == (2, others)
    check_texts(site, crawl)
    assert converted(crawl, "--again", *options)["counts"] == counts
    check_texts(site, crawl)
    crawl.run()
    assert not list((crawl.out / "state" / "texts").iterdir())
    assert converted(crawl, "--again", *options)["counts"] == counts
    check_texts(site, crawl)


def test_a_running_crawl_says_which_texts_are_known(tmp_path: Path, site: Site) -> None:
    fill_with_texts(site)
    crawl = crawl_of(site, tmp_path, text__languages="cs", documents__convert="background")
    crawl.run()
    check_texts(site, crawl)


def test_again_redoes_all_and_doubles_nothing(tmp_path: Path, site: Site) -> None:
    crawl = crawl_of(site, tmp_path)
    crawl.run()
    converted(crawl)
    told = converted(crawl, "--again")
    assert told["counts"] == {"converted": 7, "broken": 1, "encrypted": 1}
    assert crawl.urls() == site.urls("/", *ALL)


def test_a_running_crawl_takes_the_links_in_at_once(tmp_path: Path, site: Site) -> None:
    """One page is not answered until all pages behind documents have been asked for."""
    may_answer = threading.Event()

    def wait(visitor: Visitor) -> None:
        may_answer.wait(60)
        html(b"<p>At last.")(visitor)

    with scripted_server({"/": wait}, address="127.77.0.2") as slow:
        crawl = crawl_of(site, tmp_path)
        crawl.seeds.append(f"{slow.origin}/")
        crawl.start()
        try:
            crawl.status_when(lambda said: said["outcomes"].get("stored_aside") == 9, "documents")
            assert converted(crawl)["counts"] == {"converted": 7, "broken": 1, "encrypted": 1}
            crawl.status_when(lambda said: said["outcomes"].get("ok") == 8, "pages behind documents")
            may_answer.set()
            assert crawl.wait() == 0
        finally:
            may_answer.set()
            crawl.end()
    assert crawl.urls() == sorted([*site.urls("/", *ALL, *HIDDEN), f"{slow.origin}/"])


def test_in_the_background_one_command_does_it_all(tmp_path: Path, site: Site) -> None:
    crawl = crawl_of(site, tmp_path, documents__convert="background")
    crawl.run()
    assert crawl.urls() == site.urls("/", *ALL, *HIDDEN)
    assert crawl.open_files() == []


def test_documents_that_are_never_wanted_are_not_listed(tmp_path: Path, site: Site) -> None:
    crawl = crawl_of(site, tmp_path, documents__convert="never")
    crawl.run()
    assert converted(crawl)["counts"] == {}
    assert crawl.urls() == site.urls("/")


def test_killed_conversions_lose_nothing_and_double_nothing(tmp_path: Path, site: Site) -> None:
    """kill -9 after the first commit, twice; then to the end."""
    paths = [f"/t{number}" for number in range(400)]
    site.fill(site.origin, *paths)
    for number, path in enumerate(paths):
        site.scripts[path] = served(f"Text number {number}.".encode(), "text/plain")
    crawl = crawl_of(site, tmp_path, politeness__req_delay="1ms")
    crawl.run()
    progress = crawl.out / "state" / "convert.json"
    for _ in range(2):
        before = done_bytes(progress)
        process = subprocess.Popen([sys.executable, "-m", "tiptoe", "convert", str(crawl.out), "-q"])
        try:
            wait_until(lambda before=before: done_bytes(progress) > before, "a commit")  # type: ignore[misc]
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    assert converted(crawl)["counts"] == {"converted": 407, "broken": 1, "encrypted": 1}
    assert crawl.urls() == site.urls("/", *ALL, *paths)
    assert crawl.open_files() == []


def done_bytes(progress: Path) -> int:
    """Return how much of the lists counts as converted."""
    return sum(json.loads(progress.read_bytes())["lists"].values()) if progress.exists() else 0


def test_a_killed_crawl_and_its_conversion_come_to_the_same_end(tmp_path: Path, site: Site) -> None:
    """Documents that were not committed are fetched again, and must not have been converted."""
    crawl = crawl_of(site, tmp_path)
    crawl.start()
    crawl.wait_for_lines(6)
    crawl.kill_all()
    converted(crawl)
    crawl.run()
    converted(crawl)
    crawl.run()
    assert crawl.urls() == site.urls("/", *ALL, *HIDDEN)


def test_where_no_crawl_lives_nothing_is_converted(tmp_path: Path) -> None:
    done = tiptoe("convert", str(tmp_path))
    assert done.returncode == 2
    assert "not the directory of a crawl" in done.stderr
