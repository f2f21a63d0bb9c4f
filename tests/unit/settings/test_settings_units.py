"""How are spans of time and amounts of bytes written?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.settings.units import format_duration, format_size, parse_duration, parse_size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5s", 5.0),
        ("1m30s", 90.0),
        ("250ms", 0.25),
        ("2h", 7200.0),
        ("1d", 86400.0),
        ("1.5", 1.5),
        ("0", 0.0),
    ],
)
def test_a_duration_is_read_as_people_write_it(text: str, seconds: float) -> None:
    assert seconds == parse_duration(text)


@pytest.mark.parametrize(
    "text", ["", "5 apples", "-5s", "s", "5s5", "1e9s", "5" * 40, "1s" * 1000, "nan", "inf"]
)
def test_what_is_not_a_duration_is_refused(text: str) -> None:
    """A delay that was misread would be paid for by other people's servers."""
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (5.0, "5s"),
        (90.0, "1m30s"),
        (0.25, "250ms"),
        (86400.0, "24h"),
        (0.0, "0s"),
        (1.5, "1500ms"),
        (3601.0, "1h1s"),
    ],
)
def test_a_duration_is_shown_in_its_shortest_form(seconds: float, text: str) -> None:
    assert text == format_duration(seconds)


@given(st.integers(0, 10**10))
def test_a_duration_shown_can_be_read_back(millis: int) -> None:
    """`tiptoe config --format toml` must give the settings it was made from."""
    assert pytest.approx(millis / 1000) == parse_duration(format_duration(millis / 1000))


@pytest.mark.parametrize(
    ("text", "amount"),
    [("10MiB", 10 << 20), ("1GB", 10**9), ("2 kb", 2000), ("1.5KiB", 1536), ("17", 17), ("0B", 0)],
)
def test_a_size_is_read_as_people_write_it(text: str, amount: int) -> None:
    assert amount == parse_size(text)


@pytest.mark.parametrize("text", ["", "10XB", "MiB", "-1MB", "ib", "1ib", "9" * 30])
def test_what_is_not_a_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a size"):
        parse_size(text)


@given(st.integers(0, 10**14))
def test_a_size_shown_can_be_read_back(amount: int) -> None:
    assert amount == parse_size(format_size(amount))


def test_a_size_is_shown_in_the_unit_it_was_meant_in() -> None:
    assert [format_size(n) for n in (10 << 20, 10**9, 2000, 1537)] == ["10MiB", "1GB", "2kB", "1537B"]
