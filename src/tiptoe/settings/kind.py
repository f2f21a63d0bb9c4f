"""What kinds of values are there, and how is each parsed and shown?

A `ValueKind` turns what a file or a command line contains into a plain value and a
value back into text. It knows nothing about bounds: those belong to a `Setting`.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tiptoe.settings.units import format_duration, format_size, parse_duration, parse_size

__all__ = [
    "COUNT",
    "DURATION",
    "FACTOR",
    "FLAG",
    "PATTERNS",
    "PHRASES",
    "SHARE",
    "SIZE",
    "TEXT",
    "WORDS",
    "Value",
    "ValueKind",
]

Value = bool | int | float | str | tuple[str, ...]

TEXT_CHARS_MAX: Final = 10_000
WORDS_MAX: Final = 100_000
WHOLE_MAX: Final = 10**18
DIGITS_READ: Final = 20
FLAG_WORDS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class ValueKind:
    """A kind of values; `read` raises ValueError for anything else."""

    name: str
    expected: str
    read: Callable[[object], Value]
    show: Callable[[Any], str]
    is_many: bool = False


def read_duration(raw: object) -> float:
    seconds = parse_duration(raw) if isinstance(raw, str) else read_number(raw)
    if seconds > WHOLE_MAX:
        raise ValueError("more than can be written back")
    return seconds


def read_size(raw: object) -> int:
    return read_count(parse_size(raw) if isinstance(raw, str) else raw)


def read_number(raw: object) -> float:
    # To Python True is an int, but `delay = true` does not mean one second.
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError("not a number")
    number = float(raw)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def read_count(raw: object) -> int:
    if isinstance(raw, str) and (written := re.fullmatch(r"(-?)0*(\d+)", raw.strip())):
        # Python itself refuses to parse numbers with thousands of digits.
        raw = int(written[1] + written[2][:DIGITS_READ])
    if isinstance(raw, bool) or not isinstance(raw, int):
        raise ValueError("not a whole number")
    if abs(raw) > WHOLE_MAX:
        raise OverflowError(f"at most {WHOLE_MAX}")  # larger numbers cannot be sent to other processes
    return raw


def read_share(raw: object) -> float:
    if isinstance(raw, str) and raw.strip().endswith("%"):
        return read_number(raw.strip()[:-1]) / 100
    return read_number(raw)


def read_flag(raw: object) -> bool:
    word = raw.strip().lower() if isinstance(raw, str) else None
    if word in FLAG_WORDS:
        return FLAG_WORDS[word]
    if not isinstance(raw, bool):
        raise ValueError("not a flag")
    return raw


def read_text(raw: object) -> str:
    if not isinstance(raw, str) or len(raw) > TEXT_CHARS_MAX:
        raise ValueError("not a text")
    # A line break in a contact address would become a header of its own.
    if not raw.isprintable():
        raise ValueError("control characters")
    return raw


def read_words(raw: object) -> tuple[str, ...]:
    return read_patterns(re.split(r"[\s,]+", raw.strip(" \t\r\n,")) if isinstance(raw, str) else raw)


def read_patterns(raw: object) -> tuple[str, ...]:
    """Return a list; a single text is a list of one, since a pattern may contain commas and spaces."""
    items = [raw] if isinstance(raw, str) else raw
    if not isinstance(items, list | tuple) or len(items) > WORDS_MAX:
        raise ValueError("not a list")
    return tuple(text for text in map(read_text, items) if text)


def read_phrases(raw: object) -> tuple[str, ...]:
    """Return a list of phrases, which may contain spaces and commas; in a text, semicolons separate them."""
    parts = [part.strip() for part in raw.split(";")] if isinstance(raw, str) else raw
    return read_patterns(parts)


def show_phrases(phrases: tuple[str, ...]) -> str:
    return "; ".join(phrases)


def show_words(words: tuple[str, ...]) -> str:
    return ", ".join(words)


def show_lines(lines: tuple[str, ...]) -> str:
    count = len(lines)
    return f"{count} {'line' if count == 1 else 'lines'}" if lines else ""


def show_flag(value: bool) -> str:
    return "true" if value else "false"


def show_number(value: float) -> str:
    return f"{value:.9g}"


DURATION: Final = ValueKind(
    "duration", 'a duration such as "5s", "1m30s", "250ms" or a number of seconds',
    read_duration, format_duration,
)  # fmt: skip
SIZE: Final = ValueKind(
    "size", 'a size such as "10MiB", "1GB" or a number of bytes',
    read_size, format_size,
)  # fmt: skip
COUNT: Final = ValueKind("count", "a whole number", read_count, str)
FACTOR: Final = ValueKind("factor", "a number", read_number, show_number)
SHARE: Final = ValueKind("share", 'a share such as 0.3 or "30%"', read_share, show_number)
FLAG: Final = ValueKind("flag", "true or false", read_flag, show_flag)
TEXT: Final = ValueKind("text", "a text on one line, in quotes", read_text, str)
WORDS: Final = ValueKind("words", 'a list of words such as ["a", "b"]', read_words, show_words, is_many=True)
PATTERNS: Final = ValueKind(
    "patterns", "a list of regular expressions such as ['^www\\.', 'example']",
    read_patterns, show_words, is_many=True,
)  # fmt: skip
PHRASES: Final = ValueKind(
    "phrases", 'a list such as ["mon-fri 22:00-06:00", "sat,sun"]', read_phrases, show_phrases, is_many=True
)
LINES: Final = ValueKind("lines", "a list of lines", read_patterns, show_lines, is_many=True)
