"""Which script is a text written in, and does that alone tell its language?

Many scripts are used on the web almost only for one language; for these no words
are needed. A script that several languages really share (Latin, Cyrillic) has a
lexicon instead, see `language_model`.
"""

from bisect import bisect_right
from collections import Counter
from typing import Final

try:
    from tiptoe.text.compiled_density import count_latin
except ImportError:  # see setup.py
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = [
    "IS_COMPILED",
    "LANGUAGES_BY_SCRIPT",
    "SAMPLE_CHARS",
    "SCRIPT_LANGUAGES",
    "count_latin_uncompiled",
    "language_by_script",
    "script_of",
]

SAMPLE_CHARS: Final = 60
"""Maximum number of characters that `script_of` reads."""

_BLOCKS: Final = (
    # first code point, script; valid until the next entry
    (0x0000, "latin"), (0x0370, "greek"), (0x0400, "cyrillic"), (0x0530, "armenian"), (0x0590, "hebrew"),
    (0x0600, "arabic"), (0x0700, ""), (0x0750, "arabic"), (0x0780, ""), (0x08A0, "arabic"),
    (0x0900, "devanagari"), (0x0980, "bengali"), (0x0A00, "gurmukhi"), (0x0A80, "gujarati"),
    (0x0B00, "oriya"), (0x0B80, "tamil"), (0x0C00, "telugu"), (0x0C80, "kannada"), (0x0D00, "malayalam"),
    (0x0D80, "sinhala"), (0x0E00, "thai"), (0x0E80, "lao"),
    (0x0F00, "tibetan"), (0x1000, "burmese"), (0x10A0, "georgian"),
    (0x1100, "hangul"), (0x1200, "ethiopic"), (0x13A0, ""), (0x1780, "khmer"), (0x1800, ""),
    (0x1C90, "georgian"), (0x1CC0, ""), (0x1E00, "latin"), (0x1F00, "greek"), (0x2000, ""),
    (0x2C60, "latin"), (0x2C80, ""), (0x2D00, "georgian"), (0x2D30, ""), (0x2DE0, "cyrillic"), (0x2E00, ""),
    (0x3040, "kana"), (0x3100, ""), (0x3130, "hangul"), (0x3190, ""), (0x3400, "han"), (0x4DC0, ""),
    (0x4E00, "han"), (0xA000, ""), (0xA640, "cyrillic"), (0xA6A0, ""), (0xA720, "latin"), (0xA800, ""),
    (0xAC00, "hangul"), (0xD7B0, ""), (0xF900, "han"), (0xFB00, "latin"), (0xFB13, "armenian"),
    (0xFB1D, "hebrew"), (0xFB50, "arabic"), (0xFE00, ""), (0xFE70, "arabic"), (0xFF00, "latin"),
    (0xFF66, "kana"), (0xFFA0, "hangul"), (0xFFE0, ""), (0x20000, "han"), (0x32000, ""),
)  # fmt: skip
_NOT_LATIN: Final = bytes(code for code in range(128) if not chr(code).isalpha())
_FIRSTS: Final = tuple(first for first, _ in _BLOCKS)

SCRIPT_LANGUAGES: Final = {
    "greek": "el", "armenian": "hy", "hebrew": "he", "arabic": "ar", "devanagari": "hi", "bengali": "bn",
    "gurmukhi": "pa", "gujarati": "gu", "oriya": "or", "tamil": "ta", "telugu": "te", "kannada": "kn",
    "malayalam": "ml", "sinhala": "si", "thai": "th", "lao": "lo", "tibetan": "bo", "burmese": "my",
    "georgian": "ka", "hangul": "ko", "ethiopic": "am", "khmer": "km", "kana": "ja", "han": "zh",
}  # fmt: skip
"""The language to name when only the script is known."""

_TELLING_LETTERS: Final = (
    # script, letters that only one of its languages has, that language
    ("cyrillic", frozenset("ўЎ"), "be"),
    ("cyrillic", frozenset("әғқңұһӘҒҚҢҰҺ"), "kk"),
    ("arabic", frozenset("ٹڈڑےں"), "ur"),
    ("arabic", frozenset("پچژگ"), "fa"),
)

LANGUAGES_BY_SCRIPT: Final = frozenset(
    [*SCRIPT_LANGUAGES.values(), *(language for _, _, language in _TELLING_LETTERS)]
)


def script_of(text: str) -> str:
    """Return the script of most letters at the beginning of a text; empty if there are none."""
    sample = text[:SAMPLE_CHARS]
    latin = count_latin(sample) if IS_COMPILED else count_latin_uncompiled(sample)
    if 2 * latin > len(sample) or sample.isascii():  # the quick way for most of the web
        return "latin" if latin else ""
    letters = filter(str.isalpha, sample)
    counts = Counter(_BLOCKS[bisect_right(_FIRSTS, ord(letter)) - 1][1] for letter in letters)
    # Japanese is recognised by its kana, however many Chinese characters are among them.
    if counts["kana"] and counts["han"]:
        counts["kana"] += counts["han"]
    return max(counts, key=counts.__getitem__) if counts.total() else ""


def count_latin_uncompiled(sample: str) -> int:
    """Count the letters from A to Z, without the compiled module."""
    return len(sample.encode("ascii", "ignore").translate(None, _NOT_LATIN))


def language_by_script(script: str, text: str) -> str:
    """Return the language shown by a script, or by letters peculiar to a language; empty if unknown."""
    for owner, letters, language in _TELLING_LETTERS:
        if owner == script and not letters.isdisjoint(text):
            return language
    return SCRIPT_LANGUAGES.get(script, "")
