"""FRO-6: sitemaps and feeds are read as what they are, however they were met."""

import gzip
from pathlib import Path

import msgspec
import pytest
from harvest_samples import make_answer, make_tools, take_in

from tiptoe.fetch.outcome import Answer
from tiptoe.harvest.mediatype import find_source
from tiptoe.protocol.work import LastVisit, Purpose, Request, Result

PROLOG = b"<?xml version='1.0' encoding='UTF-8'?>\n<!-- made by hand -->\n"
RSS = PROLOG + b"<rss version='2.0'><channel><item><link>/1</link></item></channel></rss>"
ATOM = PROLOG + b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/1'/></entry></feed>"
RDF = (
    PROLOG
    + b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
    b"<item><link>/1</link></item></rdf:RDF>"
)
JSON = b'{"version": "https:\\/\\/jsonfeed.org\\/version\\/1.1", "items": [{"id": 1, "url": "/1"}]}'
URLSET = PROLOG + b"<urlset><url><loc>/1</loc></url></urlset>"
INDEX = b"<sitemapindex><sitemap><loc>/1</loc></sitemap></sitemapindex>"
XHTML = PROLOG + b"<!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'><body><p>Text.</p></body></html>"
LIST = b"http://a.example/1\nhttp://a.example/2\n"
URL = "http://a.example/x"


def typed(body: bytes, declared: str, *fields: tuple[str, str]) -> Answer:
    return make_answer(URL, body, fields=[*([("Content-Type", declared)] if declared else []), *fields])


def linked(result: Result) -> list[str]:
    return [url for links in result.links for url in links.urls]


@pytest.mark.parametrize(
    ("body", "declared", "expected"),
    [
        (RSS, "application/rss+xml", Purpose.FEED),
        (RSS, "text/xml", Purpose.FEED),
        (RSS, "text/html", Purpose.FEED),
        (RSS, "text/plain", Purpose.FEED),
        (RSS, "", Purpose.FEED),
        (RSS.removeprefix(PROLOG), "application/octet-stream", Purpose.FEED),
        (b"<!-- x -->" + ATOM.removeprefix(PROLOG), "application/atom+xml", Purpose.FEED),
        (ATOM, "application/xml", Purpose.FEED),
        (RDF, "application/rdf+xml", Purpose.FEED),
        (JSON, "application/feed+json", Purpose.FEED),
        (JSON, "application/json", Purpose.FEED),
        (URLSET, "application/xml", Purpose.SITEMAP),
        (URLSET.decode().encode("utf-16"), "text/xml", Purpose.SITEMAP),
        (b"\xef\xbb\xbf\n" + INDEX, "text/xml", Purpose.SITEMAP),
        (gzip.compress(URLSET * 500, mtime=0), "application/x-gzip", Purpose.SITEMAP),
        (gzip.compress(URLSET, mtime=0), "application/octet-stream", Purpose.SITEMAP),
        (XHTML, "application/xhtml+xml", None),
        (XHTML, "text/xml", None),
        (XHTML, "text/html", None),
        (b"<!DOCTYPE html><p>How to write &lt;rss>", "text/html", None),
        (b"<p>about <urlset>", "text/html", None),
        (LIST, "text/plain", None),
        (gzip.compress(LIST, mtime=0), "application/gzip", None),
        (b"<rdf:RDF xmlns='http://xmlns.com/foaf/0.1/'/>", "application/rdf+xml", None),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "application/xml", None),
        (b'{"items": []}', "application/json", None),
        (b"", "text/xml", None),
    ],
)  # fmt: skip
def test_sources_are_known_by_type_and_content(body: bytes, declared: str, expected: Purpose | None) -> None:
    """Neither alone can be trusted. A list in plain text is a document unless somebody calls it a sitemap."""
    assert find_source(body, declared) is expected


@pytest.mark.parametrize(
    ("body", "purpose"),
    [(RSS, Purpose.FEED), (ATOM, Purpose.FEED), (RDF, Purpose.FEED), (URLSET, Purpose.SITEMAP),
     (gzip.compress(URLSET, mtime=0), Purpose.SITEMAP)],
)  # fmt: skip
def test_a_seed_or_link_that_is_a_source_gives_its_links(
    tmp_path: Path, body: bytes, purpose: Purpose
) -> None:
    """It is no page, and nothing of it enters the corpus; the archive holds it like any other."""
    tools = make_tools(tmp_path)
    result = take_in(Request(URL, depth=3), typed(body, "text/xml"), tools)

    assert (result.source, result.discard, linked(result)) == (purpose, "", ["http://a.example/1"])
    assert result.text_chars == 0
    assert result.payload_digest
    tools.outputs.flush()
    assert b"".join(path.read_bytes() for path in (tmp_path / "corpus").glob("*")) == b""


