"""Days as pages write them."""

import pytest

from tiptoe.parse.days import day_in_url, read_day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-01", "2024-05-01"),
        ("2024-05-01T23:30:00-05:00", "2024-05-01"),  # where it was written it was still the first
        (" 2024/5/1 ", "2024-05-01"),
        ("20240501", "2024-05-01"),
        ("20240501T120000Z", "2024-05-01"),
        ("1714557600", "2024-05-01"),
        ("1714557600000", "2024-05-01"),
        ("Wed, 01 May 2024 12:00:00 GMT", "2024-05-01"),
        ("1. 5. 2024", "2024-05-01"),
        ("01.05.2024 12:00", "2024-05-01"),
        ("Published on May 1st, 2024 by", "2024-05-01"),
        ("Sept. 3, 2019", "2019-09-03"),
        ("2023 Jan 7", "2023-01-07"),
        ("Publié le 1er mai 2024", "2024-05-01"),
        ("1 de mayo del 2024", "2024-05-01"),
        ("1. marts 2024", "2024-03-01"),
        ("1. desember 2024", "2024-12-01"),
        ("1. toukokuuta 2024", "2024-05-01"),
        ("1 mai 2024", "2024-05-01"),
        ("1 de mayo de 2024", "2024-05-01"),
        ("1. května 2024", "2024-05-01"),
        ("1 maja 2024, 10:00", "2024-05-01"),
        ("1 мая 2024", "2024-05-01"),
        ("1 Μαΐου 2024", "2024-05-01"),
        ("2024年5月1日", "2024-05-01"),
        ("2024년 5월 1일", "2024-05-01"),
        ("2024-13-01", None),
        ("2024", None),
        ("2024-05", None),
        ("0000-00-00", None),
        ("May we 2 2024", None),
        ("yesterday", None),
        ("", None),
        ("1" * 10_000, None),
    ],
)
def test_a_day_is_read_however_it_is_written(text: str, expected: str | None) -> None:
    assert read_day(text) == expected


def test_the_language_decides_what_nobody_could_tell() -> None:
    assert read_day("5/1/2024", is_month_first=True) == "2024-05-01"
    assert read_day("5/1/2024") == "2024-01-05"
    assert read_day("5/13/2024") == read_day("13/5/2024", is_month_first=True) == "2024-05-13"
    assert read_day("5.1.2024", is_month_first=True) == "2024-01-05"  # nobody in America writes points


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/2024/05/01/title", "2024-05-01"),
        ("https://a.example/news/2024-05-01-title.html", "2024-05-01"),
        ("https://a.example/zpravy_20240501_x", "2024-05-01"),
        ("https://2024-05-01.example/", None),
        ("https://a.example/item-202405012", None),
        ("https://a.example/1200/5/1", None),
        ("https://a.example/2024/5", None),
        ("about:blank", None),
    ],
)
def test_addresses_of_news_have_a_day(url: str, expected: str | None) -> None:
    assert day_in_url(url) == expected
