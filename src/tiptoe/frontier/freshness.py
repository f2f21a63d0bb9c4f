"""For how long was our copy of a page up to date?

Between two visits `seconds` apart of a page that changes by chance, `rate` times a second. When the second
visit finds no change, all the time. When it finds one, nobody saw the moment of the first change:
these are the expected values, given that there was one. Arithmetic only.
"""

import math

__all__ = ["aged_seconds", "fresh_seconds"]

SMALL = 1e-3
"""Below this expected number of changes the formulas lose their digits; the first terms of a series do."""


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
