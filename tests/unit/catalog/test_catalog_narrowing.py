"""Does a link of a facet ask for what it says, whatever the query and the value?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.catalog.narrowing import facet_condition, narrowed, widened
from tiptoe.catalog.query import HasValue, WithinRange
from tiptoe.catalog.query_parser import QueryMistake, parse_query


@pytest.mark.parametrize(
    ("facet", "value", "condition"),
    [
        ("language", "cs", "lang:cs"),
        ("site", "example.cz", "site:example.cz"),
        ("site", "::1", 'site:"::1"'),
        ("site", "-a.example", 'site:"-a.example"'),
        ("type", "application/rdf+xml", "type:application/rdf+xml"),
        ("type", "a b (c)", 'type:"a b (c)"'),
        ("date", "2026-11", "date:2026-11"),
        ("date", "soon", ""),
        ("usability", "0.2–0.4", "usability:0.2..0.399999"),
        ("usability", "0.8–1.0", "usability:0.8.."),
        ("usability", "high", ""),
        ("language", 'x"y', ""),
        ("language", "=cs", ""),
        ("language", "a\u202eb", ""),
    ],
)
def test_a_value_becomes_a_condition_that_can_be_typed(facet: str, value: str, condition: str) -> None:
    assert facet_condition(facet, value) == condition


@given(value=st.text(min_size=1, max_size=20))
def test_whatever_the_value_the_condition_means_it_or_there_is_none(value: str) -> None:
    condition = facet_condition("site", value)
    assert condition == "" or parse_query(condition) == HasValue("site", value)


def test_bands_do_not_overlap() -> None:
    first, second = (parse_query(facet_condition("usability", band)) for band in ("0.2–0.4", "0.4–0.6"))
    assert isinstance(first, WithinRange)
    assert isinstance(second, WithinRange)
    assert first.high is not None
    assert first.high + 1 == second.low


@pytest.mark.parametrize(
    ("query", "narrow"),
    [
        ("", "lang:cs"),
        ("voda", "voda lang:cs"),
        ("voda řeka", "voda řeka lang:cs"),
        ("voda OR řeka", "(voda OR řeka) lang:cs"),
        ("(voda OR řeka)", "(voda OR řeka) lang:cs"),
        ("-voda", "-voda lang:cs"),
        ("voda type:pdf", "voda type:pdf lang:cs"),
    ],
)
def test_what_was_narrowed_can_be_widened(query: str, narrow: str) -> None:
    assert narrowed(query, "lang:cs") == narrow
    wide = widened(narrow, "lang:cs")
    assert wide is not None
    assert parse_query(wide) == parse_query(query)


@pytest.mark.parametrize(
    "query",
    ["voda", "NOT lang:cs", "-lang:cs", "lang:cs OR voda", "(a lang:cs) OR b", "voda lang:csb", '"lang:cs"'],
)
def test_what_is_asked_in_another_way_is_not_taken_for_a_narrowing(query: str) -> None:
    assert widened(query, "lang:cs") is None


def test_a_query_that_is_full_is_not_narrowed() -> None:
    with pytest.raises(QueryMistake, match="longer than"):
        narrowed("v" * 1999, "lang:cs")
