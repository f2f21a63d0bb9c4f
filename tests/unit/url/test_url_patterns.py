"""Regular expressions of operators, addresses of strangers."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.url.url_patterns import TOGETHER_MAX, UrlPatterns, compile_url_pattern

expressions = st.lists(st.sampled_from(["/a", "b$", "^http:", "(?i)C", "[0-9]{2}", "x|y"]), max_size=4)
urls = st.text("abcC019xy:/", max_size=12)


def test_an_address_built_to_be_slow_is_not() -> None:
    """What backtracks would not be done before the sun is cold."""
    evil = "http://a.example/" + "a" * 2000 + "!"
    began = time.process_time()
    assert not UrlPatterns(["(a+)+$", "(a|a)*b", ".*a.*a.*a.*a.*z"]).found_in(evil)
    assert time.process_time() - began < 1.0


@given(expressions, urls)
def test_they_are_found_as_if_each_were_searched_for(some: list[str], url: str) -> None:
    patterns = UrlPatterns(some)
    found = [one for one in some if re.search(one, url)]
    assert patterns.found_in(url) == bool(found)
    assert patterns.first_in(url) == (found[0] if found else None)


def test_many_are_searched_for_in_parts() -> None:
    patterns = UrlPatterns([f"/{number}$" for number in range(2 * TOGETHER_MAX + 1)])
    assert patterns.found_in(f"http://a.example/{2 * TOGETHER_MAX}")
    assert not patterns.found_in(f"http://a.example/{2 * TOGETHER_MAX + 1}")


def test_those_that_are_too_large_together_are_tried_apart() -> None:
    large = [f"({letter}{{500}}){{2}}" for letter in "abcdefghijklmnop"] * 6
    assert UrlPatterns(large).found_in("p" * 1000)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [("(?!a)", "(?!"), (r"(a)\1", "escape"), ("(", "missing"), ("a" * 5000, "longer than")],
)
def test_what_cannot_be_searched_for_in_time_is_refused(expression: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        compile_url_pattern(expression)
