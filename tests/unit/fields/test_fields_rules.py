"""Rules are read, checked, remembered, and carried out where they are meant to be."""

import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from tiptoe.errors import SettingsError
from tiptoe.fields.field_rule import LINE_CHARS_MAX, from_lines, to_lines
from tiptoe.fields.page_tree import PageTree
from tiptoe.fields.rule_book import RuleBook
from tiptoe.fields.rule_file import read_rules
from tiptoe.fields.work_budget import WorkBudget

RULES = """
[[rule]]
name = "books"
hosts = ["shop.example"]
paths = ["/book/*"]

[rule.fields]
price = { css = "span.price", type = "number" }
isbn = { xpath = "//dt[.='ISBN']/following-sibling::dd[1]" }
rating = { jsonld = "Product.rating", type = "number" }
section = { meta = "article:section" }
tags = { css = "a.tag", type = "list" }
cover = { css = "img.cover", type = "url" }
added = { css = ["time::attr(datetime)", ".date"], type = "date" }
title = "h1"

[[rule]]
name = "anywhere"
[rule.fields.title]
css = "h2"
"""
PAGE = """<meta property="Article:section" content="Próza"><base href="/static/">
<h1>Mlýn<br>u <i>ř</i>eky<script>code</script></h1><h2>Druhý</h2><span class=price>1 299,50 Kč</span>
<dl><dt>ISBN</dt><dd>978</dd></dl><a class=tag>x</a><a class=tag>y</a><img class=cover src="c.jpg">
<p class=date>1. 5. 2024</p>"""


def book(text: str = RULES) -> RuleBook:
    found = read_rules(text, "fields.toml")
    assert found.problems == []
    return RuleBook(found.rules)


def page(url: str, html: str = PAGE) -> PageTree:
    return PageTree(LexborHTMLParser(html), url=url)


def test_every_kind_of_selector_gives_a_typed_value() -> None:
    assert book().read(page("https://www.shop.example/book/1")).values == {
        "price": 1299.5, "isbn": "978", "rating": None, "section": "Próza", "tags": ["x", "y"],
        "cover": "https://www.shop.example/static/c.jpg", "added": "2024-05-01", "title": "Mlýn u řeky",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("url", "rules"),
    [
        ("https://shop.example/book/1", ["books", "anywhere"]),
        ("http://a.shop.example:8080/book/", ["books", "anywhere"]),
        ("https://shop.example/about", ["anywhere"]),
        ("https://othershop.example/book/1", ["anywhere"]),
        ("about:blank", ["anywhere"]),
    ],
)
def test_rules_hold_for_their_hosts_and_paths(url: str, rules: list[str]) -> None:
    assert [rule.name for rule in book().rules_for(url)] == rules


def test_a_document_has_all_fields_whatever_rules_are_meant_for_it() -> None:
    """All lines of a corpus have one form."""
    read = book().read(page("https://other.example/"))
    assert list(read.values) == ["price", "isbn", "rating", "section", "tags", "cover", "added", "title"]
    assert {name for name, value in read.values.items() if value is not None} == {"title"}


def test_the_first_rule_that_finds_a_value_counts() -> None:
    read = book().read(page("https://shop.example/book/1", "<h2>Druhý</h2>"))
    assert read.values["title"] == "Druhý"
    assert [(one.rule, one.value) for one in read.findings if one.field == "title"] == [
        ("books", None), ("anywhere", "Druhý"),
    ]  # fmt: skip


def test_a_rule_that_takes_too_long_leaves_its_field_empty_and_says_so() -> None:
    tree = page("https://shop.example/book/1")
    tree.budget = WorkBudget(5)
    read = book().read(tree)
    assert "books.price" in read.cut_off
    assert read.values["price"] is None


def test_rules_travel_as_lines() -> None:
    rules = read_rules(RULES, "f").rules
    lines = to_lines(rules)
    assert from_lines(lines) == rules
    assert all(line.isascii() and line.isprintable() for line in lines)
    with pytest.raises(SettingsError, match="line 1"):
        from_lines(["{}"])


HEAD = '[[rule]]\nname = "a"\n[rule.fields]\n'
OTHER = HEAD.replace('"a"', '"b"')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f:0?.*there is no rule"),
        ("x = 1\n" + HEAD + 'a = "p"', "x: no such key"),
        ("[rule]\nname = 1", "two brackets"),
        ("[[rule]", "f:1: "),
        ('[[rule]]\n[rule.fields]\na = "p"', "f:1: rule 1: name: give it one"),
        (HEAD + 'a = "p"\n' + HEAD + 'b = "p"', "f:5: rule 2: name: there is another rule a"),
        ('[[rule]]\nname = "a"\n', "f:1: rule a: it has no fields"),
        ('[[rule]]\nname = "a"\nhost = "x"\n[rule.fields]\na = "p"', "host: no such key; did you mean hosts"),
        ('[[rule]]\nname = "a"\nhosts = ["https://x/"]\n[rule.fields]\na = "p"', "is no host"),
        ('[[rule]]\nname = "a"\nhosts = 3\n[rule.fields]\na = "p"', "hosts: a list of texts"),
        ('[[rule]]\nname = "a"\npaths = ["x"]\n[rule.fields]\na = "p"', "does not begin with /"),
        (HEAD + "\nprice = 3", "f:5: rule a, field price: write {"),
        (HEAD + 'Price = "p"', "small letters"),
        (HEAD + 'a = { css = "p", typ = "number" }', "typ: no such key; did you mean type"),
        (HEAD + 'a = { css = "p", type = "nmber" }', "did you mean number"),
        (HEAD + 'a = { type = "text" }', "where is it"),
        (HEAD + 'a = { css = "p[" }', r"f:4: rule a, field a: css = 'p\[': a bracket is not closed"),
        (HEAD + 'a = { xpath = "//a[" }', "it ends too early"),
        (HEAD + 'a = { jsonld = "x" }', "has no property"),
        (HEAD + "a = { css = 3 }", "is empty"),
        (HEAD + 'a = { meta = "" }', "names a META tag"),
        (HEAD + 'a = { css = "p", attribute = "a b" }', "no name of an attribute"),
        (HEAD + 'a = { css = "p", decimal = ";" }', "decimal: ';' is none of"),
        (HEAD + 'a = "p"\n' + OTHER + 'a = { css = "p", type = "list" }', "one type in all"),
        (HEAD + f"a = {{ css = {['b' * 900] * 12} }}", "make two rules"),
        (HEAD + "\n".join(f'a{number} = "p"' for number in range(101)), "101 fields; at most 100"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_said_with_line_and_rule(text: str, said: str) -> None:
    """Nobody should have to find out from an empty corpus."""
    problems = read_rules(text, "f").problems
    assert any(re.search(said, problem) for problem in problems), problems
    assert LINE_CHARS_MAX == 10_000
