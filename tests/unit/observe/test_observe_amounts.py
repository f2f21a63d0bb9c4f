"""How an amount is said to people."""

import pytest

from tiptoe.observe.amounts import Amount, Cell, Share, amount_text, cell_text, counted, human_share


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (1500, "bytes", "1.5 kB"),
        (0.0515, "seconds", "51.5 ms"),
        (5.64e-7, "seconds", "< 1 ms"),
        (1, "characters", "1 character"),
        (1, "addresses", "1 address"),
        (0, "seconds", "0.0 s"),
        (61, "seconds", "1 min 01 s"),
        (12.5, "%", "12.5 %"),
        (12345, "pages", "12 345 pages"),
        (0.333333, "", "0.333"),
    ],
)
def test_a_unit_decides_how_its_number_is_said(value: float, unit: str, expected: str) -> None:
    assert amount_text(value, unit) == expected


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [(1, 2, "50.0 %"), (1, 1_000_000, "< 0.1 %"), (0, 5, "0.0 %"), (1, 0, "-")],
)
def test_what_is_there_is_never_said_to_be_nothing(part: float, whole: float, expected: str) -> None:
    assert human_share(part, whole) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("text", "text"),
        (1234, "1 234"),
        (0.5, "0.5"),
        (Amount(2e6, "bytes"), "2.0 MB"),
        (Share(1, 4), "25.0 %"),
    ],
)
def test_a_cell_holds_text_numbers_amounts_and_shares(cell: Cell, expected: str) -> None:
    assert cell_text(cell) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(0, "0 hosts"), (1, "1 host"), (2, "2 hosts"), (1234, "1 234 hosts")]
)
def test_one_is_not_said_as_many(value: int, expected: str) -> None:
    assert counted(value, "host") == expected


def test_words_with_another_plural_have_it() -> None:
    assert counted(1, "address", "addresses") == "1 address"
    assert counted(2, "address", "addresses") == "2 addresses"