def test_an_index_that_is_met_names_its_sitemaps(tmp_path: Path) -> None:
    """They are requests of their own kind."""
    result = take_in(Request(URL), typed(INDEX, "text/xml"), make_tools(tmp_path))

    assert (result.source, result.sitemaps) == (Purpose.SITEMAP, ["http://a.example/1"])


def test_sources_that_are_not_wanted_are_no_pages(tmp_path: Path) -> None:
    """`scope.feeds` and `scope.sitemaps` hold wherever one is met."""
    tools = make_tools(tmp_path)
    tools.sources = frozenset({Purpose.SITEMAP})
    feed = take_in(Request(URL), typed(RSS, "text/xml"), tools)

    assert (feed.source, feed.discard, feed.links) == (None, "not_html", [])
    assert take_in(Request(URL), typed(URLSET, "text/xml"), tools).source is Purpose.SITEMAP


def test_pages_in_xml_and_lists_in_plain_text_stay_what_they_are(tmp_path: Path) -> None:
    """XHTML is read as a page, and a text file is a document."""
    tools = make_tools(tmp_path)
    page = take_in(Request(URL), typed(XHTML, "text/xml"), tools)
    text = take_in(Request(URL), typed(LIST, "text/plain"), tools)

    assert (page.source, page.discard, page.text_chars) == (None, "", 5)
    assert (text.source, text.discard) == (None, "stored_aside")


@pytest.mark.parametrize("purpose", [Purpose.SITEMAP, Purpose.FEED])
@pytest.mark.parametrize("body", [RSS, ATOM, RDF, URLSET, gzip.compress(RSS), gzip.compress(URLSET)])
def test_what_is_called_a_source_is_read_by_its_content(
    tmp_path: Path, purpose: Purpose, body: bytes
) -> None:
    """robots.txt may name a feed."""
    result = take_in(Request(URL, purpose), typed(body, "text/xml"), make_tools(tmp_path))

    assert (result.source, linked(result)) == (None, ["http://a.example/1"])


def test_a_plain_list_is_a_sitemap_where_it_is_called_one(tmp_path: Path) -> None:
    """By robots.txt, or by another sitemap."""
    result = take_in(Request(URL, Purpose.SITEMAP), typed(LIST, "text/plain"), make_tools(tmp_path))

    assert linked(result) == ["http://a.example/1", "http://a.example/2"]


@pytest.mark.parametrize(
    ("body", "fields", "truncated"),
    [
        (LIST[:-2], (), "length"),
        (gzip.compress(LIST[:-2], mtime=0)[:-9], (("Content-Encoding", "gzip"),), None),
    ],
)
def test_the_end_of_a_list_that_came_in_part_is_not_asked_for(
    tmp_path: Path, body: bytes, fields: tuple[tuple[str, str], ...], truncated: str | None
) -> None:
    """Half an address is a page that nobody has."""
    answer = msgspec.structs.replace(typed(body, "text/plain", *fields), truncated=truncated)
    result = take_in(Request(URL, Purpose.SITEMAP), answer, make_tools(tmp_path))

    assert linked(result) == ["http://a.example/1"]


def test_links_of_a_source_are_not_followed_where_its_server_forbids_it(tmp_path: Path) -> None:
    """POL-6 holds for whatever has links; `noindex` says nothing of them."""
    tools = make_tools(tmp_path)
    for body in (RSS, URLSET, INDEX):
        told = take_in(Request(URL), typed(body, "text/xml", ("X-Robots-Tag", "nofollow")), tools)
        assert (told.links, told.sitemaps) == ([], [])
    indexed = take_in(Request(URL), typed(RSS, "text/xml", ("X-Robots-Tag", "noindex, follow")), tools)
    assert linked(indexed) == ["http://a.example/1"]


def test_a_source_that_is_as_it_was_tells_nothing(tmp_path: Path) -> None:
    """Also when it was asked for as a page before."""
    tools = make_tools(tmp_path)
    first = take_in(Request(URL), typed(RSS, "text/xml"), tools)
    before = LastVisit(visits=1, content_hash=first.content_hash)
    again = take_in(Request(URL, Purpose.FEED, last_visit=before), typed(RSS, "text/xml"), tools)

    assert (again.is_changed, again.links) == (False, [])
