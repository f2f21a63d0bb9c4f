"""Text of shadow trees that are written in the page."""

import time

import pytest

from tiptoe.parse.html import read_page
from tiptoe.parse.nesting import HEAVY_TAGS
from tiptoe.parse.shadow import open_shadow_roots
from tiptoe.parse.tree_blocks import read_blocks


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<x-a><template shadowrootmode=open><p>b</p></template></x-a><p>c", ["b", "c"]),
        (
            "<div><template shadowrootmode='closed' class=x><p>b <slot></slot></p></template>c</div>",
            ["b", "c"],
        ),
        ("<x-a><TEMPLATE ShadowRootMode=open shadowrootmode=OPEN>b</TEMPLATE></x-a>", ["b"]),
        ("<p>a <x-a><template shadowrootmode=open>b</template></x-a> c", ["a b c"]),
        ("<template><p>x</p></template><p>a", ["a"]),
        ("<template data-shadowrootmode=open><p>x</p></template><p>a", ["a"]),
        ("<template shadowrootmode=none><p>x</p></template><p>a", ["a"]),
        ("<x-a><template shadowrootmode=open>b<template>x</template>c</template></x-a>", ["bc"]),
        ("<template>x<x-a><template shadowrootmode=open>x</template></x-a>x</template>a", ["a"]),
        ("<!-- <template shadowrootmode=open> --><template>x</template>a", ["a"]),
        ("<script>'<template shadowrootmode=open>'</script><template>x</template>a", ["a"]),
        ("<x-a><template shadowrootmode=open><style>x</style>b", ["b"]),
    ],
)
def test_a_shadow_tree_is_shown_in_its_place_and_a_template_is_not(html: str, expected: list[str]) -> None:
    assert read_page(html, agent="t", utf8=html.encode()).paragraphs == expected
    assert read_blocks(html, utf8=html.encode()).text == expected
    heavy = "<b></b>" * HEAVY_TAGS + html
    assert read_page(heavy, agent="t").paragraphs == expected


@pytest.mark.parametrize(
    "piece", ["<template shadowrootmode=open>", "<template ", "<!--", "<script>", "</template>", "<template>"]
)
def test_any_page_is_read_in_linear_time(piece: str) -> None:
    begun_at = time.process_time()
    open_shadow_roots("shadowrootmode" + piece * 200_000)
    assert time.process_time() - begun_at < 3
