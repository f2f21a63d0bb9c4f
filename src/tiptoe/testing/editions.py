"""When did a page change?

Time is cut into spans of the page's own mean interval, and the page changes once
in each span, at a moment drawn for it. So any moment can be asked about by itself,
in any order, and the truth of what changed when is known.
"""

import math
from typing import Final

from tiptoe.testing.chance import MASK, Trait, fraction, scramble
from tiptoe.testing.graph import page_salt
from tiptoe.testing.hosts import Host
from tiptoe.testing.shape import WebShape

__all__ = ["BEGAN_AT", "changed_at", "edition_at"]

BEGAN_AT: Final = 1_767_225_600.0
"""The wall-clock moment (1 January 2026) that `now=0` stands for in what hosts say of changes."""


def edition_at(shape: WebShape, host: Host, number: int, now: float) -> int:
    """Return how many times a page has changed since the beginning of the web."""
    if not shape.change_seconds or now <= 0.0:
        return 0
    if shape.static_share and fraction(page_salt(host, number), Trait.STATIC) < shape.static_share:
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
