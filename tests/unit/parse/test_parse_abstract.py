"""What pages say about themselves to machines."""

import pytest

from tiptoe.parse.abstract import CHARS_MAX
from tiptoe.parse.tagblocks import read_tags
from tiptoe.parse.tree_blocks import read_blocks

PAGES = {
    "descriptions": (
        "<meta name=description content='a &lt;b'><META PROPERTY='og:description' CONTENT=c><p>x",
        "a <b\nc",
    ),
    "structured data in the head": (
        "<head><script type='application/ld+json'>{'a': '<b>'}</script></head><p>x",
        "{'a': '<b>'}",
    ),
    "structured data in the body": (
        "<meta name=Description content=a><p>x</p><div><script type='application/LD+JSON'>b</script></div>y",
        "a\nb",
    ),
    "other metadata": ("<meta charset=utf-8><meta name=author content=a><meta name=description><p>x", ""),
    "other scripts": ("<script>a</script><p>x<script type='application/json'>b</script><p>y", ""),
    "hidden data": ("<div hidden><script type='application/ld+json'>a</script></div><p>x", ""),
    "nothing": ("<p>x", ""),
    "no body": ("<meta name=description content=a><frameset></frameset>", "a"),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_abstract_is_read_with_and_without_a_tree(name: str) -> None:
    html, abstract = PAGES[name]
    assert read_blocks(html).abstract == abstract
    assert read_tags(html).abstract == abstract


def test_no_page_makes_its_abstract_long() -> None:
    html = f"<meta name=description content='{'a ' * CHARS_MAX}'><meta name=description content=b><p>x"
    for outline in (read_blocks(html), read_tags(html)):
        assert len(outline.abstract) == CHARS_MAX
