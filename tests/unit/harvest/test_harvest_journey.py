"""One answer, from the wire to the corpus."""

import asyncio
import gzip
import json
import re
import zlib
from pathlib import Path

import msgspec
import pytest
from harvest_samples import (
    HTML,
    Rater,
    Web,
    make_answer,
    make_context,
    make_failure,
    make_tools,
    take_in,
)

from simulated.proofs import read_requests
from tiptoe.decide.parsing import parse_point
from tiptoe.decide.scheduling import schedule_point
from tiptoe.decide.storing import store_point
from tiptoe.fetch.outcome import Answer, Failure
from tiptoe.harvest.journey import fetch
from tiptoe.harvest.outlinks import Outlinks
from tiptoe.harvest.retry_after import retry_after
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import LastVisit, Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.text.language import LanguageIdentifier
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.write.archive import read_record
from tiptoe.write.documents import StoredDocument

URL = "http://a.example/"


def digested(directory: Path, request: Request, answer: Answer) -> Result:
    """Take one answer all the way and flush what it wrote."""
    tools = make_tools(directory)
    result = take_in(request, answer, tools)
    tools.outputs.flush()
    return result


def corpus(directory: Path) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in (directory / "corpus").glob("*")
        for line in path.read_text("utf-8").splitlines()
    ]


def archived(directory: Path) -> list[str]:
    """Return the URLs of the responses in the archive."""
    (path,) = (directory / "warc").glob("*.warc.gz.open")
    heads = re.findall(
        rb"WARC-Type: response\r\n(.*?)\r\n\r\n", gzip.decompress(path.read_bytes()), re.DOTALL
    )
    return [re.findall(rb"WARC-Target-URI: (\S+)", head)[0].decode() for head in heads]


def linked(result: Result) -> list[str]:
    return [url for links in result.links for url in links.urls]


def test_a_page_becomes_a_line_of_the_corpus_a_record_and_a_result(tmp_path: Path) -> None:
    """All three tell of the same page, and the line says where the record is."""
    request = Request(URL, depth=2, via="http://b.example/")
    answer = make_answer(fields=[*HTML, ("ETag", '"e1"'), ("Last-Modified", "Tue, 01 Sep 2026 10:00:00 GMT")])
    result = digested(tmp_path, request, answer)
    assert (result.status, result.title, result.discard) == (200, "Titul", "")
    assert (result.etag, result.last_modified) == ('"e1"', "Tue, 01 Sep 2026 10:00:00 GMT")
    assert (result.body_bytes, result.text_chars) == (len(answer.body), 27)
    assert linked(result) == ["http://a.example/x"]
    (line,) = corpus(tmp_path)
    assert line["paragraphs"] == ["Prvni odstavec.", "Druhy odkaz."]
    assert (line["url"], line["title"], line["language"], line["depth"]) == (URL, "Titul", "cs", 2)
    assert archived(tmp_path) == [URL]
    (warc,) = (tmp_path / "warc").glob("*.warc.gz.open")
    offset = line["warc_offset"]
    assert isinstance(offset, int)
    member = zlib.decompressobj(wbits=31).decompress(warc.read_bytes()[offset:])
    assert str(line["id"]).encode() in member


def test_a_redirect_is_archived_and_its_target_told(tmp_path: Path) -> None:
    """Following it is the keeper's business: it may lead to another host."""
    answer = make_answer(URL, b"", status=301, fields=[("Location", "/moved#there")])
    result = digested(tmp_path, Request(URL), answer)
    assert (result.status, result.redirect) == (301, "http://a.example/moved")
    assert (corpus(tmp_path), archived(tmp_path)) == ([], [URL])


def test_a_redirect_without_a_usable_target_leads_nowhere(tmp_path: Path) -> None:
    """Location is written by the server, so it can be anything."""
    answer = make_answer(status=302, fields=[("Location", "mailto:x@a.example")])
    assert digested(tmp_path, Request(URL), answer).redirect == ""


