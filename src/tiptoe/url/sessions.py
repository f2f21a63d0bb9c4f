"""Does this value look like a session id?

A name alone says little: `sid` may be a session id, or the number of a story. If two pages are taken for one,
one of them is lost for good, while a session id left in place only costs some requests until its shape is
recognised as a trap. So in doubt a value is not a session id. One that looks like it is only a suspect: see
`suspects.py`.
"""

import itertools
import re
from typing import Final

__all__ = ["is_random", "is_session_id"]

UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
HEX: Final = re.compile(r"[0-9a-f]{16,}", re.IGNORECASE)

ID_CHARS_MIN: Final = 6
"""Minimum length of an id with a name that only session ids have; shorter values are numbers or words."""

ID_LETTERS_MIN: Final = 16
"""Minimum length of such an id without digits: those of ASP have none."""

HEX_KINDS_MIN: Final = 2
"""Minimum number of digits, and of letters, in a hexadecimal id: a long number is not one."""

RANDOM_CHARS_MIN: Final = 22
"""Minimum length of a random value: 128 bits in base 62; PHP normally uses 26 characters."""

DIGIT_RUNS_MIN: Final = 3
"""Minimum number of groups of digits in a random value; words with a year have one or two."""

CHANGES_SHARE_MIN: Final = 0.45
"""Minimum share of neighbouring characters that differ in kind (digit, upper case, lower case): base 62 has
0.6, WordsInARow 0.3."""


def is_session_id(value: str) -> bool:
    """Whether this can be an id, if the name is one that only session ids have: no short number, no word."""
    if len(value) >= ID_LETTERS_MIN or not value:
        return True
    return len(value) >= ID_CHARS_MIN and any(map(str.isdigit, value))


def is_random(value: str) -> bool:
    """Whether a value looks random, drawn from a large alphabet, and not like words or numbers."""
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
