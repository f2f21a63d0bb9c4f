"""How are spans of time and amounts of bytes written?

Both directions: text to number, and number to the shortest exact text, so that what
is shown can be used as input. Raises ValueError for anything else.
"""

import re
from typing import Final

__all__ = ["format_duration", "format_size", "parse_duration", "parse_size"]

SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

BYTES: Final = {
    "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip

SIZE_UNITS: Final = ("TB", "TiB", "GB", "GiB", "MB", "MiB", "kB", "KiB")

# The number of digits is limited: files and command lines may be of any length.
NUMBER: Final = r"\d{1,15}(?:\.\d{1,9})?"
DURATION_PART: Final = re.compile(rf"({NUMBER})(ms|s|m|h|d)")
DURATION: Final = re.compile(rf"(?:{NUMBER}(?:ms|s|m|h|d)){{1,5}}")
SIZE: Final = re.compile(rf"({NUMBER})\s?([kmgt]?i?b)?", re.IGNORECASE)


def parse_duration(text: str) -> float:
    """Return the seconds of "5s", "1m30s", "250ms", "2h" or a bare number of seconds."""
    text = text.strip()
    if re.fullmatch(NUMBER, text):
        return float(text)
    if not DURATION.fullmatch(text):
        raise ValueError(f"not a duration: {text[:40]}")
    return sum(float(number) * SECONDS[unit] for number, unit in DURATION_PART.findall(text))


def format_duration(seconds: float) -> str:
    """Return the shortest exact text: 90.0 is "1m30s", 0.25 is "250ms"."""
    millis = seconds * 1000
    if seconds < 1 or millis % 1000:
        return f"{millis:.9g}ms" if seconds and seconds < 60 else f"{seconds:.9g}s"
    parts = ""
    whole = int(seconds)
    for unit, length in (("h", 3600), ("m", 60), ("s", 1)):
        amount, whole = divmod(whole, length)
        parts += f"{amount}{unit}" if amount else ""
    return parts


def parse_size(text: str) -> int:
    """Return the bytes of "10MiB", "1GB" or a bare number of bytes."""
    match = SIZE.fullmatch(text.strip())
    unit = (match[2] or "B").lower() if match else ""
    if match is None or unit not in BYTES:
        raise ValueError(f"not a size: {text[:40]}")
    return round(float(match[1]) * BYTES[unit]) if "." in match[1] else int(match[1]) * BYTES[unit]


def format_size(amount: int) -> str:
    """Return the shortest exact text: 10485760 is "10MiB", 1000000000 is "1GB"."""
    exact = [
        (amount // BYTES[unit.lower()], unit) for unit in SIZE_UNITS if amount % BYTES[unit.lower()] == 0
    ]
    if not amount or not exact:
        return f"{amount}B"
    number, unit = min(exact, key=lambda choice: choice[0])
    return f"{number}{unit}"
