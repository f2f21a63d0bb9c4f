"""What a page needs to be shown is found, told once, kept in the archive, and is no text."""

from dataclasses import replace
from pathlib import Path

import pytest
from harvest_samples import make_answer, make_tools, take_in

from tiptoe.harvest.requisites import ROLES_BY_CHOICE, Requisites
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import Purpose, Request

URL = "http://a.example/dir/"
PAGE = b"""<html><head><base href="/base/"><link rel=stylesheet href="s.css"><link rel=icon href=/i.ico>
<link rel=canonical href=/other><script src="//cdn.example/x.js"></script>
<style>@font-face { src: url("f.woff2") } body { background: url(bg.png) }</style></head>
<body><p>A paragraph of text that is long enough to be one.</p><a href="next">next</a>
<img src="1.png" srcset="1.png 1x, 2.png 2x"><picture><source srcset="3.webp"></picture>
<video src=v.mp4 poster=p.jpg></video><img src="data:image/png;base64,AAAA"><iframe src=frame></iframe>"""
IMAGES = ["/i.ico", *(f"/base/{name}" for name in ("bg.png", "1.png", "2.png", "3.webp", "p.jpg"))]
STYLE = b"@import 'more.css'; p { background: url(../bg2.png) } @font-face { src: url(f2.woff) }"


def tools_for(directory: Path, choice: str, **limits: int | bool) -> Tools:
    tools = make_tools(directory)
    return replace(tools, requisites=Requisites(ROLES_BY_CHOICE[choice], **limits))  # type: ignore[arg-type]


def needed(tools: Tools, body: bytes = PAGE) -> list[str]:
    result = take_in(Request(URL), make_answer(URL, body), tools)
    return [url.removeprefix("http://a.example") for url in result.requisites]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("images", IMAGES),
        ("page", [*IMAGES, "/base/s.css", "http://cdn.example/x.js", "/base/f.woff2"]),
        ("all", [*IMAGES, "/base/s.css", "http://cdn.example/x.js", "/base/f.woff2", "/base/v.mp4"]),
    ],
)
def test_a_page_names_what_it_needs(tmp_path: Path, choice: str, expected: list[str]) -> None:
    assert sorted(needed(tools_for(tmp_path, choice))) == sorted(expected)


def test_without_the_setting_nobody_looks(tmp_path: Path) -> None:
    assert needed(make_tools(tmp_path)) == []


def test_what_was_told_is_not_told_again_and_limits_hold(tmp_path: Path) -> None:
    tools = tools_for(tmp_path, "page", are_elsewhere=False, count_max=4)

    first, second = needed(tools), needed(tools)

    assert len(first) == 4
    assert not set(first) & set(second)
    assert not any("cdn.example" in url for url in first + second)


def test_an_owner_who_wants_no_link_followed_is_asked_for_nothing_more(tmp_path: Path) -> None:
    page = PAGE.replace(b"<head>", b"<head><meta name=robots content=nofollow>")

    assert needed(tools_for(tmp_path, "all"), page) == []


def test_a_style_sheet_names_others_and_is_kept_in_the_archive_alone(tmp_path: Path) -> None:
    tools = tools_for(tmp_path, "page")
    request = Request("http://a.example/css/s.css", Purpose.REQUISITE, depth=1, via=URL)

    result = take_in(request, make_answer(request.url, STYLE, fields=[("Content-Type", "text/css")]), tools)

    names = ["css/more.css", "bg2.png", "css/f2.woff"]
    assert result.requisites == [f"http://a.example/{name}" for name in names]
    assert (result.links, result.text_chars, result.discard) == ([], 0, "")
    assert result.stored_at > 0


def test_a_page_asked_for_as_a_requisite_is_not_read_for_links(tmp_path: Path) -> None:
    """A server that answers every address with its home page gains nothing by it."""
    request = Request("http://a.example/1.png", Purpose.REQUISITE, depth=1, via=URL)

    result = take_in(request, make_answer(request.url, PAGE), tools_for(tmp_path, "all"))

    assert (result.links, result.requisites, result.text_chars) == ([], [], 0)
