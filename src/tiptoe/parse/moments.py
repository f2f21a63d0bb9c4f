"""Which moment does a sitemap or a feed mean?

Dates as people write them: in W3C format (`2024`, `2024-05`, `2024-05-01T12:00Z`) and mail format
(`Wed, 01 May 2024 12:00:00 GMT`), in sitemaps and feeds alike; also `2024/5/1`, `08:30 PM`, and the name of a
zone after its offset, as Java writes it; and days without a time, `Wed, 1 May 2024`. UTC if no zone is given;
None for anything else. Texts longer than any date are not examined.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tiptoe.parse.days import read_day

__all__ = ["moment_of"]

CHARS_MAX = 60
YEAR_OR_MONTH = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?")
LOOSE_DAY = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?![0-9])")
APART = re.compile(r" ?(?:UTC|GMT|Z)$| (?=[+-][0-9]{2}:?[0-9]{2}$)")
"""A space between time and zone, as databases write it."""
HALF_DAY = re.compile(r"\b([0-9]{1,2})(:[0-9]{2}(?::[0-9]{2})?) ?([AP])\.?M\.?$", re.IGNORECASE)
NAMED_ZONE = "["


def moment_of(text: str) -> float | None:
    """Return the moment that a date means, in seconds since 1970; None if it is not a date."""
    text = text.strip()
    if not 0 < len(text) <= CHARS_MAX:
        return None
    try:
        moment = _w3c_moment(text) if text[:4].isdigit() else parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return _day_moment(text)


def _day_moment(text: str) -> float | None:
    """Return the start of a day whose month is written as a word; numbers alone would be ambiguous."""
    is_named = ":" not in text and not text[:4].isdigit() and any(map(str.isalpha, text))
    day = read_day(text) if is_named else None
    return None if day is None else datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


def _w3c_moment(text: str) -> datetime:
    if short := YEAR_OR_MONTH.fullmatch(text):
        return datetime(int(short[1]), int(short[2] or 1), 1, tzinfo=UTC)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        text = LOOSE_DAY.sub(lambda day: f"{day[1]}-{day[2]:0>2}-{day[3]:0>2}", text, count=1)
        text = HALF_DAY.sub(_in_whole_days, text.partition(NAMED_ZONE)[0])
        return datetime.fromisoformat(APART.sub("", text))


def _in_whole_days(time: re.Match[str]) -> str:
    """Convert a 12-hour time to a 24-hour one."""
    hour = int(time[1])
    if hour <= 12:
        hour = hour % 12 + 12 * (time[3] in "Pp")
    return f"{hour:02}{time[2]}"
