"""For how long was our copy of a page up to date?

Between two visits `seconds` apart, for a page that changes at random `rate` times a second. If the second
visit finds no change, the copy was up to date all the time. If it finds one, the time of the first change is
unknown; the functions then return expected values, given that there was a change. Arithmetic only.
"""

import math

__all__ = ["aged_seconds", "fresh_seconds"]

SMALL = 1e-3
"""Expected number of changes below which the formulas lose precision; then a series is used instead."""


def fresh_seconds(seconds: float, rate: float, *, is_changed: bool) -> float:
    """Return how long the copy was the same as the page."""
    if not is_changed:
        return seconds
    changes = rate * seconds
    if changes < SMALL:
        return seconds * (0.5 - changes / 12.0)
    return 1.0 / rate - (seconds / math.expm1(changes) if changes < 700.0 else 0.0)


def aged_seconds(seconds: float, rate: float, *, is_changed: bool) -> float:
    """Return the age of the copy, the time since the first change it lacks, summed over the seconds."""
    if not is_changed:
        return 0.0
    changes = rate * seconds
    if changes < SMALL:
        return seconds * seconds * (1.0 / 6.0 + changes / 24.0)
    happened = -math.expm1(-changes)
    return seconds * seconds * (0.5 - 1.0 / changes + happened / (changes * changes)) / happened
