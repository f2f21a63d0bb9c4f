"""Which time does a header give?"""

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

__all__ = ["http_moment"]

CHARS_MAX: Final = 60


def http_moment(text: str) -> float | None:
    """Return a time in any of HTTP's formats as seconds since 1970; None if it cannot be read."""
    try:
        moment = parsedate_to_datetime(text[:CHARS_MAX])
        # The asctime format has no time zone: it is UTC (RFC 9110, 5.6.7), whatever the zone of this machine.
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
