"""In which single-byte encoding do these bytes read like words?

Each encoding is tried with each language that is written in it: how likely do
these letters follow each other? 0xE8 is č in one encoding and è in another, and
hardly any word could have either. Only words with non-ASCII letters count: the
others may be code, or English. If that leaves doubt, the words that the encodings
read differently are compared one by one, since any may be a foreign name.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul
from string import ascii_letters
from typing import Final

from tiptoe.parse.alphabets import STEPS, Alphabet, Pair, Table, alphabets

__all__ = ["CharsetEvidence", "weigh"]

SAMPLE_BYTES: Final = 4_096
"""Approximate number of bytes of words that are enough to see which encodings are possible."""

NEAR: Final = 30.0
"""Maximum additional cost at which an encoding is compared with the best one word by word."""

WORDS_MAX: Final = 60
WORD_BYTES_MAX: Final = 40
WORD_COUNT_MAX: Final = 2
"""Maximum number of times that a repeated word counts: a hundred times prove no more than twice."""

NAME: Final = 7.0
"""What it costs to take a word for one of another language."""

MISREAD: Final = 6.0
"""Cost of a character in a position where none of its kind should be."""

OTHER_SCRIPT: Final = 8.0
"""Cost of assuming another script in a page that is nearly all ASCII."""

COST_MAX: Final = 5.0
"""Maximum cost of the average pair with a byte beyond ASCII, if the encoding is right."""

FEW_SHARE: Final = 0.03
"""Minimum share of bytes beyond ASCII; fewer are names and quotes, which fit no language."""

_ASCII: Final = bytes(range(128))
_NO_LETTERS: Final = bytes(set(_ASCII) - set(ascii_letters.encode()))
# Only from the start of a word; otherwise a long one would be examined from each of its letters.
_BARE_SYMBOL = re.compile(
    rb"(?:(?<![a-zA-Z\x80-\xff])[a-zA-Z]?[\xa1-\xaa\xac-\xba\xbc-\xbf\xd7\xf7]{1,2}|(?<=[a-z])[\x99\xa9\xae])"
    rb"(?![a-zA-Z\x80-\xff])"
)
"""As in £20, m³ and Word®: if these were letters, there would be single letters, or capitals at word ends."""

_WORD = re.compile(rb"(?<![a-zA-Z\x80-\xff])[a-zA-Z]*+[\x80-\xff][a-zA-Z\x80-\xff]*+")

_LETTER: Final = r"[^\W\d_]"
_SIGNS: Final = "¢£¤¥¦¨©¬®¯±²³µ¶¸¹¼½¾×÷ˇ˘˙˝˛"
_CAPITALS: Final = "".join(filter(str.isupper, map(chr, range(0xC0, 0x460))))
_MISREAD = re.compile(
    f"(?<={_LETTER})[{_SIGNS}§«»¿„“”‚‘‹›†‡•€™‰](?={_LETTER})"  # pro»e
    f"|(?<!{_LETTER})[{_SIGNS}’](?={_LETTER})"  # ©kola
    f"|(?<=[a-zß-öø-ÿα-ώа-џ])[{_CAPITALS}]"  # byĂśt
)


@dataclass(frozen=True, slots=True)
class CharsetEvidence:
    """What the bytes say about themselves."""

    costs: dict[str, float]  # by encoding, of the possible ones
    cost: float  # of the average pair with a byte beyond ASCII, in the best encoding
    high_share: float  # of letters that are beyond ASCII

    @property
    def fits(self) -> bool:
        """True if these are words of a language known here, beyond doubt."""
        return self.cost <= COST_MAX

    @property
    def is_nearly_plain(self) -> bool:
        """True if there is too little beyond ASCII for any script other than Latin."""
        return self.high_share <= FEW_SHARE


@dataclass(frozen=True, slots=True)
class _LanguageReading:
    """Bytes read as a language in an encoding."""

    alphabet: Alphabet
    table: Table  # of the language that fits best
    cost: float


def weigh(sample: bytes) -> CharsetEvidence:
    """Return the evidence in bytes of text, without markup."""
    high_share = len(sample.translate(None, _ASCII)) / max(len(sample.translate(None, _NO_LETTERS)), 1)
    words = _WORD.findall(_BARE_SYMBOL.sub(b" ", sample))
    letters = sum(map(len, words))
    pairs = Counter(pairwise(b" %b " % b" ".join(words[:: letters // SAMPLE_BYTES + 1])))
    readings = [_read(alphabet, pairs) for alphabet in alphabets().values()]
    best = min(readings, key=lambda reading: reading.cost)
    near = [reading for reading in readings if reading.cost <= best.cost + NEAR]
    costs = _compare(near, words)
    if high_share <= FEW_SHARE:
        costs = {name: cost + OTHER_SCRIPT * (not alphabets()[name].is_latin) for name, cost in costs.items()}
    return CharsetEvidence(costs, _cost_beyond_ascii(best, pairs), high_share)


def _read(alphabet: Alphabet, pairs: Mapping[Pair, int]) -> _LanguageReading:
    counts, pick = (0, 0, *pairs.values()), alphabet.picker(pairs)
    steps, table = min((sum(map(mul, counts, pick(table))), table) for table in alphabet.tables)
    own = sum(count * alphabet.costs[byte] for (_, byte), count in pairs.items() if byte > 127)
    return _LanguageReading(alphabet, table, alphabet.cost + own + steps / STEPS)


def _cost_beyond_ascii(reading: _LanguageReading, pairs: Mapping[Pair, int]) -> float:
    alphabet = reading.alphabet
    high = {pair: count for pair, count in pairs.items() if max(pair) > 127}
    steps: int = sum(map(mul, (0, 0, *high.values()), alphabet.picker(high)(reading.table)))
    own = sum(count * alphabet.costs[byte] for (_, byte), count in high.items())
    return (own + steps / STEPS) / max(sum(high.values()), 1)


def _compare(near: Sequence[_LanguageReading], words: Iterable[bytes]) -> dict[str, float]:
    """Return the costs of the encodings by the words that they read differently."""
    if len(near) == 1:
        return {near[0].alphabet.encoding: near[0].cost}
    spellings = zip(*(reading.alphabet.characters for reading in near), strict=True)
    telling = bytes(byte for byte, characters in enumerate(spellings) if len(set(characters)) > 1)
    counted = Counter(
        word[:WORD_BYTES_MAX] for word in words if len(word.translate(None, telling)) < len(word)
    )
    chosen = list(counted.items())[:: len(counted) // WORDS_MAX + 1]
    return {reading.alphabet.encoding: _word_costs(reading, dict(chosen)) for reading in near}


def _word_costs(reading: _LanguageReading, words: Mapping[bytes, int]) -> float:
    alphabet = reading.alphabet
    cost = alphabet.cost + MISREAD * _count_misread(alphabet, words)
    for word, count in words.items():
        cost += min(count, WORD_COUNT_MAX) * _word_cost(alphabet, reading.table, word)
    return cost


def _word_cost(alphabet: Alphabet, language: Table, word: bytes) -> float:
    pick = alphabet.picker(pairwise(b" %b " % word))
    in_language = sum(pick(language)) / STEPS
    elsewhere = min(sum(pick(table)) for table in alphabet.tables) / STEPS + NAME
    return min(in_language, elsewhere) + sum(alphabet.costs[byte] for byte in word)


def _count_misread(alphabet: Alphabet, words: Iterable[bytes]) -> int:
    """Count characters in positions where none of their kind should be; quotes come in pairs."""
    text = b"  ".join(words).decode(alphabet.encoding, "replace")
    return len(_MISREAD.findall(text)) + abs(text.count("«") - text.count("»"))
