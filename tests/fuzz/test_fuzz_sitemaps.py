"""Whatever a server sends as a sitemap or a feed, we take addresses from it and nothing else."""

import codecs
import gzip
import math
import time
from collections.abc import Callable
from xml.sax.saxutils import escape

import pytest
from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.parse.feeds import FeedEntry, read_feed
from tiptoe.parse.sitemaps import URL_CHARS_MAX, Sitemap, SitemapEntry, read_sitemap

SOUP = st.lists(
    st.sampled_from(
        [b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>", b"<sitemapindex>", b"<sitemap>",
         b"<url>", b"</url>", b"<loc>", b"</loc>", b"<x:loc>", b"https://a.example/", b"<lastmod>", b"9999",
         b"2024-02-30", b"</lastmod>", b"<priority>", b"nan", b"1e999", b"-1", b"</priority>", b"<rss>",
         b"<item>", b"</item>", b"<link>", b"</link>", b"<entry>", b"<link href='x'/>", b"<pubDate>",
         b"Thu, 01 Jan 99999 00:00:00 +9999", b"</pubDate>", b"&", b"&amp;", b"&b;", b"&#0;", b"&#x110000;",
         b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<!DOCTYPE a [", b"]>", b"\x00", b"<?xml encoding='no-such'?>",
         b"<?xml version='1.0' encoding='utf-16'?>", b"\x1f\x8b\x08",
         b"<![CDATA[", b"]]>", b"<!--", b"-->", b"\xff\xfe", b"<loc><url>", b"</url></loc>", b"www.",
         b"<link rel=", b"<guid isPermaLink=false>", b"</guid>", b"<a b='", b"&nbsp;", b"<?x", b"</", b">",
         b"<image:loc>", b"\xef\xbb\xbf", b" ", b"\n"]
    ),
    max_size=40,
).map(b"".join)  # fmt: skip
BODIES = st.one_of(SOUP, st.binary(max_size=200), SOUP.map(gzip.compress))

URLS = st.text("abcž/?&=%<>'\"#; é", min_size=1, max_size=30).map(
    lambda text: "https://a.example/" + text.strip()
)
SITEMAPS = st.lists(
    st.builds(
        SitemapEntry,
        URLS,
        st.one_of(st.none(), st.integers(0, 2**31).map(float)),
        st.one_of(st.none(), st.integers(0, 10).map(lambda tenths: tenths / 10)),
    ),
    max_size=8,
)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "windows-1250", "iso-8859-2"])