def test_a_sitemap_gives_pages_and_further_sitemaps(tmp_path: Path) -> None:
    """Compressed or not; it is no document of the corpus."""
    body = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <url><loc>http://a.example/1</loc><priority>0.9</priority></url>
        <url><loc>http://a.example/2</loc></url></urlset>"""
    request = Request("http://a.example/sitemap.xml", Purpose.SITEMAP)
    result = digested(tmp_path / "1", request, make_answer(request.url, body, fields=()))
    assert linked(result) == ["http://a.example/1", "http://a.example/2"]
    assert result.sub_priority == 1
    fields = [("Content-Encoding", "gzip")]
    packed = digested(tmp_path / "2", request, make_answer(request.url, gzip.compress(body), fields=fields))
    assert linked(packed) == linked(result)
    least = body.replace(b"0.9", b"0.0").replace(b"<url><loc>http://a.example/2</loc></url>", b"")
    assert digested(tmp_path / "4", request, make_answer(request.url, least, fields=())).sub_priority == 3
    index = b"<sitemapindex><sitemap><loc>http://a.example/s2.xml</loc></sitemap></sitemapindex>"
    named = digested(tmp_path / "3", request, make_answer(request.url, index, fields=()))
    assert named.sitemaps == ["http://a.example/s2.xml"]
    assert corpus(tmp_path / "1") == []


def test_a_feed_gives_the_links_of_its_entries(tmp_path: Path) -> None:
    """The newest pages of a site stand there first (FRO-6)."""
    body = b"<rss><channel><item><link>http://a.example/news</link></item></channel></rss>"
    request = Request("http://a.example/feed", Purpose.FEED)
    result = digested(tmp_path, request, make_answer(request.url, body, fields=()))
    assert linked(result) == ["http://a.example/news"]
    assert corpus(tmp_path) == []


def test_a_page_names_its_feeds(tmp_path: Path) -> None:
    """They are requests of their own kind."""
    body = b"<link rel=alternate type=application/rss+xml href=/feed><base href='http://a.example/d/'><p>x"
    result = digested(tmp_path, Request(URL), make_answer(body=body))
    assert result.feeds == ["http://a.example/feed"]


SESSION = "0123456789abcdef0123456789abcdef"


def test_links_and_feeds_of_a_page_lose_the_session_that_they_share(tmp_path: Path) -> None:
    """Each page has another one: with it every page would name a new feed."""
    links = "".join(f"<a href='/{number}?sid={SESSION}'>{number}</a>" for number in range(3))
    feed = f"<link rel=alternate type=application/rss+xml href='/feed?sid={SESSION}'>"
    result = digested(tmp_path, Request(URL), make_answer(body=f"{feed}<p>x {links}".encode()))
    assert linked(result) == ["http://a.example/0", "http://a.example/1", "http://a.example/2"]
    assert result.feeds == ["http://a.example/feed"]


def test_a_session_shows_by_its_cookie_and_by_the_redirect_that_added_it(tmp_path: Path) -> None:
    body = f"<a href='/x?sid={SESSION}'>x</a><a href='/menu'>m</a><a href='/more'>m</a>".encode()
    cookie = ("Set-Cookie", f"sid={SESSION}; path=/")
    result = digested(tmp_path / "1", Request(URL), make_answer(body=body, fields=[*HTML, cookie]))
    assert linked(result)[0] == "http://a.example/x"
    assert (
        linked(digested(tmp_path / "2", Request(URL), make_answer(body=body)))[0] == URL + f"x?sid={SESSION}"
    )
    own = f"http://a.example/y?sid={SESSION}"
    only = f"<a href='/x?sid={SESSION}'>x</a><a href='/z?sid={SESSION}'>z</a>".encode()
    for hops, expected in ((1, "http://a.example/x"), (0, f"http://a.example/x?sid={SESSION}")):
        request = Request(own, hops=hops, via="http://a.example/y")
        result = digested(tmp_path / f"hops{hops}", request, make_answer(own, only))
        assert linked(result)[0] == expected


@pytest.mark.parametrize("purpose", [Purpose.SITEMAP, Purpose.PAGE])
def test_what_a_sitemap_names_it_names_on_purpose(tmp_path: Path, purpose: Purpose) -> None:
    """All pages of a shop may have the number of the shop in common."""
    pages = [f"http://a.example/{number}?s={SESSION}" for number in range(3)]
    body = "<urlset>" + "".join(f"<url><loc>{page}</loc></url>" for page in pages) + "</urlset>"
    request = Request("http://a.example/map", purpose)
    answer = make_answer(request.url, body.encode(), fields=[("Content-Type", "text/xml")])
    assert linked(digested(tmp_path, request, answer)) == pages


