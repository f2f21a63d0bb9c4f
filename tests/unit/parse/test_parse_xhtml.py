"""How does a page written as XML look to a parser of HTML?"""

import time

import pytest

from tiptoe.parse.html import read_page
from tiptoe.parse.xhtml import close_empty_elements


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
    assert close_empty_elements(xhtml) == expected


@pytest.mark.parametrize(
    "xhtml",
    [
        "<br/>", "<BR />", '<img src="x"/>', '<meta charset="utf-8"/>', "<p>1 /> 2</p>", "a < b/>",
        "<!-- <title/> -->", "<!-- <title/>", "<![CDATA[<title/>]]>", "</p/>", "<?xml version='1.0'?>",
        "<a href=http://a.example/>here</a>", "<a href = /x/>here</a>", "<p title=\"'/>'\">",
        "<script>write('<b/>')</script>", "<style>/* <b/> */",
    ],
)  # fmt: skip
def test_all_else_is_left_alone(xhtml: str) -> None:
    """Also a slash that belongs to an address."""
    assert close_empty_elements(xhtml) == xhtml


def test_what_follows_a_script_or_comment_is_seen_again() -> None:
    assert (
        close_empty_elements("<script>x</script><!-- <i/> --><i/><script/><b/>")
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
    assert read_page(close_empty_elements(page), agent="").paragraphs == ["one", "two", "three"]


@pytest.mark.parametrize(
    "piece",
    ["<", "<a ", "<a/", "<a b='", '<a b="', "<a b=", "<a b=c/", "<!--", "<![CDATA[", "<script ", "<script>",
     "<script><", "<a =", "<style/", "<a\n\n", "/", "='", "<a b='x' ", "<a/>"],
)  # fmt: skip
def test_no_page_takes_long(piece: str) -> None:
    """Quadratic, each of these would take minutes."""
    began = time.process_time()
    close_empty_elements(piece * 300_000 + "/>")
    close_empty_elements("<a " + piece * 300_000 + "/>")
    assert time.process_time() - began < 5
