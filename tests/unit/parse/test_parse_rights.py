"""Reservation of rights for text and data mining."""

import pytest

from tiptoe.parse.rights import (
    BODY_BYTES_MAX,
    RULES_MAX,
    TdmRule,
    combine,
    read_reservation,
    read_tdmrep,
    tdm_reserved,
)


def test_a_file_is_read_rule_by_rule() -> None:
    body = b"""\xef\xbb\xbf[{"location": "/a/*", "tdm-reservation": 1, "tdm-policy": "https://a.example/p"},
    {"location": "b", "tdm-reservation": "0"}, {"location": "/c"}, {"tdm-reservation": 1}, 7, null,
    {"location": 3, "tdm-reservation": 1}, {"location": "/d", "tdm-reservation": 2}]"""
    assert read_tdmrep(body) == [TdmRule("/a/*", True, "https://a.example/p"), TdmRule("/b", False)]


@pytest.mark.parametrize(
    "body",
    [
        b"", b" ", b"null", b"7", b'"x"', b"\xff\xfe", b"[" * 100_000 + b"]", b"<html>",
        b'[{"location":"\xff"}]', b"[{,}]", b"{a: 1}", b"Not found", b"<html>" * BODY_BYTES_MAX,
    ],
)  # fmt: skip
def test_what_is_no_such_file_holds_no_rules(body: bytes) -> None:
    """Servers answer 200 with their home page for everything."""
    assert read_tdmrep(body) == []


RULE = b'{"location": "/", "tdm-reservation": 1}'


@pytest.mark.parametrize(
    "body", [b"{", RULE[:-1], b"[" + RULE, b"[" + RULE + b",", b"\xef\xbb\xbf\n[" + RULE[:20], b"[" * 100_000]
)
def test_a_file_that_ends_too_early_says_nothing_that_counts(body: bytes) -> None:
    """What is missing may be the reservation; a server that hangs up does not say so."""
    assert read_tdmrep(body) is None


@pytest.mark.parametrize("body", [b"", b"[", b"[" + RULE + b"]", b"\x1f\x8b\xff"])
def test_a_file_of_which_a_part_is_known_to_be_missing_says_nothing_that_counts(body: bytes) -> None:
    assert read_tdmrep(body, is_whole=False) is None


def test_a_file_longer_than_we_read_says_nothing_that_counts() -> None:
    body = b"[" + b",".join([RULE] * (BODY_BYTES_MAX // len(RULE))) + b"]"
    assert len(body) > BODY_BYTES_MAX
    assert read_tdmrep(body) is None


@pytest.mark.parametrize("page", [b"<!doctype html><p>Not", b"\xef\xbb\xbf\n <html>\xc5"])
def test_a_page_in_its_place_holds_no_rules_also_when_it_was_cut(page: bytes) -> None:
    """A long home page for everything is common."""
    assert read_tdmrep(page, is_whole=False) == []


def test_what_rules_beyond_count_are_about_counts_as_reserved() -> None:
    """They are not read, and may reserve it."""
    free = b'{"location":"/free/","tdm-reservation":0}'
    rules = read_tdmrep(b"[" + b",".join([free] * (RULES_MAX + 9)) + b"]")
    assert rules is not None
    assert len(rules) == RULES_MAX + 1
    assert [tdm_reserved(rules, path) for path in ("/free/a", "/b")] == [False, True]


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
