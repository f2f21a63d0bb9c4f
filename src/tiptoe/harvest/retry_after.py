"""How long does a server want us to stay away?"""

from email.utils import parsedate_to_datetime

from tiptoe.fetch.outcome import Answer

__all__ = ["retry_after"]


def retry_after(answer: Answer) -> float:
    """Return the seconds that Retry-After asks for; 0 when it does not."""
    value = answer.headers.get("retry-after", "").strip()
    if not value:
        return 0.0
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return max(0.0, moment - answer.started_at)
