"""Reservation of rights for text and data mining."""

import pytest

from tiptoe.parse.rights import RULES_MAX, TdmRule, combine, read_reservation, read_tdmrep, tdm_reserved


def test_a_file_is_read_rule_by_rule() -> None:
    body = b"""\xef\xbb\xbf[{"location": "/a/*", "tdm-reservation": 1, "tdm-policy": "https://a.example/p"},
    {"location": "b", "tdm-reservation": "0"}, {"location": "/c"}, {"tdm-reservation": 1}, 7, null,
    {"location": 3, "tdm-reservation": 1}, {"location": "/d", "tdm-reservation": 2}]"""
    assert read_tdmrep(body) == [TdmRule("/a/*", True, "https://a.example/p"), TdmRule("/b", False)]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"7", b'"x"', b"\xff\xfe", b"[" * 100_000, b"<html>", b'[{"location":"\xff"}]'],
)
def test_what_is_no_such_file_holds_no_rules(body: bytes) -> None:
    """Servers answer 200 with their home page for everything."""
    assert read_tdmrep(body) == []


def test_the_number_of_rules_is_bounded() -> None:
    body = b"[" + b",".join([b'{"location":"/","tdm-reservation":1}'] * (RULES_MAX + 9)) + b"]"
    assert len(read_tdmrep(body)) == RULES_MAX


def test_a_single_rule_needs_no_list() -> None:
    assert read_tdmrep(b'{"location": "/", "tdm-reservation": 1}') == [TdmRule("/", True)]


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/", "/anything", True),
        ("/a", "/ab?c", True),
        ("/a$", "/ab", None),
        ("/a$", "/a", True),
        ("/*.pdf$", "/x/y.pdf", True),
        ("/*.pdf$", "/x/y.pdf?z", None),
        ("*/img/*", "/a/img/b", True),
        ("/a*b*c", "/a-c-b", None),
        ("/a*a$", "/a", None),
        ("/a*$", "/abc", True),
    ],
)
def test_patterns_match_as_in_robots_txt(pattern: str, path: str, expected: bool | None) -> None:
    assert tdm_reserved([TdmRule(pattern, True)], path) is expected


def test_the_first_rule_that_matches_decides() -> None:
    rules = [TdmRule("/free/", False), TdmRule("/", True)]
    assert [tdm_reserved(rules, path) for path in ("/free/a", "/b")] == [False, True]
    assert tdm_reserved([], "/") is None


def test_a_pattern_of_stars_costs_no_more_than_its_length() -> None:
    """A backtracking matcher would never come back."""
    assert tdm_reserved([TdmRule("/" + "*a" * 900 + "$", True)], "/" + "a" * 2000 + "b") is None


@pytest.mark.parametrize(
    ("header", "meta", "well_known", "expected"),
    [
        (None, None, None, False),
        (None, None, True, True),
        (False, None, True, False),
        (True, False, True, False),
        (False, True, False, True),
    ],
)
def test_the_statement_nearest_to_the_document_counts(
    header: bool | None, meta: bool | None, well_known: bool | None, expected: bool
) -> None:
    assert combine(header, meta, well_known) is expected


def test_only_one_and_zero_say_something() -> None:
    values = ["1", " 0 ", 1, 0, "yes", None, "", 1.0]
    assert [read_reservation(value) for value in values] == [True, False, True, False, None, None, None, None]
