"""Paragraphs of pages that are read without a tree."""

import time

import pytest
from test_parse_blocks import PAGES

from tiptoe.parse.blocks import read_blocks
from tiptoe.parse.tagblocks import read_tags
from tiptoe.text.outline import Outline

ALIKE = {
    **PAGES,
    "hidden blocks": "a<div hidden>x<div>x</div>x</div>b<dialog>x</dialog>c<i style='display:none'>x</i>d",
    "entities": "<p>a &amp; b &lt;c&gt; &nbsp; &#269; &copy 1 &unknown; < d</p>",
    "implied ends": "<ul><li>a<li>b<ul><li>c</ul><li>d</ul><dl><dt>e<dd>f<dt>g</dl><p>h<p>i<div>j</div>k",
    "implied cells": "<table><tr><td>a<td>b<tr><th>c<td><table><tr><td>d</table>e</table>f",
    "end tags too many": "<main><p>a</div></p></section>b</main></main>c",
    "an end tag across a cell": "<div><table><tr><td>a</div>b</td></tr></table>c</div>d",
    "quotes and cases": "<DIV CLASS='a b' ID=c>a</DIV><div class = x role='main'>b</div>",
    "raw elements": "<title>x</title>a<textarea><p>x</textarea>b<style><p></style>c<script>'<p>'</script>d",
}
# Where a hidden paragraph ends, and that one within <x-z> ends the one around it, only a tree knows.
del ALIKE["deep nesting"], ALIKE["hidden parts"], ALIKE["elements that nobody knows"]


def drawn(outline: Outline) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """Return each paragraph with the names around it."""
    drawing = []
    for text, element in zip(outline.text, outline.place, strict=True):
        path = []
        while element:
            name = outline.names[outline.name[element]]
            path.append((name.tag, name.words.split()))
            element = outline.parent[element]
        drawing.append((text, path))
    return drawing


@pytest.mark.parametrize("name", ALIKE)
def test_tags_tell_what_the_tree_tells(name: str) -> None:
    """Big pages are not always hostile, and where their text stands matters as much."""
    outline = read_tags(ALIKE[name])
    outline.check()
    assert drawn(outline) == drawn(read_blocks(ALIKE[name]))


@pytest.mark.parametrize(
    "html",
    [
        "<section><table><tr><td>" + "<div>" * 190 + "</section>x" * 100_000,
        "<x-a>" * 100_000 + "</x-b>x" * 20_000,
        "<p class=" * 100_000,
        "<p " + "class='x' " * 200_000 + ">x",
        "<a>" * 120_000 + "x",
    ],
    ids=["end tags", "unknown ends", "attributes", "classes", "links"],
)
def test_no_page_is_read_in_more_than_linear_time(html: str) -> None:
    begun_at = time.process_time()
    read_tags(html).check()
    assert time.process_time() - begun_at < 5