def moment(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def sitemap_text(entries: list[SitemapEntry], encoding: str) -> str:
    urls = []
    for entry in entries:
        lastmod = f"<lastmod>{moment(entry.lastmod)}</lastmod>" if entry.lastmod is not None else ""
        priority = f"<priority> {entry.priority}\n</priority>" if entry.priority is not None else ""
        urls.append(f"<url>{priority}<loc>\n {escape(entry.url)} </loc>{lastmod}</url>")
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f"<?xml version='1.0' encoding='{encoding}'?><urlset xmlns='{space}'>{''.join(urls)}</urlset>"


def check(sitemap: Sitemap, entries: list[FeedEntry]) -> None:
    """State what holds for every file."""
    told = [entry.url for entry in sitemap.entries] + [entry.url for entry in entries]
    for url in (*told, *sitemap.children):
        assert 0 < len(url) <= URL_CHARS_MAX
        assert url == url.strip()
        assert "\0" not in url
        url.encode()
    for page in sitemap.entries:
        assert page.priority is None or 0.0 <= page.priority <= 1.0
        assert page.lastmod is None or math.isfinite(page.lastmod)
    assert all(entry.updated_at is None or math.isfinite(entry.updated_at) for entry in entries)


@fuzz
@given(BODIES)
def test_no_sitemap_or_feed_breaks_us(body: bytes) -> None:
    """XML of strangers is the worst of all."""
    check(read_sitemap(body), read_feed(body))
    few = read_sitemap(body, urls_max=3)
    assert len(few.entries) + len(few.children) <= 3
    assert len(read_feed(body, urls_max=3)) <= 3


@fuzz
@given(SOUP)
def test_a_packed_sitemap_is_the_same_sitemap(body: bytes) -> None:
    if not body.startswith(b"\x1f\x8b"):
        assert read_sitemap(body) == read_sitemap(gzip.compress(body))


@fuzz
@given(entries=SITEMAPS, encoding=ENCODINGS, is_packed=st.booleans())
def test_what_a_sitemap_says_is_what_we_read(
    entries: list[SitemapEntry], encoding: str, is_packed: bool
) -> None:
    """In every encoding that XML allows, with every character that has to be escaped."""
    body = sitemap_text(entries, encoding).encode(encoding)
    assert read_sitemap(gzip.compress(body) if is_packed else body) == Sitemap(entries)


@fuzz
@given(entries=SITEMAPS, share=st.floats(0, 1), is_packed=st.booleans())
def test_a_torn_sitemap_gives_whole_addresses_only(
    entries: list[SitemapEntry], share: float, is_packed: bool
) -> None:
    """Half an address would be asked for, and be wrong."""
    body = sitemap_text(entries, "utf-8").encode()
    body = gzip.compress(body) if is_packed else body
    read = read_sitemap(body[: int(len(body) * share)])
    assert [entry.url for entry in read.entries] == [entry.url for entry in entries[: len(read.entries)]]


@fuzz
@given(
    urls=st.lists(URLS, max_size=6, unique=True),
    at=st.integers(0, 2**31),
    kind=st.sampled_from(["rss", "atom", "rdf"]),
)
def test_what_a_feed_says_is_what_we_read(urls: list[str], at: int, kind: str) -> None:
    forms: dict[str, Callable[[str], str]] = {
        "rss": lambda url: f"<item><title>x</title><link>{url}</link><pubDate>{moment(at)}</pubDate></item>",
        "atom": lambda url: f"<entry><updated>{moment(at)}</updated><link href='{url}'/></entry>",
        "rdf": lambda url: f"<r:item><r:link> {url}</r:link><d:date>{moment(at)}</d:date></r:item>",
    }
    items = "".join(forms[kind](escape(url, {"'": "&apos;"})) for url in urls)
    body = f"<feed xmlns:r='urn:r' xmlns:d='urn:d'>{items}</feed>".encode()
    assert read_feed(body) == [FeedEntry(url, float(at)) for url in urls]


@fuzz
@given(st.lists(st.text("ab&=", max_size=20), max_size=5, unique=True))
def test_a_bare_ampersand_is_one(queries: list[str]) -> None:
    """Whoever forgets to escape means what stands there."""
    urls = [f"https://a.example/?{query}" for query in queries]
    body = "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    assert [entry.url for entry in read_sitemap(body.encode()).entries] == urls


@fuzz
@given(urls=st.lists(URLS, max_size=6, unique=True), share=st.floats(0, 1))
def test_a_torn_feed_gives_whole_addresses_only(urls: list[str], share: float) -> None:
    """Addresses in CDATA may hold a bare `&`."""
    items = "".join(f"<item><link><![CDATA[{url}]]></link></item>" for url in urls)
    body = f"<rss><channel>{items}</channel></rss>".encode()
    read = [entry.url for entry in read_feed(body[: int(len(body) * share)])]
    assert read == urls[: len(read)]


LAUGHS = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))
BOMBS = {
    "a billion laughs": f"<!DOCTYPE a [<!ENTITY l0 'https://a.example/'>{LAUGHS}]>"
    "<urlset><url><loc>&l9;</loc></url></urlset>",
    "a file of ours": "<!DOCTYPE a [<!ENTITY f SYSTEM 'file:///etc/hostname'>]>"
    "<urlset><url><loc>https://a.example/&f;</loc></url></urlset>",
    "a file of theirs": "<!DOCTYPE a [<!ENTITY % d SYSTEM 'http://127.0.0.1:1/x'> %d;]>"
    "<urlset><url><loc>https://a.example/&f;</loc></url></urlset>",
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_entity_is_expanded(name: str) -> None:
    """Neither a bomb nor a way to read our disk."""
    started = time.process_time()
    for body in (BOMBS[name], BOMBS[name].replace("urlset", "rss").replace("url>", "item>")):
        body = body.replace("loc>", "link>") if "rss" in body else body
        assert read_sitemap(body.encode()).entries == []
        assert [entry.url for entry in read_feed(body.encode()) if "&" not in entry.url] in (
            [],
            ["https://a.example/"],
        )
    assert time.process_time() - started < 1.0


def test_hostile_files_cost_no_more_than_their_length() -> None:
    """Deep nesting, huge names and values, a gigabyte in a megabyte."""
    started = time.process_time()
    for unit in (
        b"<url>",
        b"<url><loc>",
        b"<a b='",
        b"<!--",
        b"<![CDATA[",
        b"<x:y>",
        b"&amp;",
        b"<!ENTITY a 'b'>",
        b"<",
        b"</url>",
        b"<url>a<loc>b",
        b"<item>" + b"<a>" * 40,
        b"<link a a",
        b"<url><loc>a<![CDATA[b]]>",
        b"<!x [",
        b"\xff<loc>",
    ):
        for opening in (b"<urlset>", b"<!DOCTYPE a ["):
            body = opening + unit * (1_000_000 // len(unit)) + b"</url></item>"
            read_sitemap(body)
            read_feed(body)
    read_sitemap(b"<urlset><url><loc>" + b"a" * 5_000_000)
    read_sitemap(gzip.compress(bytes(100_000_000)), bytes_max=1_000_000)
    read_sitemap(b"https://a.example/\n" * 300_000)
    read_sitemap(codecs.BOM_UTF16_LE + "<urlset>".encode("utf-16-le") * 200_000)
    assert time.process_time() - started < 10.0
