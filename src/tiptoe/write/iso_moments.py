"""In which form do moments stand in what we write? ISO 8601 in UTC, to the microsecond, with a Z."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from tiptoe.write.record import iso_date

__all__ = ["iso_moment_of"]

CHARS_MAX: Final = 60


def iso_moment_of(text: str) -> str | None:
    """Return a moment that a server gave, as in HTTP or ISO 8601, in our form; None for what is none."""
    text = text[:CHARS_MAX].strip()
    try:
        moment = datetime.fromisoformat(text) if text[:1].isdigit() else parsedate_to_datetime(text)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return iso_date(seconds) if seconds >= 0 else None
