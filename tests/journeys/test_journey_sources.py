"""Sitemaps and feeds lead to their pages, however a crawl comes upon them (FRO-6, INC-4)."""

import gzip
from pathlib import Path

import pytest
from journey_crawl import Crawl, Pace, tiptoe, wait_until
from journey_servers import Talk, html, scripted_server

pytestmark = pytest.mark.journey


def served(body: bytes, media_type: str) -> Talk:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return lambda visitor: visitor.say(head + body)


def rss(*paths: str) -> bytes:
    items = "".join(f"<item><link>{path}</link></item>" for path in paths)
    return f"<?xml version='1.0'?><rss version='2.0'><channel>{items}</channel></rss>".encode()


def atom(*paths: str) -> bytes:
    entries = "".join(f"<entry><link href='{path}'/></entry>" for path in paths)
    return f"<feed xmlns='http://www.w3.org/2005/Atom'>{entries}</feed>".encode()


def urlset(*paths: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{path}</loc></url>' for path in paths)}</urlset>".encode()


PAGES = ("/in-seed", "/in-link", "/in-map", "/in-index", "/in-robots", "/in-list", "/in-xhtml")
XHTML = (
    b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title>x</title></head>"
    b"<body><p>A page in XML.</p><p><a href='/in-xhtml'>A link.</a></p></body></html>"
)
LINKS = b"<p>Home.</p><a href=/atom>a</a><a href=/map.gz>m</a><a href=/x.xml>x</a><a href=/notes.txt>t</a>"
SCRIPTS: dict[str, Talk] = {
    "/robots.txt": served(b"Sitemap: /news.rss\nSitemap: /list.txt\nSitemap: /index.xml", "text/plain"),
    "/feed": served(rss("/in-seed", "/"), "text/xml"),
    "/": html(LINKS),
    "/atom": served(atom("/in-link"), "application/atom+xml"),
    "/map.gz": served(gzip.compress(urlset("/in-map")), "application/x-gzip"),
    "/x.xml": served(XHTML, "text/xml"),
    "/news.rss": served(rss("/in-robots"), "application/rss+xml"),
    "/index.xml": served(b"<sitemapindex><sitemap><loc>/more.xml</loc></sitemap></sitemapindex>", "text/xml"),
    "/more.xml": served(urlset("/in-index"), "text/xml"),
    **{page: html(f"<p>The page {page}.</p>".encode()) for page in PAGES},
}


def crawl_of(folder: Path, seed: str, **settings: object) -> Crawl:
    known: dict[str, object] = {
        "crawl.contact": "https://example.org/bot",
        "crawl.rehearsal": "true",
        "fetch.allow_networks": "127.0.0.0/8",
        "segmenter.off": "true",  # the texts are too short to be of use
        **Pace(max_reqs=1000).settings(),
    }
    known.update((name.replace("__", "."), value) for name, value in settings.items())
    return Crawl(folder / "crawl", [seed], known)


def test_sources_lead_to_their_pages_however_they_are_met(tmp_path: Path) -> None:
    """As a seed, as plain links, by robots.txt; none is a page, and a text file is no sitemap by itself."""
    with scripted_server(SCRIPTS) as server:
        listed = f"{server.origin}/in-list\n".encode()
        SCRIPTS["/list.txt"] = SCRIPTS["/notes.txt"] = served(listed, "text/plain")
        crawl = crawl_of(tmp_path, server.origin + "/feed")
        printed = crawl.run()
    expected = sorted(server.origin + path for path in ("/", "/x.xml", *PAGES))
    depths = {line["url"].removeprefix(server.origin): line["depth"] for line in crawl.documents()}
    assert crawl.urls() == expected
    assert max(map(server.asked.count, set(server.asked))) == 1
    assert "not_html" not in printed
    assert (depths["/in-seed"], depths["/in-robots"], depths["/in-link"], depths["/in-map"]) == (1, 1, 3, 3)
    assert tiptoe("audit", str(crawl.out)).returncode == 0


def test_sources_that_are_not_wanted_lead_nowhere(tmp_path: Path) -> None:
    """`--no-feeds` and `--no-sitemaps` hold for those that are met as well."""
    with scripted_server(SCRIPTS) as server:
        crawl = crawl_of(tmp_path, server.origin + "/", scope__feeds="false", scope__sitemaps="false")
        printed = crawl.run()
    found = [url.removeprefix(server.origin) for url in crawl.urls()]
    assert found == ["/", "/in-xhtml", "/x.xml"]
    assert "not_html" in printed


def test_a_feed_that_was_a_seed_is_looked_at_again(tmp_path: Path) -> None:
    """What it announces later is found later."""
    scripts = {"/feed": served(rss("/in-seed"), "text/xml"), **{page: SCRIPTS[page] for page in PAGES}}
    with scripted_server(scripts) as server:
        settings = {"revisit__strategy": "uniform", "revisit__first": "1s", "revisit__min": "1s"}
        settings["crawl__on_end"] = "watch"
        crawl = crawl_of(tmp_path, server.origin + "/feed", **settings)
        crawl.start()
        try:
            wait_until(lambda: "/in-seed" in server.asked, "the first page")
            scripts["/feed"] = served(rss("/in-map", "/in-seed"), "text/xml")
            wait_until(lambda: "/in-map" in server.asked, "the page that was announced later")
        finally:
            crawl.interrupt()
            crawl.wait()
    purposes = [entry.purpose for entry in crawl.requests() if entry.url.endswith("/feed")]
    assert purposes[0] == "page"
    assert set(purposes[1:]) == {"feed"}
