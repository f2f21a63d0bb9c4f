"""Paragraphs of pages that are read without a tree."""

import time

import pytest
from test_parse_tree_blocks import PAGES

from tiptoe.parse.flat import flatten
from tiptoe.parse.html import read_page
from tiptoe.parse.tagblocks import read_tags
from tiptoe.parse.tree_blocks import read_blocks
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
    "readings": "<ruby>漢字<rt>x</ruby>a<ruby>漢<rt>x<rp>x<rt>x</ruby>b<p>c",
    "a hidden span that the block around it ends": "<div>a<span style='display:none'>x</div>b",
    "a hidden span in a list": "<ul><li>a<span hidden>x<li>b</ul>c",
    "a hidden span in a table": "<table><tr><td>a<span hidden>x<td>b<select><option>x<td>c</table>d",
    "a hidden span in a paragraph": "<p>a<span hidden>x<p>b<span hidden>x<div>c</div>",
    "a hidden span in bold type": "<b>a<span hidden>x</b>b<b><div hidden>x</b>x</div>c",
    "a hidden block with blocks in it": "<div>a<span hidden><div>x</div>x</span>b</div>c",
    "open media": "<div>a<video>x</div>b<div><canvas>x</div>c<div><dialog>x</div>d<div><audio><p>x</div>e",
    "open choices": "<form>a<select><option>x<input>b<select><option>x<select>c</form>d",
    "many choices": "<select>" + "<option>x" * 200 + "</select>a",
    "hidden elements without content": "<keygen hidden>a<bgsound hidden>b<img hidden>c",
    "an open object": "<div><object>x</div>x</object>a",
    "open drawings": "<div>a<svg><g>x</div>b<svg><path>x<p>c",
    "text in a drawing": "<p>a<svg><foreignObject><p>x</p></foreignObject></svg>b",
    "controls and words": "a<input>b<select><option>x</select>c<textarea>x</textarea>d<p>e<video>x</video>f",
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


@pytest.mark.parametrize("name", ALIKE)
def test_a_flattened_page_has_the_same_paragraphs(name: str) -> None:
    """Both ways to read without a tree must agree on what is hidden, and where that ends."""
    flat = read_page(flatten(ALIKE[name]).html, agent="t")
    assert "".join(flat.paragraphs) == "".join(read_tags(ALIKE[name]).text)


@pytest.mark.parametrize(
    "html",
    [
        "<section><table><tr><td>" + "<div>" * 190 + "</section>x" * 100_000,
        "<x-a>" * 100_000 + "</x-b>x" * 20_000,
        "<p class=" * 100_000,
        "<p " + "class='x' " * 200_000 + ">x",
        "<a>" * 120_000 + "x",
        "<svg><desc>" + "<b>" * 119_000,
        "<div>" * 60_000 + "<span hidden>" * 30_000 + "</p></b><li>" * 10_000,
    ],
    ids=["end tags", "unknown ends", "attributes", "classes", "links", "drawn text", "hidden elements"],
)
def test_no_page_is_read_in_more_than_linear_time(html: str) -> None:
    begun_at = time.process_time()
    read_tags(html).check()
    assert time.process_time() - begun_at < 5