def test_a_redirect_that_adds_a_session_leads_to_the_page(tmp_path: Path) -> None:
    """Without the id it would lead to itself, and the page be lost."""
    answer = make_answer(URL, b"", status=302, fields=[("Location", f"/?PHPSESSID={SESSION}")])
    assert digested(tmp_path, Request(URL), answer).redirect == f"{URL}?PHPSESSID={SESSION}"


def test_neither_a_base_nor_a_redirect_of_the_web_leads_to_our_disk(tmp_path: Path) -> None:
    """With `file` among the schemes a stranger could have any file archived else."""
    tools = make_tools(tmp_path)
    rules = CanonicalRules(schemes=frozenset({"http", "file"}))
    tools.outlinks = Outlinks(Canonicalizer(rules), schedule_point())
    body = (
        b"<base href='file:///etc/'><link rel=alternate type=application/rss+xml href=x><a href=passwd>p</a>"
    )
    page = take_in(Request(URL), make_answer(body=body), tools)
    assert linked(page) == ["http://a.example/passwd"]
    assert page.feeds == ["http://a.example/x"]
    onward = make_answer(body=b"", status=302, fields=[("Location", "file:///etc/passwd")])
    assert take_in(Request(URL), onward, tools).redirect == ""
    assert tools.outlinks.take_discards() == {"out_of_scope": 2}


def test_rules_asked_for_on_behalf_of_another_host_are_read(tmp_path: Path) -> None:
    """They had moved here; they may be compressed, or have moved on."""
    request = Request(f"{URL}robots.txt", Purpose.ROBOTS, for_origin="http://b.example")
    fields = [("Content-Encoding", "gzip")]
    body = gzip.compress(b"User-agent: *\nDisallow: /x")
    read = digested(tmp_path / "1", request, make_answer(request.url, body, fields=fields))
    # What is reserved has to be asked for where they apply.
    assert read.robots == RobotsNote(RobotsState.RULES, [(False, "/x")], is_partial=True)
    onward = make_answer(request.url, b"", status=301, fields=[("Location", "https://a.example/robots.txt")])
    moved = digested(tmp_path / "2", request, onward)
    assert moved.robots == RobotsNote(RobotsState.MOVED, location="https://a.example/robots.txt")
    assert moved.redirect == ""
    busy = make_answer(request.url, b"", status=503, fields=[("Retry-After", "60")])
    away = digested(tmp_path / "3", request, busy)
    assert away.robots == RobotsNote(RobotsState.UNREACHABLE, retry_after=60.0)


@pytest.mark.parametrize("status", [404, 410, 500, 503])
def test_an_error_page_is_archived_and_nothing_else(tmp_path: Path, status: int) -> None:
    """Its text and links are the server's excuse, not its content."""
    result = digested(tmp_path, Request(URL), make_answer(status=status))
    assert (result.status, result.links, result.text_chars) == (status, [], 0)
    assert (corpus(tmp_path), archived(tmp_path)) == ([], [URL])


def test_a_discarded_page_is_archived_but_not_in_the_corpus(tmp_path: Path) -> None:
    """noindex says: do not store the text (POL-6)."""
    answer = make_answer(fields=[*HTML, ("X-Robots-Tag", "noindex")])
    result = digested(tmp_path, Request(URL), answer)
    assert result.discard == "noindex"
    assert (corpus(tmp_path), archived(tmp_path)) == ([], [URL])


def test_too_little_text_is_no_document(tmp_path: Path) -> None:
    """The operator says how little that is."""
    tools = make_tools(tmp_path)
    tools.store = store_point(chars_min=1000)
    assert take_in(Request(URL), make_answer(), tools).discard == "too_short"


def test_without_an_archive_the_corpus_is_written_all_the_same(tmp_path: Path) -> None:
    """Some want the text only."""
    tools = make_tools(tmp_path)
    tools.keeps_archive = False
    take_in(Request(URL), make_answer(), tools)
    tools.outputs.flush()
    (line,) = corpus(tmp_path)
    assert (line["id"], line["warc_file"]) == ("", "")
    assert not (tmp_path / "warc").exists()


