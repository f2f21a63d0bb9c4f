"""Escapes that mean the same are written the same."""

from tiptoe.url.escapes import tidy_escapes


def test_escapes_stay_only_where_they_mean_something() -> None:
    """`%2f` is not a slash, but `%7e` is a tilde."""
    assert tidy_escapes("/%7eu%2f%c3%a9%zz%") == "/~u%2F%C3%A9%zz%"
