"""When did a page change?

Time is cut into spans of the page's own mean interval, and the page changes once
in each span, at a moment drawn for it. So any moment can be asked about by itself,
in any order, and the truth of what changed when is known.
"""

import math

from tiptoe.testing.chance import MASK, Trait, fraction, scramble
from tiptoe.testing.graph import page_salt
from tiptoe.testing.hosts import Host
from tiptoe.testing.shape import WebShape

__all__ = ["changed_at", "edition_at"]


def edition_at(shape: WebShape, host: Host, number: int, now: float) -> int:
    """Return how many times a page has changed since the beginning of the web."""
    if not shape.change_seconds or now <= 0.0:
        return 0
    span = int(now / _interval(shape, host, number))
    return span + (now >= _moment(shape, host, number, span))


def changed_at(shape: WebShape, host: Host, number: int, edition: int) -> float:
    """Return when an edition appeared; edition 0 was there from the beginning."""
    return _moment(shape, host, number, edition - 1) if edition else 0.0


def _interval(shape: WebShape, host: Host, number: int) -> float:
    """Return the page's own mean time between changes, a quarter to four times the web's."""
    return shape.change_seconds * math.pow(4.0, 2.0 * fraction(page_salt(host, number), Trait.CHANGE) - 1.0)


def _moment(shape: WebShape, host: Host, number: int, span: int) -> float:
    """Return the moment of the change in a span."""
    salt = scramble(page_salt(host, number) + span * 0x9E3779B97F4A7C15 & MASK)
    return (span + fraction(salt, Trait.CHANGE)) * _interval(shape, host, number)
