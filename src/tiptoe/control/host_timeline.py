"""When were requests made to a host? A bar chart over time, as numbers that a template draws. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

__all__ = ["TimelineBar", "host_timeline"]

BARS: Final = 120
BARS_LEAST: Final = 24
"""There is room for as many bars, so that a few requests are not drawn as broad blocks."""

SPANS: Final = (1, 5, 15, 60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400)
"""Possible spans of one bar, in seconds; the first with which all requests fit is used."""


class TimelineBar(msgspec.Struct, frozen=True):
    """Requests in one span of time; place, width and height are fractions from 0 to 1."""

    at: float
    seconds: int
    count: int
    x: float
    width: float
    height: float


def host_timeline(moments: Sequence[float]) -> list[TimelineBar]:
    """Return bars from the first to the last of these moments; none when there are none."""
    if not moments:
        return []
    first, last = min(moments), max(moments)
    seconds = next((span for span in SPANS if (last - first) / span < BARS), SPANS[-1])
    start = first // seconds * seconds
    counts = Counter(min(BARS - 1, int((moment - start) // seconds)) for moment in moments)
    most, room = max(counts.values()), max(*counts, BARS_LEAST - 1) + 1
    return [
        TimelineBar(start + place * seconds, seconds, count, place / room, 1 / room, count / most)
        for place, count in sorted(counts.items())
    ]
