"""Does this value look like the id of a session?

A name alone says little: `sid` is a session here and the number of a story there. Two pages
taken for one are lost for good, a session id left in place costs some requests until its shape is
known for a trap; so in doubt a value is none. One that is remains a suspect: see `suspects.py`.
"""

import itertools
import re
from typing import Final

__all__ = ["is_random", "is_session_id"]

UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
HEX: Final = re.compile(r"[0-9a-f]{16,}", re.IGNORECASE)

ID_CHARS_MIN: Final = 6
"""Minimum length of an id below a name that nothing but a session has; shorter values are numbers and
words."""

ID_LETTERS_MIN: Final = 16
"""Minimum number of letters that are an id without any digit: those of ASP have none."""

HEX_KINDS_MIN: Final = 2
"""Minimum number of digits, and of letters, in a hexadecimal id: long numbers are numbers."""

RANDOM_CHARS_MIN: Final = 22
"""Minimum length of a random value: 128 bits in base 62; PHP has 26 characters as a rule."""

DIGIT_RUNS_MIN: Final = 3
"""Minimum number of groups of digits; words and a year have one, or two."""

CHANGES_SHARE_MIN: Final = 0.45
"""Minimum share of neighbours that differ in kind (digit, upper, lower case): base 62 has 0.6, WordsInARow
0.3."""


def is_session_id(value: str) -> bool:
    """Whether this can be an id, below a name that only sessions have: no short number, no word."""
    if len(value) >= ID_LETTERS_MIN or not value:
        return True
    return len(value) >= ID_CHARS_MIN and any(map(str.isdigit, value))


def is_random(value: str) -> bool:
    """Whether nobody would have chosen this: drawn by lot from a large alphabet, not words or numbers."""
    if UUID.fullmatch(value) is not None:
        return True
    value = value.rstrip("=")
    if not (value.isascii() and value.isalnum()):
        return False
    if HEX.fullmatch(value) is not None:
        digits = sum(map(str.isdigit, value))
        return min(digits, len(value) - digits) >= HEX_KINDS_MIN
    if len(value) < RANDOM_CHARS_MIN:
        return False
    runs = [kind for kind, _ in itertools.groupby(value, key=_kind)]
    return runs.count("digit") >= DIGIT_RUNS_MIN or len(runs) - 1 >= CHANGES_SHARE_MIN * (len(value) - 1)


def _kind(character: str) -> str:
    if character.isdigit():
        return "digit"
    return "upper" if character.isupper() else "lower"
