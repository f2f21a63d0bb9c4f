"""What a query means, and what is said of one that means nothing."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.catalog.query import (
    AllOf,
    AnyOf,
    AnyPage,
    HasValue,
    HasWords,
    NoneOf,
    WithinRange,
    has_scores,
    words_sought,
)
from tiptoe.catalog.query_parser import QueryMistake, parse_query
from tiptoe.catalog.search import check_page
from tiptoe.errors import SettingsError

VODA = HasWords(("voda",))
KUN = HasWords(("kun",))
DAY = 24 * 3600 * 1000


@pytest.mark.parametrize(
    ("query", "meaning"),
    {
        "": AnyPage(),
        "  ": AnyPage(),
        "Vodá": VODA,
        "voda kůň": AllOf((VODA, KUN)),
        "voda AND kůň": AllOf((VODA, KUN)),
        "voda OR kůň": AnyOf((VODA, KUN)),
        "voda -kůň": AllOf((VODA, NoneOf(KUN))),
        "NOT voda": NoneOf(VODA),
        "a b OR c": AnyOf((AllOf((HasWords(("a",)), HasWords(("b",)))), HasWords(("c",)))),
        "(voda OR kun) a": AllOf((AnyOf((VODA, KUN)), HasWords(("a",)))),
        '"AND"': HasWords(("and",)),
        '"pitná voda"': HasWords(("pitna", "voda")),
        "=vodá": HasWords(("vodá",), is_exact=True),
        '="Pitná Voda"': HasWords(("pitná", "voda"), is_exact=True),
        "vod*": HasWords(("vod",), is_prefix=True),
        "a-b": HasWords(("a", "b")),
        "title:voda": HasWords(("voda",), "title"),
        "title:(voda OR kun)": AnyOf((HasWords(("voda",), "title"), HasWords(("kun",), "title"))),
        "Language:CS": HasValue("lang", "cs"),
        'site:"www.example.cz"': HasValue("site", "www.example.cz"),
        "field.price:sto": HasWords(("sto",), "field.price"),
        "length:100..200": WithinRange("length", 100, 200),
        "length:100..": WithinRange("length", 100, None),
        "depth:2": WithinRange("depth", 2, 2),
        "usability:..0.25": WithinRange("usability", None, 250_000),
        "date:1970-01-02": WithinRange("date", DAY, 2 * DAY - 1),
        "date:1970-02": WithinRange("date", 31 * DAY, 59 * DAY - 1),
        "date:1970..1971": WithinRange("date", 0, 730 * DAY - 1),
        "date:1960..": WithinRange("date", 0, None),  # moments are counted from 1970 on
        "modified:..1960": WithinRange("modified", None, 0),
        "usability:.5..": WithinRange("usability", 500_000, None),
        "usability:.25...5": WithinRange("usability", 250_000, 500_000),
        "site:Příklad.CZ": HasValue("site", "xn--pklad-zsa96e.cz"),
        "site:[::1]": HasValue("site", "::1"),
    }.items(),
)
def test_a_query_means_what_it_says(query: str, meaning: object) -> None:
    assert parse_query(query) == meaning


@pytest.mark.parametrize(
    ("query", "place", "said"),
    [
        ("foo:bar", 0, "no field is called foo"),
        ('a "b', 2, 'a " without its end'),
        ("a (b", 2, "a ( without its )"),
        ("a) b", 1, "a ) without its ("),
        ("a AND", 5, "it ends too early"),
        ("OR a", 0, "OR with nothing before it"),
        ("a ()", 3, ") with nothing before it"),
        ("a OR:b", 2, "no field is called OR"),
        ("lang:", 0, None),
        ("title:", 0, "title: without a value"),
        ("date:yesterday", 5, "yesterday is not what this field holds"),
        ("date:2026-13", 5, "2026-13 is not what this field holds"),
        ("usability:7", 10, "7 is not what this field holds"),
        ("lang:czech", 5, "czech is no code of a language"),
        ("length:9..2", 7, "a range that ends before it begins"),
        ("length:..", 7, "a range without bounds"),
        ("v*", 0, "v* would find too much"),
        ("!!!", 0, "!!! has no word in it"),
        ("title:site:x", 6, "a field within a field"),
        ("author:=x", 7, "exact spelling is not known of author"),
        ("(" * 30 + "a" + ")" * 30, 20, "more than 20 brackets in one another"),
        (" ".join("abcdefghij" * 7), 128, "more than 64 conditions"),
        ("a" * 3000, 2000, "longer than 2000 characters"),
    ],
)
def test_a_mistake_says_where_it_is_and_what_to_try(query: str, place: int, said: str | None) -> None:
    with pytest.raises(QueryMistake) as caught:
        parse_query(query)
    assert caught.value.place == place
    assert said is None or caught.value.problem == said
    assert caught.value.remedy
    assert f"at character {place + 1}" in str(caught.value)


@given(st.text(alphabet='abř :"()*=-.~^ANDORT0123456789\n\x00日', max_size=80) | st.text(max_size=200))
def test_whatever_is_typed_is_a_query_or_a_mistake(query: str) -> None:
    with contextlib.suppress(QueryMistake):
        parse_query(query)


def test_words_that_must_not_be_there_are_not_shown_as_found() -> None:
    condition = parse_query("voda title:kun -nic (text:a OR lang:cs)")
    assert [one.words[0] for one in words_sought(condition, frozenset({"text"}))] == ["voda", "a"]
    assert has_scores(condition)
    assert not has_scores(parse_query("lang:cs -voda"))


@pytest.mark.parametrize(("page", "limit"), [(0, 10), (1, 0), (1, 1001), (1001, 10)])
def test_nobody_pages_beyond_all_measure(page: int, limit: int) -> None:
    with pytest.raises(SettingsError):
        check_page(page, limit)
    assert check_page(3, 10) == 20
