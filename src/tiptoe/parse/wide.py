"""Are these bytes UTF-16 without a byte order mark, and which half of a character comes first?

A label may say that it is UTF-16, but is often wrong about the order, and many pages have none. Zero bytes
show both: spaces, digits and markup have one in each character, always in the same half. Texts in other
encodings have none, except for a few by a program's mistake, among bytes that are UTF-8 without them. Without
zeros, as in a Chinese text without markup, only a label can say that it is UTF-16, and the order is the one
in which nearly all characters exist.
"""

from collections import Counter
from typing import Final
from unicodedata import category

__all__ = ["GARBAGE_MAX", "SAMPLE_BYTES", "garbage_share", "wide_codec"]

SAMPLE_BYTES: Final = 8_192
ZEROS_MIN: Final = 0.02
"""Minimum share of characters with a zero: one space or line break in fifty."""

LOPSIDED: Final = 3
"""Minimum ratio of zeros in one half of the characters to those in the other; Korean has both."""

STRAY_ZEROS_MAX: Final = 0.5
"""Maximum share of characters with a zero at which the zeros may be strays: in UTF-16, nearly all characters
of Latin script have one."""

GARBAGE_MAX: Final = 0.05
"""Maximum share of invalid characters in a text that is decoded correctly."""

_LITTLE, _BIG = "utf-16-le", "utf-16-be"
_NOT_CHARACTERS: Final = frozenset({"Cn", "Cs", "Cc", "Co"})
_USUAL_CONTROLS: Final = frozenset("\t\n\r\f\x1b\x1e\x1d")


def wide_codec(data: bytes, *, is_labelled: bool) -> str | None:
    """Return the codec of UTF-16 in which the bytes make sense; None if neither does."""
    sample = data[:SAMPLE_BYTES]
    if len(sample) < 4:
        return None
    first, second = sample[::2].count(0), sample[1::2].count(0)
    candidates = [_BIG, _LITTLE] if first > second else [_LITTLE, _BIG]
    few, many = sorted((first, second))
    if many < STRAY_ZEROS_MAX * len(sample) / 2 and _is_narrow(sample):
        return None
    if many > ZEROS_MIN * len(sample) / 2 and many > LOPSIDED * few:
        candidates = candidates[:1]
    elif not is_labelled:
        return None
    shares = {codec: garbage_share(sample.decode(codec, "replace")) for codec in candidates}
    best = min(shares, key=shares.__getitem__)
    return best if shares[best] <= GARBAGE_MAX else None


def _is_narrow(sample: bytes) -> bool:
    """Whether bytes without their zeros are text in UTF-8; those of UTF-16 would leave control characters."""
    text = sample.replace(b"\0", b"").decode("utf-8", "replace")
    return bool(text) and garbage_share(text.removesuffix("\ufffd")) == 0


def garbage_share(text: str) -> float:
    """Return the share of invalid characters: unassigned, surrogate, private, control, or replacement."""
    if not text or text.isprintable():
        return text.count("\ufffd") / max(len(text), 1)
    counts = Counter(text)
    spoilt = sum(
        count
        for char, count in counts.items()
        if char == "\ufffd"
        or (not char.isprintable() and category(char) in _NOT_CHARACTERS and char not in _USUAL_CONTROLS)
    )
    return spoilt / len(text)