def test_a_failure_is_a_result_with_its_name(tmp_path: Path) -> None:
    """What the web does to us is a value."""
    result = take_in(Request(URL), make_failure(URL, Failure.TIMED_OUT), make_tools(tmp_path))
    assert result == Result(Request(URL), failure="timed_out", seconds=0.1)


def test_every_request_is_in_the_log_with_its_circumstances(tmp_path: Path) -> None:
    """Enough to answer any complaint (POL-9), also for requests that failed."""
    busy = make_answer(URL, b"", status=503, fields=[("Retry-After", "60")])
    web = Web({URL: busy, f"{URL}2": make_failure(f"{URL}2")})
    tools = make_tools(tmp_path, web)
    rules = RobotsNote(RobotsState.RULES, crawl_delay=4.0)

    async def run() -> None:
        await fetch(Request(URL), make_context(rules), tools)
        await fetch(Request(f"{URL}2"), make_context(None), tools)

    asyncio.run(run())
    first, second = read_requests(tmp_path / "log" / "requests-h1-0001.jsonl")
    assert (first.host, first.address, first.url, first.visit) == ("a.example", "192.0.2.1", URL, "7")
    assert (first.status, first.delay, first.crawl_delay, first.retry_after) == (503, 2.0, 4.0, 60.0)
    assert (first.ended_at - first.started_at, first.purpose, first.robots) == (0.25, "page", "allowed")
    assert (second.status, second.failure) == (None, "reset")


def test_what_is_told_of_a_page_does_not_depend_on_what_its_harvester_has_met_before(tmp_path: Path) -> None:
    """Another one, or the same after a restart, would come to another end."""
    fresh, used = make_tools(tmp_path / "fresh"), make_tools(tmp_path / "used")
    body = b"<p>" + b"A sentence that is long enough to be taken for one, by whoever reads it. " * 2
    for number in range(20):
        take_in(Request(f"{URL}{number}"), make_answer(f"{URL}{number}", body), used)

    def told(tools: Tools) -> Result:
        found = take_in(Request(URL), make_answer(body=body), tools)
        return msgspec.structs.replace(found, line_check=0)  # the line says where in its file the record is

    assert told(used) == told(fresh)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("", 0.0),
        ("soon", 0.0),
        ("-5", 0.0),
        ("Mon, 21 Sep 2026 14:14:20 GMT", 60.0),
        ("Mon Sep 21 14:14:20 2026", 60.0),
        ("Mon, 21 Sep 2020 14:14:20 GMT", 0.0),  # past
        ("120.5", 120.0),
        ("120s", 120.0),
        ("60, 60", 60.0),  # of two fields
        ("9" * 400, 999_999_999.0),
        ("١٢", 0.0),  # digits, but not of HTTP
        ("Mon, 99 Foo 99999 99:99:99 GMT", 0.0),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, expected: float) -> None:
    """Whatever stands there, we get a number out of it."""
    assert retry_after(make_answer(status=503, fields=[("Retry-After", value)])) == expected


def test_the_page_that_is_read_is_noted_and_forgotten(tmp_path: Path) -> None:
    """If it kills us, the keeper knows whom to suspect; if not, nobody is to blame."""
    tools = make_tools(tmp_path)
    note = tmp_path / "state" / "h1-0001.busy"
    tools.busy.begin(URL)
    assert note.read_bytes().split(b"\n")[0] == URL.encode()
    take_in(Request(URL), make_answer(), tools)
    assert note.read_bytes().split(b"\n")[0] == b""
    tools.busy.close()
    assert not note.exists()


PDF = [("Content-Type", "application/pdf")]


def test_a_document_is_archived_and_listed_with_its_place(tmp_path: Path) -> None:
    """`tiptoe convert` needs nothing else."""
    answer = make_answer("http://a.example/d", b"%PDF-1.4 text", fields=PDF)
    result = digested(tmp_path, Request("http://a.example/d", depth=3), answer)
    assert (result.status, result.discard, corpus(tmp_path)) == (200, "stored_aside", [])
    (path,) = (tmp_path / "documents").glob("*.jsonl.open")
    stored = msgspec.json.decode(path.read_bytes(), type=StoredDocument)
    assert (stored.url, stored.type, stored.depth) == ("http://a.example/d", "application/pdf", 3)
    block = read_record(tmp_path, (stored.warc_file, stored.warc_offset, stored.warc_length))
    assert block == answer.header_block + answer.body


