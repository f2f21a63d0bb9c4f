"""Escapes that mean the same are written the same."""

from tiptoe.url.escapes import tidy_escapes, upper_escapes


def test_escapes_stay_only_where_they_mean_something() -> None:
    """`%2f` is not a slash, but `%7e` is a tilde."""
    assert tidy_escapes("/%7eu%2f%c3%a9%zz%") == "/~u%2F%C3%A9%zz%"


def test_upper_case_decodes_nothing() -> None:
    """Some readers of robots.txt keep `/%62` and `/b` apart."""
    assert upper_escapes("/%7eu%2f%c3") == "/%7Eu%2F%C3"


def test_a_percent_sign_that_escapes_nothing_does_not_become_an_escape() -> None:
    """`%%34%31` stands for the three characters `%41`, not for an `A`."""
    assert tidy_escapes("%%34%31") == "%%34%31"
    assert tidy_escapes("100%/%7e") == "100%/~"
