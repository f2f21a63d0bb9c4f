"""Which texts can an index split into words by itself?

The embedded index splits a text at every character that is neither letter nor digit, much faster than we can.
For most characters `words` does the same: for those listed here, which cover almost all texts in Latin,
Greek, Cyrillic, Armenian, Arabic or Hebrew letters. Paragraphs with other characters or with a word that is
too long are split by us, and so are very long texts.
"""

import functools
import re
import unicodedata
from array import array
from collections.abc import Callable
from typing import Final, NamedTuple

from tiptoe.catalog.words import BREAK, SPARING_CHARS, WORD_CHARS_MAX

try:
    from tiptoe.catalog.compiled_plain_text import WordWriter, count_line_ends, has_marked
except ImportError:
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = [
    "IS_COMPILED", "PARAGRAPH_END", "PLAIN", "DividedText", "composed", "divided", "is_plain", "line_ends",
]  # fmt: skip

PLAIN: Final = (
    (0x00, 0x5E), (0x60, 0xBB), (0xBF, 0x12F), (0x131, 0x239), (0x23B, 0x23D), (0x23F, 0x2AF),
    (0x370, 0x3A2), (0x3A4, 0x482), (0x48A, 0x587),
    (0x5D0, 0x5EA), (0x620, 0x64A), (0x660, 0x66D), (0x671, 0x6D3),
    (0x1E00, 0x20CF), (0x2100, 0x214F), (0x2190, 0x245F), (0x2500, 0x27BF), (0xFE0F, 0xFE0F),
    (0x1F1E6, 0x1FAFF),
)  # fmt: skip
"""Ranges of characters, from first to last: each folds to one or two, none combines with another, and the
lower case of each is of this kind, too, and does not depend on its neighbours (unlike that of sigma)."""

_OTHER: Final = re.compile(f"[^{''.join(f'{chr(first)}-{re.escape(chr(last))}' for first, last in PLAIN)}]")

PLAIN_ASCII: Final = bytes(byte for byte in range(128) if _OTHER.match(chr(byte)) is None)
BROKEN: Final = f" {BREAK} "

PARAGRAPH_END: Final = "|" if IS_COMPILED else BREAK
"""Separates paragraphs where `BREAK` does elsewhere. An index that cuts only at blanks takes any sign for a
word; with one of ASCII, texts of ASCII remain such texts, which are stored without being encoded first."""

WRITTEN_END: Final = 0x2800
BLANK: Final = ord(" ")
OTHER: Final = 1
"""Marks characters that are not plain, in the table of what is written for each character."""


class DividedText(NamedTuple):
    """A text in two parts, each of whole paragraphs; no phrase spans two of these."""

    plain: str  # to be split by the index
    other: str  # to be split by us


def divided(text: str) -> DividedText:
    """Return the part that an index can split by itself, with paragraph ends marked, and the rest.

    If compiled, the words of the first part are in lower case, with only blanks between them.
    """
    if len(text) > SPARING_CHARS:
        return DividedText("", text)
    if _writer is None:
        if _is_plain_text(text):
            joined = text.replace("\n", BROKEN)
            if _long_run(joined, 0) < 0:
                return DividedText(joined, "")
    elif (words := _writer.write(text)) is not None:
        return DividedText(words, "")
    other: list[str] = []
    plain = _without_paragraphs(text, functools.partial(_other_character, text), other)
    plain = _without_paragraphs(plain, functools.partial(_long_run, plain.replace("\n", " ")), other)
    words = plain.replace("\n", BROKEN) if _writer is None else _writer.write(plain)
    assert words is not None  # everything that is not plain was moved out
    return DividedText(words, "\n".join(other))


def _written() -> "array[int]":
    """Return what is written for each of the first characters: lower-case letters, blanks and line ends."""
    written = array("H", [OTHER]) * WRITTEN_END
    for first, last in PLAIN:
        for point in range(first, min(last + 1, WRITTEN_END)):
            written[point] = ord(chr(point).lower()) if chr(point).isalnum() else BLANK
    written[ord("\n")] = ord("\n")
    return written


_writer: Final = (
    WordWriter(_written(), [span for span in PLAIN if span[0] >= WRITTEN_END], PARAGRAPH_END, WORD_CHARS_MAX)
    if IS_COMPILED
    else None
)


def composed(text: str) -> str:
    """Return a text in normal form (NFC); most texts are, which a glance at their characters shows."""
    if text.isascii() or (IS_COMPILED and not has_marked(text, _uncertain(), len(text))):
        return text
    return unicodedata.normalize("NFC", text)


def line_ends(text: str) -> int:
    """Return the number of line ends in a text."""
    return count_line_ends(text) if IS_COMPILED else text.count("\n")


@functools.cache
def _uncertain() -> bytes:
    """Return for each of the first characters whether a text with it may not be in normal form."""
    certain = {
        point
        for first, last in PLAIN
        for point in range(first, min(last + 1, WRITTEN_END))
        if unicodedata.is_normalized("NFC", chr(point))
    }
    return bytes(point not in certain for point in range(WRITTEN_END))


def _is_plain_text(text: str) -> bool:
    """Return whether all characters are plain; most are ASCII and are removed first, which is fast."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, PLAIN_ASCII)
    return not rest or _OTHER.search(rest.decode("utf-8", "surrogatepass")) is None


def is_plain(word: str) -> bool:
    """Return whether an index splits a word as we do."""
    return _OTHER.search(word) is None


def _without_paragraphs(text: str, find: Callable[[int], int], removed: list[str]) -> str:
    """Move paragraphs in which something is found from a text to `removed`; `find` returns -1 at the end."""
    kept = []
    place = 0
    while (found := find(place)) >= 0:
        begin = text.rfind("\n", place, found) + 1 or place
        end = text.find("\n", found)
        end = len(text) if end < 0 else end
        kept.append(text[place:begin])
        removed.append(text[begin:end])
        place = end + 1
    return "".join([*kept, text[place:]]) if removed else text


def _other_character(text: str, place: int) -> int:
    match = _OTHER.search(text, place)
    return -1 if match is None else match.start()


def _long_run(text: str, place: int) -> int:
    """Return the place of a run without blanks that may be too long for a word; -1 if there is none."""
    end = len(text) - WORD_CHARS_MAX
    find_blank = text.rfind
    while place < end:
        blank = find_blank(" ", place, place + WORD_CHARS_MAX + 1)
        if blank < 0:
            return place
        place = blank + 1
    return -1