def test_documents_are_archived_also_where_pages_are_not(tmp_path: Path) -> None:
    """They could not be converted otherwise."""
    tools = make_tools(tmp_path)
    tools.keeps_archive = False
    take_in(Request(URL), make_answer(), tools)
    take_in(Request(f"{URL}d"), make_answer(f"{URL}d", b"%PDF-1.4 text", fields=PDF), tools)
    tools.outputs.flush()
    assert archived(tmp_path) == [f"{URL}d"]


def test_documents_that_nobody_wants_are_only_archived(tmp_path: Path) -> None:
    tools = make_tools(tmp_path)
    tools.parse = parse_point(documents=())
    result = take_in(Request(URL), make_answer(body=b"%PDF-1.4", fields=PDF), tools)
    tools.outputs.flush()
    assert result.discard == "not_html"
    assert not list(tmp_path.glob("documents/*"))


def test_the_usability_of_a_page_is_asked_for_and_told(tmp_path: Path) -> None:
    """What the keeper is steered by; without anybody who judges it is unknown."""
    assert digested(tmp_path / "alone", Request(URL), make_answer()).usability is None
    tools = make_tools(tmp_path)
    tools.segmenter = rater = Rater(0.5)
    assert take_in(Request(URL), make_answer(), tools).usability == 0.5
    assert rater.asked == [(URL, "", 2)]
    tools.outputs.flush()
    assert corpus(tmp_path)[-1]["usability"] == 0.5


def test_a_segmenter_that_does_not_answer_stops_nothing(tmp_path: Path) -> None:
    """The text is stored, and its links are followed: nobody said that it is useless (TXT-5)."""
    tools = make_tools(tmp_path)
    tools.segmenter = Rater(None)
    result = take_in(Request(URL, usability=0.0), make_answer(), tools)
    tools.outputs.flush()
    assert (result.usability, linked(result)) == (None, ["http://a.example/x"])
    assert corpus(tmp_path)[-1]["usability"] is None


def test_what_its_owner_reserves_is_not_judged(tmp_path: Path) -> None:
    """A text that is not for us is not for the segmenter either (POL-6)."""
    tools = make_tools(tmp_path)
    tools.segmenter = rater = Rater(0.5)
    answer = make_answer(fields=[*HTML, ("X-Robots-Tag", "noindex")])
    assert take_in(Request(URL), answer, tools).usability is None
    assert rater.asked == []


def test_links_of_the_second_useless_page_in_a_row_are_not_told(tmp_path: Path) -> None:
    """What was told is not told again: a better page that has the link too must be able to (TXT-6)."""
    tools = make_tools(tmp_path)
    tools.segmenter = Rater(0.0)
    second = take_in(Request("http://a.example/2", usability=0.0), make_answer("http://a.example/2"), tools)
    assert linked(second) == []
    assert tools.outlinks.take_discards()["zero_usability"] == 1
    first = take_in(Request(URL, usability=0.1), make_answer(), tools)
    assert linked(first) == ["http://a.example/x"]


CZECH = (
    "Ráno bylo na zahradě ticho a slunce svítilo skrze listí starých jabloní.",
    "Děti si hrály u potoka a nikdo z nich nechtěl jít domů na oběd.",
)
ENGLISH = (
    "The morning was quiet and the sun shone through the leaves of the old apple trees.",
    "Nobody wanted to go home, because the children were playing by the river.",
)


def page_of(*paragraphs: str) -> Answer:
    return make_answer(body="".join(f"<p>{paragraph}</p>" for paragraph in paragraphs).encode())


def test_the_language_of_a_text_is_recognised_whatever_the_page_says(tmp_path: Path) -> None:
    """Pages are made from templates in another language (TXT-4)."""
    tools = make_tools(tmp_path)
    tools.languages = LanguageIdentifier.load()
    take_in(Request(URL), page_of(*CZECH), tools)
    take_in(Request(URL), page_of(*CZECH, *ENGLISH), tools)
    tools.outputs.flush()
    plain, mixed = corpus(tmp_path)
    assert plain["lang"] == "cs"
    assert (plain["lang_others"], plain["paragraph_langs"]) == (None, None)
    assert {mixed["lang"], *mixed["lang_others"]} == {"cs", "en"}  # type: ignore[misc]
    assert mixed["paragraph_langs"] == ["cs", "cs", "en", "en"]


