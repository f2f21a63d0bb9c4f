"""Escapes that mean the same are written the same."""

from tiptoe.url.escapes import tidy_escapes


def test_escapes_stay_only_where_they_mean_something() -> None:
    """`%2f` is not a slash, but `%7e` is a tilde."""
    assert tidy_escapes("/%7eu%2f%c3%a9%zz%") == "/~u%2F%C3%A9%zz%"


def test_a_percent_sign_that_escapes_nothing_does_not_become_an_escape() -> None:
    """`%%34%31` stands for the three characters `%41`, not for an `A`."""
    assert tidy_escapes("%%34%31") == "%%34%31"
    assert tidy_escapes("100%/%7e") == "100%/~"
