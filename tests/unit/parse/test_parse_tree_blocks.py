"""Paragraphs and the elements around them."""

import pytest

from tiptoe.parse.html import read_page
from tiptoe.parse.tree_blocks import read_blocks
from tiptoe.text.outline import Name, Outline
from tiptoe.text.outlining import DEPTH_MAX, PARAGRAPHS_MAX

PAGES = {
    "blocks and inline elements": "a<div>b <b>bo</b>ld<p>c</div>d<ul><li>e<li>f</ul><span>g</span>h",
    "line breaks": "<p>Jan Novák<br>Dlouhá 1<br/><br>Praha<hr>x",
    "tables": "a<table><caption>t</caption><tr><th>b<td>c<tr><td>d <i>e</i></table>f<table></table>g",
    "verbatim text": "<p>a</p><pre>b\n  c <b>d\n\n</b>e</pre>\nf<pre><div>g</div>h\ni</pre>",
    "what is not text": "a<script>x</script><style>x</style><svg><text>x</svg><select><option>x</select>b",
    "hidden parts": "a<p hidden>x<b>x</b></p>b<span style='display: none'>x</span>c<dialog>x</dialog>d",
    "elements that nobody knows": "a<x-post>b<x-y>c</x-y></x-post>d<p>e<x-z><p>f</p></x-z>g",
    "links around blocks": "<a href=/>a<div>b</div>c</a>d<a href=/>e</a>",
    "white space": "<div>\n <p>\n a\n</p>\n \n</div> b \u00a0 <b> </b>c\u200b",
    "a comment": "a<!-- x -->b<p>c</p><!-- <p>x</p> -->d",
    "broken sentences": "<p>A sentence that is<br>broken by <b>a break,<br></b>"
    "Twice.<br> &nbsp;<br>Another<br>one.",
    "lines of a list": "<div>one<br>Two<br><br>three<pre>a<br>b</pre>Four,<br>five</div>six<br><p>seven",
    "lines in links": "<p>The <a href=/>long<br>way</a> home.</p><a href=/>One<br>Two</a><br>",
    "links beside each other": "<a>a</a><a>b</a> <a>c</a><i><a>d</a></i><i><a>e</a></i>"
    "/<a>f</a><b>g</b><a>h</a>i",
    "links in blocks": "<a><div>a</div></a><a>b</a><p><a>c</a></p><a>d</a><!-- x -->"
    "<a><img>e</a><a><img></a><a>f</a>",
    "cards": "<x-a>a</x-a><x-a>b</x-a> <x-b>c</x-b><p>d<x-a>e</x-a><x-b>f</x-b>g</p><x-c>h</x-c>i",
    "styled blocks": "a<span style='display:block'>b<span>c</span></span>d<b style=display:table-cell>e</b>f",
    "styled grids": "<div style='display:flex'><b>a</b><i>b<i>c</i></i></div>"
    "<span style='display: grid'><b>d</b>e</span>f",
    "a styled link": "a<a href=/ style='display:block'>b</a>c",
    "nothing": "",
    "no body": "<frameset><frame src=/></frameset>",
    "deep nesting": "<div>a" * (DEPTH_MAX + 30) + "</div>b" * (DEPTH_MAX + 30),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_paragraphs_are_those_of_the_page(name: str) -> None:
    """What is labelled must be what is written when nothing is labelled."""
    outline = read_blocks(PAGES[name])
    outline.check()
    assert outline.text == read_page(PAGES[name], agent="t").paragraphs


def path_of(outline: Outline, paragraph: int) -> list[str]:
    """Return the tags around a paragraph, the innermost first."""
    element = outline.place[paragraph]
    tags = []
    while element:
        tags.append(outline.names[outline.name[element]].tag)
        element = outline.parent[element]
    return tags


def test_a_paragraph_knows_the_elements_around_it() -> None:
    outline = read_blocks("<main><section><p>a <b>b</b></p></section>c</main>d")
    assert outline.text == ["a b", "c", "d"]
    assert [path_of(outline, number) for number in range(3)] == [["p", "section", "main"], ["main"], []]


def test_elements_unknown_to_the_standard_are_structure_without_ending_a_paragraph() -> None:
    outline = read_blocks("<p>a <x-mark>b</x-mark> c</p><x-post><p>d</p></x-post>")
    assert outline.text == ["a b c", "d"]
    assert path_of(outline, 0) == ["p"]
    assert path_of(outline, 1) == ["p", "x-post"]


def test_class_id_and_role_are_the_words_of_a_name() -> None:
    outline = read_blocks("<div class='post  body' id=p1 role=main>a</div>")
    assert outline.names == [Name("body", ""), Name("div", "post  body p1 main")]


def test_characters_in_links_are_counted() -> None:
    """The share of them tells a menu from a sentence."""
    outline = read_blocks("<p>ab <a href=/>cd <b>ef</b></a> gh</p><a href=/><div>ij</div></a>kl")
    assert outline.text == ["ab cd ef gh", "ij", "kl"]
    assert outline.linked_chars == [5, 2, 0]


def test_a_link_that_style_makes_a_block_is_a_link() -> None:
    outline = read_blocks("a<a href=/ style='display:block'>bcd</a>e<br hidden>f<hr hidden>g")
    assert (outline.text, outline.linked_chars) == (["a", "bcd", "e f", "g"], [0, 3, 0, 0])


def test_elements_with_the_same_path_of_names_have_one_shape() -> None:
    """Posts of a thread are recognised by that, whatever their author calls them."""
    outline = read_blocks("<ul><li class=post>a<li class=post>b<li class=ad>c</ul><ol><li class=post>d</ol>")
    shapes = [outline.shape[place] for place in outline.place]
    assert shapes[0] == shapes[1]
    assert len(set(shapes)) == 3


def test_what_comes_after_too_many_paragraphs_is_not_read() -> None:
    """A page of line breaks must not fill the memory."""
    outline = read_blocks("<br>x" * 9_000 + "<hr>x" * (PARAGRAPHS_MAX + 1))
    assert len(outline.text) == PARAGRAPHS_MAX


def test_a_page_made_to_be_slow_has_bounded_depth() -> None:
    """Its paragraphs keep their places, only not as far down as they pretend to be."""
    outline = read_blocks("<div class=post>" * 60_000 + "x")
    outline.check()
    assert outline.text == ["x"]
    assert max(outline.depth) == DEPTH_MAX
