"""Dates of the web, as people write them."""

import pytest

from tiptoe.parse.moments import moment_of

ONE_DAY = 86_400.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970", 0.0),
        ("1970-02", 31 * ONE_DAY),
        ("1970-01-02", ONE_DAY),
        (" 1970-01-02\n", ONE_DAY),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("1970-01-01T00:00:01.5Z", 1.5),
        ("1970-01-01 00:00:02", 2.0),
        ("0001-01-01T00:00:00+23:00", -62135679600.0),
        ("1970-01-01T00:00:03.123456789Z", 3.123456),
    ],
)
def test_moments_are_read_in_every_length(text: str, expected: float) -> None:
    """The sitemaps protocol allows dates from a year to a fraction of a second."""
    assert expected == moment_of(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-02 00:00:00 UTC", ONE_DAY),
        ("1970-01-02 01:00:00 +0100", ONE_DAY),
        ("1970-01-02 00:00:00 Z", ONE_DAY),
        ("Fri, 02 Jan 1970 00:00:00 GMT", ONE_DAY),
        ("2 Jan 1970 01:00:00 +0100", ONE_DAY),
        ("Fri, 02 Jan 1970 00:00:00", ONE_DAY),
        ("1970-01-02 12:00:00 AM", ONE_DAY),
        ("1970-01-01 12:00 PM", ONE_DAY / 2),
        ("1970/1/1 6:00 p.m.", ONE_DAY * 3 / 4),
        ("1970-01-01 18:00 PM", ONE_DAY * 3 / 4),
        ("1970-01-02T01:00:00+01:00[Europe/Prague]", ONE_DAY),
        ("Fri, 02 Jan 1970", ONE_DAY),
        ("January 2, 1970", ONE_DAY),
        ("2. ledna 1970", ONE_DAY),
    ],
)
def test_dates_of_databases_and_of_mail_are_read_too(text: str, expected: float) -> None:
    """Sitemaps have them although they should not, and feeds because they should."""
    assert expected == moment_of(text)


@pytest.mark.parametrize(
    "text",
    ["", "soon", "0000-00-00", "1970-13", "x" * 10_000, "1" * 61, "Fri, 99 Jan 1970", "9999-99-99T99:99",
     ",,,", "1970-01-01T00:00:00+99:99", "1970-01-01 99:00 PM", "1970[", "1970-01-01 PM"],
)  # fmt: skip
def test_what_is_no_date_is_none(text: str) -> None:
    """Nothing a site writes may end a harvester."""
    assert moment_of(text) is None
