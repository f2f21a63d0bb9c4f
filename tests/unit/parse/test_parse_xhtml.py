"""How does a page written as XML look to a parser of HTML?"""

import time

import pytest

from tiptoe.parse.html import read_page
from tiptoe.parse.xhtml import as_html


@pytest.mark.parametrize(
    ("xhtml", "expected"),
    [
        ("<title/>", "<title></title>"),
        ('<script src="x.js" />', '<script src="x.js" ></script>'),
        ("<a id='1>2'/>", "<a id='1>2'></a>"),
        ('<p title="/"/>', '<p title="/"></p>'),
        ('<option selected="selected"\n/>', '<option selected="selected"\n></option>'),
        ("<epub:switch/>", "<epub:switch></epub:switch>"),
        ("<DIV/>", "<DIV></DIV>"),
        ("<i/><b/>", "<i></i><b></b>"),
    ],
)
def test_an_empty_element_gets_its_end_tag(xhtml: str, expected: str) -> None:
    assert as_html(xhtml) == expected


@pytest.mark.parametrize(
    "xhtml",
    [
        "<br/>", "<BR />", '<img src="x"/>', '<meta charset="utf-8"/>', "<p>1 /> 2</p>", "a < b/>",
        "<!-- <title/> -->", "<!-- <title/>", "</p/>", "<?xml version='1.0'?>",
        "<a href=http://a.example/>here</a>", "<a href = /x/>here</a>", "<p title=\"'/>'\">",
        "<script>write('<b/>')</script>", "<style>/* <b/> */",
    ],
)  # fmt: skip
def test_all_else_is_left_alone(xhtml: str) -> None:
    """Also a slash that belongs to an address."""
    assert as_html(xhtml) == xhtml


def test_what_follows_a_script_or_comment_is_seen_again() -> None:
    assert (
        as_html("<script>x</script><!-- <i/> --><i/><script/><b/>")
        == "<script>x</script><!-- <i/> --><i></i><script></script><b></b>"
    )


@pytest.mark.parametrize(
    "tag",
    ["title", "script src='x'", "style", "iframe", "textarea", "object", "select", "video", "canvas",
     "div hidden='hidden'", "noscript", "xmp", "template", "svg"],
)  # fmt: skip
def test_an_empty_element_swallows_nothing(tag: str) -> None:
    """Any of these would hide the rest of a page, or of its block."""
    page = f"<html><body><div><p>one</p><{tag}/><p>two</p></div><p>three</p></body></html>"
    assert read_page(as_html(page), agent="").paragraphs == ["one", "two", "three"]


@pytest.mark.parametrize(
    "piece",
    ["<", "<a ", "<a/", "<a b='", '<a b="', "<a b=", "<a b=c/", "<!--", "<![CDATA[", "<script ", "<script>",
     "<script><", "<a =", "<style/", "<a\n\n", "/", "='", "<a b='x' ", "<a/>"],
)  # fmt: skip
def test_no_page_takes_long(piece: str) -> None:
    """Quadratic, each of these would take minutes."""
    began = time.process_time()
    as_html(piece * 300_000 + "/>")
    as_html("<a " + piece * 300_000 + "/>")
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("xhtml", "expected"),
    [
        ("<p><![CDATA[a < b & c > d]]></p>", ["a < b & c > d"]),
        ("<p>x <![CDATA[<b>y</b>]]> z<![CDATA[]]></p>", ["x <b>y</b> z"]),
        ("<p>a</p><![CDATA[b]] >]]]><p>c</p>", ["a", "b]] >]", "c"]),
        ("<script>//<![CDATA[\nx\n//]]></script><p>a</p>", ["a"]),
        ("<!-- <![CDATA[ --><p>a</p>", ["a"]),
        ("<p>a</p><![CDATA[b", ["a", "b"]),
    ],
)
def test_a_section_of_character_data_is_text(xhtml: str, expected: list[str]) -> None:
    """A parser of HTML takes it for a comment that ends at the next bracket."""
    assert read_page(as_html(xhtml), agent="").paragraphs == expected
