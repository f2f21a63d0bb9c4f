"""FRO-6 and INC-4: what sites say of their own pages."""

import gzip

from tiptoe.parse.sitemaps import Sitemap, SitemapEntry, read_sitemap

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def urlset(*urls: str) -> bytes:
    return f'<?xml version="1.0"?><urlset xmlns="{NAMESPACE}">{"".join(urls)}</urlset>'.encode()


def test_pages_come_with_their_hints() -> None:
    """`lastmod` saves visits, priority orders them."""
    body = urlset(
        "<url><loc> https://a.example/1?x=1&amp;y=2 </loc>"
        "<lastmod>1970-01-02</lastmod><priority>0.8</priority></url>",
        "<url><loc><![CDATA[https://a.example/2]]></loc><lastmod>soon</lastmod><priority>7</priority></url>",
        "<url><lastmod>1970-01-02</lastmod></url>",
    )
    expected = [
        SitemapEntry("https://a.example/1?x=1&y=2", 86400.0, 0.8),
        SitemapEntry("https://a.example/2", None, 1.0),
    ]
    assert Sitemap(entries=expected) == read_sitemap(body)


def test_an_index_names_further_sitemaps() -> None:
    """Large sites split theirs."""
    body = b"<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap></sitemapindex>"

    assert Sitemap(children=["https://a.example/1.xml.gz"]) == read_sitemap(body)


def test_pictures_of_a_page_are_not_pages() -> None:
    """Their `loc` has the same name in another namespace."""
    body = urlset(
        "<url><image xmlns='i'><loc>https://a.example/i.png</loc></image><loc>https://a.example/</loc></url>"
    )

    assert [SitemapEntry("https://a.example/")] == read_sitemap(body).entries


def test_plain_text_is_one_address_a_line() -> None:
    """The simplest form of the protocol."""
    body = b"\xef\xbb\xbfhttps://a.example/1\r\nnot an address\nhttps://a.example/\xc5\x99\n\n"

    assert [SitemapEntry("https://a.example/1"), SitemapEntry("https://a.example/ř")] == read_sitemap(
        body
    ).entries


def test_a_web_page_in_place_of_a_sitemap_gives_nothing() -> None:
    """Many servers answer 200 to everything."""
    assert Sitemap() == read_sitemap(b"<!doctype html><title>x</title><a href='https://a.example/'>x</a>")
    assert Sitemap() == read_sitemap(b"")


def test_gzip_is_recognised_by_its_content() -> None:
    """Names and headers of sitemaps cannot be trusted."""
    body = gzip.compress(urlset("<url><loc>https://a.example/</loc></url>"))

    assert [SitemapEntry("https://a.example/")] == read_sitemap(body).entries


def test_a_damaged_archive_gives_what_came_before_the_damage() -> None:
    """A cut transfer is not a lost sitemap."""
    urls = [f"<url><loc>https://a.example/{n * 7919 % 100003}</loc></url>" for n in range(20_000)]
    body = gzip.compress(urlset(*urls))

    assert 1000 < len(read_sitemap(body[: len(body) // 2]).entries) < 20_000
    assert read_sitemap(b"\x1f\x8bnonsense") == Sitemap()


def test_a_small_archive_cannot_fill_our_memory() -> None:
    """A gzip bomb is a thousand times its size."""
    bomb = gzip.compress(b"https://a.example/\n" * 100_000)

    assert len(read_sitemap(bomb, bytes_max=190).entries) == 10


def test_no_more_pages_than_asked_for() -> None:
    """Every input has a limit."""
    body = urlset(*("<url><loc>https://a.example/</loc></url>",) * 9)

    assert len(read_sitemap(body, urls_max=3).entries) == 3
    assert len(read_sitemap(b"https://a.example/\n" * 9, urls_max=3).entries) == 3


def test_broken_xml_gives_what_can_be_saved() -> None:
    """Raw ampersands and missing ends are common."""
    body = b"\n <urlset><url><loc>https://a.example/?a=1&b=2</loc></url><url><loc>https://a.example/2</loc></url><url>"

    assert "https://a.example/2" in [entry.url for entry in read_sitemap(body).entries]


def test_entities_are_not_expanded_and_files_not_read() -> None:
    """A billion laughs, or our password file as a path, must not come out."""
    body = (
        b'<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/hostname"><!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;">]>'
        b"<urlset><url><loc>https://a.example/&x;</loc></url><url><loc>https://a.example/&b;</loc></url>"
        b"<url><loc>https://a.example/1</loc></url></urlset>"
    )
    assert [SitemapEntry("https://a.example/1")] == read_sitemap(body).entries


def test_addresses_beyond_the_protocols_length_are_dropped() -> None:
    """2048 characters are the protocol's own limit."""
    assert read_sitemap(urlset(f"<url><loc>https://a.example/{'a' * 2048}</loc></url>")) == Sitemap()
