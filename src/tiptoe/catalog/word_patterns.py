"""How are words found in a text without splitting all of it?

By a pattern: a folded word is any of its spellings, letter by letter, with no part of a word before or after
it. It finds the same as a comparison word by word, in a fraction of the time; what it cannot express (scripts
without spaces, and those where a letter folds to several characters, as in Korean) is compared word by word.
"""

import functools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from tiptoe.catalog.query import HasWords
from tiptoe.catalog.words import CHARS_MAX, SPACELESS, WORD_CHARS, WORD_CHARS_MAX, fold

try:
    from tiptoe.catalog.compiled_plain_text import has_marked
except ImportError:
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = ["needs_comparison", "word_pattern"]

LETTERS: Final = ((0x41, 0x250), (0x370, 0x530), (0x1E00, 0x2000))
"""Latin, Greek and Cyrillic: the letters with several spellings."""

PATTERNS_MAX: Final = 256
MARKED_END: Final = 0x2C00

_OTHERS: Final = re.compile(
    "[\u00bc-\u00be\u0250-\u036f\u0530-\u1dff\u2070-\u209f\u2100-\u2115\u2117-\u2121\u2123-\u218f\u2c00-\U0010ffff]"
)
"""Signs that may be part of words and are none of `LETTERS`, or none that a pattern knows: fractions."""

_COMPARED: Final = re.compile(f"[\u00bc-\u00be\u0300-\u036f{SPACELESS}]")
_ASCII: Final = bytes(range(128))


def needs_comparison(text: str) -> bool:
    """Return whether a text may have words that no pattern finds; ASCII is removed first, which is fast."""
    if IS_COMPILED and not has_marked(text, _marked(), CHARS_MAX):
        return False
    signs = text[:CHARS_MAX].encode("utf-8", "surrogatepass").translate(None, _ASCII)
    rest = signs.decode("utf-8", "surrogatepass")
    if _OTHERS.search(rest) is None:
        return False
    others = "".join(_OTHERS.findall(rest))
    return _COMPARED.search(others) is not None or unicodedata.normalize("NFKD", others).casefold() != others


@functools.cache
def _marked() -> bytes:
    """Return for each of the first characters whether it is one of `_OTHERS`, as all that follow are."""
    return bytes(_OTHERS.match(chr(point)) is not None for point in range(MARKED_END))


@functools.cache
def _spellings() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the letters that fold to each letter, and those that fold to each pair."""
    single: dict[str, str] = defaultdict(str)
    double: dict[str, str] = defaultdict(str)
    for letter in (chr(point) for first, end in LETTERS for point in range(first, end)):
        folded = fold(letter)
        if letter.isalnum() and len(folded) == 1:
            single[folded] += letter
        elif letter.isalnum() and len(folded) == 2:
            double[folded] += letter
    return single, double


@functools.lru_cache(PATTERNS_MAX)
def word_pattern(sought: HasWords) -> re.Pattern[str] | None:
    """Return a pattern that finds words or a phrase; None when they must be compared one by one."""
    if any(re.search(f"[{SPACELESS}]", word) or len(word) >= WORD_CHARS_MAX for word in sought.words):
        return None
    first, *others = (
        [re.escape(c) for c in word] if sought.is_exact else _spelt(word, is_open=sought.is_prefix)
        for word in sought.words
    )
    # The character before is checked only when the first letter is found; checking every place is slow.
    begin = (
        f"{first[0]}(?<![{WORD_CHARS}]{first[0]})"
        if "|" not in first[0]
        else f"(?<![{WORD_CHARS}]){first[0]}"
    )
    phrase = rf"[^{WORD_CHARS}\n]+".join([begin + "".join(first[1:]), *map("".join, others)])
    rest = f"[{WORD_CHARS}]*" if sought.is_prefix else ""
    flags = re.IGNORECASE if sought.is_exact else 0
    return re.compile(f"{phrase}{rest}(?![{WORD_CHARS}])", flags)


def _spelt(word: str, *, is_open: bool) -> list[str]:
    """Return a pattern for each letter or two of a word; an open word may be continued."""
    single, double = _spellings()
    parts = []
    place = 0
    while place < len(word):
        letter = _class(word[place], single)
        pair = word[place : place + 2]
        if pair in double:
            parts.append(f"(?:{letter}{_class(pair[1], single)}|[{double[pair]}])")
            place += 2
        else:
            parts.append(letter)
            place += 1
    if is_open and (further := "".join(double[pair] for pair in double if pair[0] == word[-1])):
        parts[-1] = f"(?:{parts[-1]}|[{further}])"  # it may end within a letter that folds to two
    return parts


def _class(letter: str, single: Mapping[str, str]) -> str:
    if letter not in single:
        return re.escape(letter)
    return f"[{letter}{single[letter]}]"
