"""Which moment does a header name?"""

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

__all__ = ["http_moment"]

CHARS_MAX: Final = 60


def http_moment(text: str) -> float | None:
    """Return the moment that a server gave, in any form of HTTP, in seconds since 1970; None for none."""
    try:
        moment = parsedate_to_datetime(text[:CHARS_MAX])
        # The form of asctime has no zone: it is UTC (RFC 9110, 5.6.7), wherever this machine stands.
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
