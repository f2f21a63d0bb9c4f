"""When did a page change, and when is it gone?

Time is cut into spans of the page's own mean interval, and the page changes once
in each span, at a moment drawn for that span or, if pages change regularly, always after the
same fraction of it. So the state at any moment can be computed separately, in any
order, and it is known what changed when.
"""

import math
from typing import Final

from tiptoe.testing.chance import MASK, Trait, fraction, scramble
from tiptoe.testing.graph import page_salt
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web_hosts import WebHost

__all__ = ["BEGAN_AT", "changed_at", "edition_at", "vanishes_at"]

BEGAN_AT: Final = 1_767_225_600.0
"""The wall-clock moment (1 January 2026) that `now=0` stands for when hosts state times of changes, unless
the web was given another one."""


def edition_at(shape: WebShape, host: WebHost, number: int, now: float) -> int:
    """Return how many times a page has changed since the beginning of the web."""
    if not shape.has_changes or now <= 0.0:
        return 0
    if shape.static_share and fraction(page_salt(host, number), Trait.STATIC) < shape.static_share:
        return 0
    span = int(now / _interval(shape, host, number))
    return span + (now >= _moment(shape, host, number, span))


def changed_at(shape: WebShape, host: WebHost, number: int, edition: int) -> float:
    """Return when an edition appeared; edition 0 was there from the beginning."""
    return _moment(shape, host, number, edition - 1) if edition else 0.0


def vanishes_at(shape: WebShape, host: WebHost, number: int) -> float:
    """Return when a page vanishes; infinite for home pages and most others."""
    salt = page_salt(host, number)
    if not (number and shape.vanishing_share) or fraction(salt, Trait.VANISHING) >= shape.vanishing_share:
        return math.inf
    return shape.vanishing_seconds * fraction(salt, Trait.VANISHED_AT)


def _interval(shape: WebShape, host: WebHost, number: int) -> float:
    """Return the page's own mean time between changes: a quarter to four times the web's, or as bounded."""
    draw = fraction(page_salt(host, number), Trait.CHANGE)
    if shape.change_seconds_max:
        return shape.change_seconds_min + draw * (shape.change_seconds_max - shape.change_seconds_min)
    return shape.change_seconds * math.pow(4.0, 2.0 * draw - 1.0)


def _moment(shape: WebShape, host: WebHost, number: int, span: int) -> float:
    """Return the moment of the change in a span."""
    drawn_for = 0 if shape.change_seconds_max else span
    salt = scramble(page_salt(host, number) + drawn_for * 0x9E3779B97F4A7C15 & MASK)
    return (span + fraction(salt, Trait.CHANGE)) * _interval(shape, host, number)
