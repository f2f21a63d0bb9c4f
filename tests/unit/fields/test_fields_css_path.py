"""CSS selectors choose what the parser would choose, and never take long."""

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from tiptoe.fields.css_path import CssError, compile_css
from tiptoe.fields.page_tree import PageTree
from tiptoe.fields.work_budget import TooCostly

PAGE = (
    '<div class="a b"><p>1<b>x</b></p><ul><li>2</li><li class=c>3</li><li>4</li></ul></div>'
    '<p title="a > b, c">5</p><section><div><p>6</p></div><p>7</p>text<p>8</p></section>'
)


@pytest.mark.parametrize(
    "selector",
    [
        "p", "div p", "div > p", "li + li", "li ~ .c", "p, li.c, ul", "div > ul > li:not(.c)",
        "ul:has(> .c) li", 'p[title="a > b, c"]', "div:is(.a, .b) b", "li:nth-child(2n+1)",
        "section > div ~ p", "section * p", "body div.a.b li:last-child", "p+p", "*|p", "ul li,ol li",
        "div  >  p", ".c:only-child", "x p",
    ],
)  # fmt: skip
def test_what_is_chosen_is_what_the_parser_would_choose(selector: str) -> None:
    """Whoever has tried a selector in a browser gets the same here, in the order of the page."""
    tree = LexborHTMLParser(PAGE)
    expected = [node.mem_id for node in tree.css(selector)]
    assert [node.mem_id for node in compile_css(selector).select(PageTree(tree))] == expected


def test_own_text_and_attributes_stand_behind_the_selector() -> None:
    assert compile_css("p::text").takes_own_text
    assert compile_css("div a::attr(HREF)").attribute == "href"


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("", "is empty"),
        ("a,,b", "is empty"),
        ("p >", "is empty"),
        ("p[", "not closed"),
        ('p[title="x]', "not closed"),
        ("p)", "closes nothing"),
        ("p:hover", ":hover is not understood"),
        ("p:lexbor-contains('a')", "not understood"),
        ("p:has(a b)", "single elements only"),
        ("p:not(:has(a))", "no other function"),
        ("p:nth-child(2 of .x)", "may hold a number"),
        ("a::before", "only ::text and ::attr"),
        ("1a", "is no selector"),
        ("a " * 30, "too long"),
        ("a" * 2000, "longer than"),
    ],
)
def test_what_is_wrong_is_said_when_the_rules_are_read(selector: str, said: str) -> None:
    with pytest.raises(CssError, match=said):
        compile_css(selector)


@pytest.mark.parametrize("shape", ["<div>", "<div></div>"])
@pytest.mark.parametrize(
    "selector",
    ["i div div div div div", "div > div div > div div", "i ~ div ~ div ~ div", "div:has(i) div:has(b)",
     "div:nth-last-child(3n)"],
)  # fmt: skip
def test_no_page_makes_a_selector_run_for_ever(shape: str, selector: str) -> None:
    """The parser by itself would take minutes, or years."""
    page = PageTree(LexborHTMLParser("<body>" + shape * 6000))
    began = time.process_time()
    try:
        compile_css(selector).select(page)
    except TooCostly:
        assert page.budget.left < 0
    assert time.process_time() - began < 3.0
