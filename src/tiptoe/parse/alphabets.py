"""In which single-byte encoding do these bytes read like a language in Latin script?

Each encoding is tried with each language that was written in it: how likely are
these letters, accented and plain, at the rates at which the language has them?
Plain letters tell the language, and the language tells what the others mean:
0xE8 is č in words with many k and j, and è in words with none. Only words that
are not in ASCII are asked: the others may be code, or English.
"""

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import itemgetter, mul
from string import ascii_letters, ascii_lowercase
from typing import Final

__all__ = ["ALPHABETS", "UNWEIGHED", "Evidence", "weigh"]

_CENTRAL: Final = ("cs", "sk", "pl", "hu", "sl", "hr", "ro", "sq", "de", "en")
ALPHABETS: Final[Mapping[str, tuple[str, ...]]] = {
    # encoding      languages written in it; of encodings that read alike the first one is taken
    "windows-1252": ("en", "de", "fr", "es", "it", "pt", "nl", "da", "sv", "no", "fi", "is", "ca", "et"),
    "windows-1250": _CENTRAL,
    "iso-8859-2":   _CENTRAL,
    "windows-1257": ("lt", "lv", "et", "en"),
    "windows-1254": ("tr", "en"),
}  # fmt: skip

UNWEIGHED: Final = frozenset(
    {"windows-1258", "iso-8859-3", "iso-8859-4", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15",
     "iso-8859-16", "mac_roman", "mac_latin2", "cp852"}
)  # fmt: skip
"""Of these nothing can be said here, so whoever names them is right."""

_UNIT: Final = 100_000
_FOREIGN: Final = 3e-6
"""Rate of letters that a language does not have: they stand in names."""

_CAPITALS: Final = 0.2
_MARKS: Final = {**dict.fromkeys("„“”‚‘’»«–—…°§\xa0\xad", 3e-4), **dict.fromkeys("€©®™•·×´", 3e-5)}
_SYMBOL: Final = 1e-6
_NOTHING: Final = 1e-8
"""Rate of bytes that an encoding has no character for, or a control character."""

_PLAIN: Final = ascii_lowercase.encode()
_ASCII: Final = bytes(range(128))
_NO_LETTERS: Final = bytes(set(_ASCII) - set(ascii_letters.encode()))
# From the beginning of a word only, or a long one would be looked at from each of its letters.
_BARE_SYMBOL = re.compile(
    rb"(?:(?<![a-zA-Z\x80-\xff])[a-zA-Z]?[\xa1-\xbf]{1,2}|(?<=[a-z])[\x99\xa9\xae])(?![a-zA-Z\x80-\xff])"
)
"""As in £20, m³ and Word®: where these are letters, no letter would stand alone, nor a capital at an end."""

_WORD = re.compile(rb"(?<![a-zA-Z\x80-\xff])[a-zA-Z]*+[\x80-\xff][a-zA-Z\x80-\xff]*+")

HIGH_SHARE_MAX: Final = 0.5
"""More of the letters than this are accented in no Latin script."""

FIT_MIN: Final = math.log(6e-4)
"""So likely is the average accented character at least where the encoding is right."""

FEW_SHARE: Final = 0.03
"""So few accented characters are names and quotes, which fit no language."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the bytes say about themselves."""

    nats: dict[str, float]  # by encoding: log likelihood in the language that fits best
    fit: float  # the same per byte beyond ASCII, in the encoding that fits best
    high_share: float  # of letters that are beyond ASCII

    @property
    def fits(self) -> bool:
        """True if this is a language in Latin script, beyond doubt."""
        return self.high_share <= HIGH_SHARE_MAX and self.fit >= FIT_MIN

    @property
    def is_nearly_plain(self) -> bool:
        """True if there is too little beyond ASCII for anything else than Latin script."""
        return self.high_share <= FEW_SHARE


def weigh(sample: bytes) -> Evidence:
    """Weigh bytes that are text, without markup."""
    words = _WORD.findall(_BARE_SYMBOL.sub(b" ", sample))
    lower = b" ".join(words).lower()  # which leaves all but ASCII as it is
    plain = {byte: lower.count(byte) for byte in _PLAIN}
    high = Counter(lower.translate(None, _ASCII))
    counts, rates_of = (*plain.values(), *high.values()), itemgetter(*plain, *high)
    nats = dict.fromkeys(ALPHABETS, -math.inf)
    best, best_rates = -math.inf, ()
    for encoding, table in _rates():
        rates = rates_of(table)
        likelihood = sum(map(mul, counts, rates))
        nats[encoding] = max(likelihood, nats[encoding])
        if likelihood > best:
            best, best_rates = likelihood, rates
    fit = sum(map(mul, high.values(), best_rates[len(plain) :])) / max(high.total(), 1)
    high_share = len(sample.translate(None, _ASCII)) / max(len(sample.translate(None, _NO_LETTERS)), 1)
    return Evidence(nats, fit, high_share)


@cache
def _rates() -> list[tuple[str, list[float]]]:
    """Return for each pair of encoding and language the log rate of every byte."""
    tables = json.loads(files("tiptoe.parse").joinpath("letters.json").read_text("utf-8"))
    return [
        (encoding, [_log_rate(byte, encoding, tables[language]) for byte in range(256)])
        for encoding, languages in ALPHABETS.items()
        for language in languages
    ]


def _log_rate(byte: int, encoding: str, table: Mapping[str, int]) -> float:
    character = bytes([byte]).decode(encoding, "replace")
    lower = character.lower()
    if character.isalpha():
        rate = max(table.get(lower, 0) / _UNIT, _FOREIGN)
        return math.log(rate if character == lower else rate * _CAPITALS)
    if byte < 128:
        return 0.0
    is_nothing = character == "\ufffd" or unicodedata.category(character) == "Cc"
    return math.log(_NOTHING if is_nothing else _MARKS.get(character, _SYMBOL))
