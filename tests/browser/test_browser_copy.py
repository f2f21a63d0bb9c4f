"""A copy as files opens in a real browser without any server, and asks nobody for anything."""

import struct
import zlib
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from browser_stage import CHROMIUM
from copy_samples import Sent, write_archive
from playwright.sync_api import sync_playwright

from tiptoe.copies.archive_pages import find_archive
from tiptoe.copies.site_copy import SiteCopy

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser: {CHROMIUM} is missing"),
]

A = "https://a.example"
HOME = """<html><head><meta charset=iso-8859-2>
<meta http-equiv="Content-Security-Policy" content="default-src https:">
<link rel=stylesheet href="/s.css?v=1" integrity="sha256-AAAA" crossorigin></head>
<body><h1>žluťoučký kůň</h1><img src="/p.png" srcset="/p.png 1x">
<a id=two href="/two?x=1&amp;y=%C4%8D">two</a></body></html>"""


def picture(width: int, height: int) -> bytes:
    """Return a real PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\x7f\0\0" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def test_a_copy_looks_as_the_site_did(tmp_path: Path) -> None:
    write_archive(
        tmp_path / "crawl",
        [
            Sent(f"{A}/", HOME),
            Sent(f"{A}/p.png", picture(40, 20), "image/png"),
            Sent(f"{A}/bg.png", picture(5, 5), "image/png"),
            Sent(f"{A}/s.css?v=1", "@import 'm.css'; body { background: url(bg.png) }", "text/css"),
            Sent(f"{A}/m.css", "h1 { color: rgb(1, 2, 3) }", "text/css"),
            Sent(f"{A}/two?x=1&y=%C4%8D", "<title>Two</title><a href='/'>home</a>"),
        ],
    )
    copy = tmp_path / "copy"
    SiteCopy(tmp_path / "crawl", find_archive(tmp_path / "crawl")).write(copy)
    asked: list[str] = []
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((copy / "index.html").as_uri())
        page.click("a")
        heading = page.text_content("h1")
        width = page.evaluate("document.querySelector('img').naturalWidth")
        colour = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
        background = page.evaluate("getComputedStyle(document.body).backgroundImage")
        page.click("#two")
        title = page.title()
        page.click("a")
        home = page.url
        browser.close()

    assert (heading, width, colour, title) == ("žluťoučký kůň", 40, "rgb(1, 2, 3)", "Two")
    assert background.endswith('copy/a.example/bg.png")')
    assert home == (copy / "a.example/index.html").as_uri()
    assert [url for url in asked if not url.startswith("file:")] == []
