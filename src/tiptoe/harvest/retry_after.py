"""How long does a server want us to stay away?"""

import re
from typing import Final

from tiptoe.fetch.http_date import http_moment
from tiptoe.fetch.outcome import Answer

__all__ = ["retry_after"]

SECONDS: Final = re.compile(r"[0-9]{1,9}")


def retry_after(answer: Answer) -> float:
    """Return the seconds that Retry-After asks for; 0 when it does not."""
    value = answer.headers.get("retry-after", "").strip()
    if not value:
        return 0.0
    moment = http_moment(value) if not value.isdigit() else None
    if moment is not None:
        return max(0.0, moment - answer.started_at)
    # Also `120.5`, `120s` and repeated fields: a badly written wish is still a wish.
    seconds = SECONDS.match(value)
    return float(seconds[0]) if seconds else 0.0