def test_texts_in_languages_that_are_not_wanted_are_left_out(tmp_path: Path) -> None:
    """Their links are followed: a page in English may lead to one in Czech."""
    tools = make_tools(tmp_path)
    tools.languages = LanguageIdentifier.load()
    tools.store = store_point(languages={"cs"})
    body = "".join(f"<p>{text}</p>" for text in ENGLISH) + '<a href="/x">x</a>'
    left_out = take_in(Request(URL), make_answer(body=body.encode()), tools)
    kept = take_in(Request(URL), page_of(*CZECH), tools)
    assert (left_out.discard, kept.discard) == ("other_language", "")
    assert linked(left_out) == ["http://a.example/x"]


def ended_early(body: bytes, fields: list[tuple[str, str]] | None = None, status: int = 200) -> Answer:
    answer = make_answer(URL, body, fields=fields or list(HTML), status=status)
    return msgspec.structs.replace(answer, truncated="disconnect")


def test_a_body_that_ended_early_is_asked_for_once_more_and_then_kept(tmp_path: Path) -> None:
    """By chance it broke off once; twice, and it is all there is."""
    cut = ended_early(b"<title>Titul</title><p>Prvni odstavec.</p><a href=/x>Druhy</a>")
    first = digested(tmp_path / "1", Request(URL), cut)
    assert (first.status, first.discard, linked(first), corpus(tmp_path / "1")) == (200, "broken_off", [], [])
    assert archived(tmp_path / "1") == [URL], "what was received is on record"
    second = digested(tmp_path / "2", Request(URL, tries=1), cut)
    assert (second.discard, linked(second)) == ("", ["http://a.example/x"])
    (line,) = corpus(tmp_path / "2")
    assert (line["truncated"], line["title"]) == ("disconnect", "Titul")


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (b"<p>Prvni odstavec.</p></body></HTML>\n<!-- cached -->", ""),
        (gzip.compress(b"<p>Prvni odstavec.</p>"), "gzip"),
    ],
    ids=["its last tag", "the end of its coding"],
)
def test_a_body_with_its_end_is_whole_whatever_length_was_announced(
    tmp_path: Path, body: bytes, coding: str
) -> None:
    """Nothing is missing, so nobody is asked again."""
    fields = [*HTML, ("Content-Encoding", coding)] if coding else list(HTML)
    assert digested(tmp_path, Request(URL), ended_early(body, fields)).discard == ""
    (line,) = corpus(tmp_path)
    assert (line["paragraphs"], line["truncated"]) == (["Prvni odstavec."], "disconnect")


def test_a_coding_without_its_end_is_not_whole(tmp_path: Path) -> None:
    body = gzip.compress(b"<p>Prvni odstavec.</p>" * 100 + b"</html>")[:-12]
    answer = ended_early(body, [*HTML, ("Content-Encoding", "gzip")])
    assert digested(tmp_path, Request(URL), answer).discard == "broken_off"


@pytest.mark.parametrize("status", [301, 404, 500, 503])
def test_only_pages_are_asked_for_again_because_they_ended_early(tmp_path: Path, status: int) -> None:
    """The status has said everything."""
    answer = ended_early(b"<p>half", [*HTML, ("Location", "/x")], status)
    assert digested(tmp_path, Request(URL), answer).discard == ""


def test_the_text_of_a_page_that_ended_early_has_not_left_the_web(tmp_path: Path) -> None:
    known = LastVisit(1, version=1, text_hash=b"1", outcome="ok")
    digested(tmp_path, Request(URL, last_visit=known), ended_early(b"<p>half"))
    assert [path.read_text() for path in (tmp_path / "gone").glob("*")] in ([], [""])


def test_the_request_log_says_what_cut_a_body(tmp_path: Path) -> None:
    tools = make_tools(tmp_path, web=Web({URL: ended_early(b"half"), f"{URL}whole": make_answer()}))

    async def ask() -> None:
        for url in (URL, f"{URL}whole"):
            await fetch(Request(url), make_context(), tools)

    asyncio.run(ask())
    tools.outputs.flush()
    (path,) = (tmp_path / "log").glob("*.jsonl")
    assert [entry.truncated for entry in read_requests(path)] == ["disconnect", None]
