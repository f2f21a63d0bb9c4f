"""Which day does a text mean?

Days as pages write them, for machines and for people, become `2024-05-01`. A moment keeps the day of its own
time zone: nobody reads a newspaper in UTC. None if there is no valid day.
"""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

from tiptoe.parse.month_names import MONTHS

__all__ = ["day_in_url", "read_day"]

CHARS_MAX: Final = 100
YEAR_MIN, YEAR_MAX = 1900, 2100
URL_YEAR_MIN: Final = 1990
"""Minimum year in a URL; smaller numbers are not years."""

_YEAR_FIRST = re.compile(r"(?<![0-9])([12][0-9]{3})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])")
_CJK = re.compile(r"([12][0-9]{3}) ?[年년] ?([0-9]{1,2}) ?[月월] ?([0-9]{1,2}) ?[日일]")
_COMPACT = re.compile(r"([12][0-9]{3})([01][0-9])([0-3][0-9])(?![0-9])")
_EPOCH = re.compile(r"([0-9]{10})(?:[0-9]{3})?(?:\.[0-9]+)?")
_YEAR_LAST = re.compile(r"(?<![0-9])([0-9]{1,2}) ?([./-]) ?([0-9]{1,2}) ?\2 ?([12][0-9]{3})(?![0-9])")
_NAMED = re.compile(
    r"(?<![0-9])([0-9]{1,2})(?:\.|st|nd|rd|th|er|º)?[ -](?:de |of )?"
    r"([^\W\d_]{3,12})\.?,?[ -](?:del? )?([12][0-9]{3})"
    r"|([^\W\d_]{3,12})\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([12][0-9]{3})"
    r"|([12][0-9]{3}) ([^\W\d_]{3,12})\.? ([0-9]{1,2})(?![0-9])"
)
_IN_URL = re.compile(r"[/_=-]([12][0-9]{3})([/_-]?)([01]?[0-9])\2([0-3]?[0-9])(?=[/_.&?#-]|[^0-9]|$)")


def read_day(text: str, *, is_month_first: bool = False) -> str | None:
    """Return the day that is written in a short text; `is_month_first` decides about 5/1/2024."""
    text = " ".join(text[: 2 * CHARS_MAX].split())[:CHARS_MAX]
    if not text:
        return None
    if found := _YEAR_FIRST.search(text):
        return _day(found[1], found[3], found[4])
    if text[0].isdigit():
        if found := _COMPACT.match(text):
            return _day(found[1], found[2], found[3])
        if found := _EPOCH.fullmatch(text):
            return _epoch_day(int(found[1]))
    if found := _YEAR_LAST.search(text):
        return _year_last(found, is_month_first=is_month_first)
    if found := _CJK.search(text):
        return _day(found[1], found[2], found[3])
    return _named_day(text)


def day_in_url(url: str) -> str | None:
    """Return the day in a URL such as /2024/05/01/title, as news sites and blogs write it."""
    path = url.partition("://")[2].partition("/")[2]
    for found in _IN_URL.finditer(f"/{path[:500]}"):
        if int(found[1]) >= URL_YEAR_MIN and (found[2] or len(found[3]) == len(found[4]) == 2):
            return _day(found[1], found[3], found[4])
    return None


def _year_last(found: re.Match[str], *, is_month_first: bool) -> str | None:
    first, second, year = int(found[1]), int(found[3]), found[4]
    if found[2] == ".":
        is_month_first = False
    if second > 12 or (is_month_first and first <= 12):
        first, second = second, first
    return _day(year, second, first)


def _named_day(text: str) -> str | None:
    for found in _NAMED.finditer(text):
        day, month = found[1] or found[5] or found[9], found[2] or found[4] or found[8]
        year = found[3] or found[6] or found[7]
        number = MONTHS.get(month.lower())
        if number is not None:
            return _day(year, number, day)
    return None


def _day(year: str | int, month: str | int, day: str | int) -> str | None:
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return None
    return found.isoformat() if YEAR_MIN <= found.year <= YEAR_MAX else None


def _epoch_day(seconds: int) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).date().isoformat()
