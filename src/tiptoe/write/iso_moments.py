"""In which form are moments written? ISO 8601 in UTC, to the microsecond, with a Z."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from tiptoe.write.record import iso_date

__all__ = ["iso_moment_of"]

CHARS_MAX: Final = 60

_HTTP = re.compile(
    r"[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) (19[7-9][0-9]|20[0-9]{2}) ([0-9]{2}:[0-9]{2}:[0-9]{2}) GMT"
)
"""The form of HTTP dates that nearly all servers use; parsing any other takes seven times as long."""

_MONTHS: Final = {
    "Jan": "01", "Feb": "02", "Mar": "03", "Apr": "04", "May": "05", "Jun": "06", "Jul": "07", "Aug": "08",
    "Sep": "09", "Oct": "10", "Nov": "11", "Dec": "12",
}  # fmt: skip


def iso_moment_of(text: str) -> str | None:
    """Return a moment that a server gave, as in HTTP or ISO 8601, in our form; None if it is not a moment."""
    text = text[:CHARS_MAX].strip()
    try:
        usual = _HTTP.fullmatch(text)
        if usual is not None and (month := _MONTHS.get(usual[2])):
            moment = f"{usual[3]}-{month}-{usual[1]}T{usual[4]}"
            datetime.fromisoformat(moment)  # ValueError if there is no such moment
            return f"{moment}.000000Z"
        return _iso_moment_of(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _iso_moment_of(text: str) -> str | None:
    moment = datetime.fromisoformat(text) if text[:1].isdigit() else parsedate_to_datetime(text)
    seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return iso_date(seconds) if seconds >= 0 else None
