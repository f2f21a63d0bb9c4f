"""Pages made to be slow."""

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from tiptoe.parse.flat import TAGS_MAX, flatten
from tiptoe.parse.html import read_page
from tiptoe.parse.nesting import HEAVY_TAGS, is_heavy
from tiptoe.parse.tokens import CHARS_MAX


def ordinary(paragraphs: int) -> str:
    return '<div class="a"><p class="b"><i class="icon"></i>text <a href="/x">link</a></p></div>' * paragraphs


HOSTILE = {
    "nested div": "<div>" * 60_000 + "x",
    "nested font": "".join(f"<font size={size}>" for size in range(30_000)) + "x",
    "nested tables": "<table><tr><td>" * 30_000 + "x",
    "nested lists": "<ul><li>" * 30_000 + "x",
    "unclosed formatting": "".join(f"<p><b id={number}>" for number in range(30_000)) + "x",
    "misnested formatting": "<b><div></b>" * 30_000 + "x",
    "mixed formatting": "<b><i><u>" * 30_000 + "x",
    "open links": "".join(f"<a href=/{number}>" for number in range(100_000)) + "x",
    "attributes": "<p " + " ".join(f"a{number}" for number in range(100_000)) + ">x",
    "attributes with brackets": "<p " + " ".join(f"a{number}='>'" for number in range(100_000)) + ">x",
    "attributes named like tags": "<p " + " ".join(f"<a{number}" for number in range(100_000)) + ">x",
    "attributes on many tags": ("<p " + " ".join(f"a{number}" for number in range(900)) + ">") * 200 + "x",
    "attributes after a script": "<script>i<n "
    + "a " * 250
    + 'x="</script><p '
    + " ".join(f"a{number}" for number in range(100_000))
    + ">x",
    "repeated html": "".join(f"<html a{number}=1>" for number in range(30_000)) + "x",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_found_and_still_read(name: str) -> None:
    """Each of these takes the parser alone from seconds to hours."""
    assert is_heavy(HOSTILE[name].encode())
    assert read_page(HOSTILE[name], agent="t").paragraphs == ["x"]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_flattened_is_not_nested(name: str) -> None:
    """Then neither depth nor unclosed formatting can cost anything."""
    tree = LexborHTMLParser(flatten(HOSTILE[name]).html)
    assert tree.css("body > * > *") == []


def test_what_is_flattened_has_one_break_between_two_texts() -> None:
    """Each would be an element of the tree, and they need more memory than the page."""
    assert flatten("<div><p>a</p>\n\n<ul>\n<li>b</li> </ul></div>\n<p>\n</p>c").html == "<hr>a<hr>b<hr>c"


@pytest.mark.parametrize(
    "html", ["<" * 100_000, "</" * 100_000, "<!--" * 100_000, "<p a='" * 100_000, "&" * 100_000]
)
def test_pages_of_fragments_are_read(html: str) -> None:
    """Every search for an end that never comes happens once, not once for each beginning."""
    assert len(read_page(html, agent="t").paragraphs) <= 1


def test_a_page_of_many_paragraphs_keeps_them_up_to_the_limit() -> None:
    page = read_page("<p>x" * (TAGS_MAX + 50), agent="t")
    assert (len(page.paragraphs), page.is_cut) == (TAGS_MAX - 1, True)


def test_a_page_says_that_it_was_cut() -> None:
    """What is lost without a word is never missed."""
    assert flatten("<p>x" * TAGS_MAX + "x").is_cut
    assert flatten("<p>" + "x" * CHARS_MAX).is_cut
    assert not flatten("<p>x" * (TAGS_MAX - 1) + "x").is_cut
    assert not flatten("x" * CHARS_MAX).is_cut
    assert not read_page("<p>x", agent="t").is_cut


def test_lines_of_a_flattened_page_are_no_elements() -> None:
    """A tree of millions would need more memory than all other pages together."""
    tree = LexborHTMLParser(flatten("<pre>" + "a\n" * 100_000).html)
    assert len(tree.css("*")) < 10
    assert read_page("<p>" * HEAVY_TAGS + "<pre>a\nb</pre>", agent="t").paragraphs == ["a", "b"]


def test_ordinary_pages_are_not_heavy() -> None:
    """The slow way is for the few."""
    assert not is_heavy(ordinary(5).encode())
    assert not is_heavy(ordinary(1_200).encode())
    assert not is_heavy(b"<p>" + b"word " * 100_000)


def test_a_script_does_not_make_a_page_heavy() -> None:
    """What follows a less-than sign looks like a tag with attributes."""
    script = b"for(i=0;i<n;i++) " + b"a = b + c; " * 150 + b"if(a > b) "
    assert not is_heavy(b"<script>%b</script><p>" % (script * 50) + b"word " * 110_000)


def test_endless_names_are_found_at_once() -> None:
    """Else each of them would be read to the end, which is the same for all."""
    began = time.process_time()
    assert is_heavy(b"<a" * 14_000 + b"x" * 1_000_000)
    assert time.process_time() - began < 5


OVERLAPPING = {
    "a bare value": "<a/b=" * 14_990 + "c" * 400_000,
    "a value in double quotes": ("<a " * 140 + 'b="' + "c" * 100_000 + '">') * 100,
    "a value in single quotes": ("<a " * 140 + "b='" + "c" * 100_000 + "'>") * 100,
    "a quote that is missing": ("<a " * 140 + "b=c>") * 100 + "<a " * 140 + 'b="' + "c" * 5_000_000,
    "white space": ("<a " * 140 + " " * 100_000 + ">") * 100,
    "a name": ("<a " * 140 + "c" * 100_000 + ">") * 100,
}


@pytest.mark.parametrize("name", OVERLAPPING)
def test_what_ends_many_tags_at_once_is_not_read_for_each(name: str) -> None:
    """Up to fifteen thousand beginnings and one end for all: a minute, or a second look and no more."""
    began = time.process_time()
    assert is_heavy(OVERLAPPING[name].encode())
    read_page(OVERLAPPING[name], agent="t", is_outlined=True)
    assert time.process_time() - began < 10


def test_a_flattened_page_reads_like_the_page() -> None:
    """Big pages are not always hostile; nothing may be lost on them."""
    html = """<!doctype html><html lang="cs"><head><title>T &amp; t</title><base href="/b/">
    <meta name=robots content=noarchive><meta property="og:description" content='a "b"'>
    <link rel="canonical" href="/c?a=1&amp;b=2"><script>if(a<b){x='</p>'}</script><style>p{}</style></head>
    <body>a<div>b <b>bo</b>ld<p>c</div>d<!-- x --><ul><li>e<li>f<a href="/1?x=1&amp;y" rel=nofollow>g</a></ul>
    <pre>h
    i</pre><select><option>x</select><svg><text>x</text></svg><svg/>j
    <div hidden>x<div>x</div>x</div>k<br>1 &lt; 2 < 3
    <table><tr><td>l<td>m</table><textarea><p>x</textarea><iframe src=/f>x</iframe><a href='/2'>n</a>
    <script><!-- <script> </script> x --></script>o</body></html>"""
    expected = ["a", "b bold", "c", "d", "e", "fg", "h", "i", "j", "k", "1 < 2 < 3", "l", "m", "n o"]
    page, flat = read_page(html, agent="t"), read_page(flatten(html).html, agent="t")
    assert page.paragraphs == expected
    assert flat == page
