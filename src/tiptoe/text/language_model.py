"""What does each word say about the language of its text?

A lexicon holds, for every class (a language, or a language typed without
accents), the weight of each frequent word and of each group of three or four letters.
The weights of all classes are fields of one integer, so that summing the words
of a text sums all languages at once, at the speed of C. The lowest field counts
the known words.

Weights are positive for words seen in a language and zero for others: a sum
says how much better the text fits than unknown words would.
"""

import re
import struct
import unicodedata
from collections.abc import Collection, Mapping
from functools import cached_property
from importlib.resources import files
from typing import Final, NamedTuple

import msgspec
import zstandard

from tiptoe.text.telltales import SomeTelltales, make_telltales
from tiptoe.text.word_weights import KeyGroups, SomeWeights, make_weights

__all__ = [
    "FIELD_BITS",
    "READ_CHARS",
    "LanguageEvidence",
    "LanguageTally",
    "Lexicon",
    "StoredLexicon",
    "load_lexicons",
    "read_model",
]

FIELD_BITS: Final = 16
"""Size of a field, enough for the sum over one text: its length is limited below, and weights by 32."""

READ_CHARS: Final = 1500
RARE_WORDS: Final = 60
RARE_WORD_CHARS: Final = 24
"""Maximum characters read of a text; maximum unknown words that are read by letters; maximum characters read
of each of these."""

DOUBT: Final = 4
"""Lead of another language, in steps of half a nat, above which a closer look is needed."""
KNOWN_PART: Final = 4
"""One in this many words must be known for a text to agree with a language."""
EXPECTATION: Final = 8
"""Head start, in steps of half a nat, of the expected language, and of the wanted languages together."""

_FIELD: Final = (1 << FIELD_BITS) - 1
_MODEL_BYTES_MAX: Final = 64 * 1024 * 1024
_WORD: Final = re.compile(r"[^\W\d_]+")


class StoredLexicon(msgspec.Struct, frozen=True, array_like=True):
    """A lexicon as stored in the model file: keys grouped by weight, separated by spaces."""

    script: str
    classes: list[str]
    head_starts: list[int]
    words: KeyGroups
    grams: KeyGroups
    telltales: dict[str, str]


class LanguageTally(NamedTuple):
    """The packed weights of a text."""

    by_word: int
    by_letter: int  # of words that are not in the lexicon
    words: int


class LanguageEvidence(NamedTuple):
    """What a tally says; weights are in steps of half a nat."""

    best: str  # empty when an unwanted language fits better
    lead: int  # over the second best language
    fit: float  # weight of the best language per word, counting only known words
    words: int


class Lexicon:
    """The weights of words in languages that share a script.

    `skim` and `read` make a tally of a text, `judge` interprets it. Languages that are `known` but not among
    `languages` are never returned; if one of them fits clearly better, no language is.

    The tables are built when the first text arrives: most crawls meet only one script, and to list the known
    languages none is needed.
    """

    def __init__(self, stored: StoredLexicon, languages: Collection[str] = ()) -> None:
        self.known = frozenset(stored.classes)
        self.languages = self.known & frozenset(languages or stored.classes)
        self._classes = ("", *stored.classes)  # the lowest field is not a class
        self._stored_words, self._stored_grams = stored.words, stored.grams
        self._stored_telltales = stored.telltales
        self._telltales: dict[str, SomeTelltales] = {}
        self._layout = struct.Struct(f"<{len(self._classes)}H")
        self._start = int.from_bytes(self._layout.pack(0, *stored.head_starts), "little")
        self._barred = [
            field for field, name in enumerate(self._classes) if name and name not in self.languages
        ]
        self._fields = {
            language: tuple(field for field, name in enumerate(self._classes) if name == language)
            for language in stored.classes
        }

    @cached_property
    def _words(self) -> SomeWeights:
        stored, self._stored_words = self._stored_words, []
        return make_weights(stored, len(self._classes))

    @cached_property
    def _grams(self) -> SomeWeights:
        stored, self._stored_grams = self._stored_grams, []
        return make_weights(stored, len(self._classes))

    def telltales_of(self, language: str) -> SomeTelltales:
        """Return the words that are unique to this language."""
        if language not in self._telltales:
            self._telltales[language] = make_telltales(self._stored_telltales[language].split())
        return self._telltales[language]

    def skim(self, words: list[str]) -> LanguageTally:
        """Tally words, given in lower case, by whole words only."""
        return LanguageTally(self._words.total(words), 0, len(words))

    def read(self, text: str) -> LanguageTally:
        """Tally the words of a text, and the letters of unknown words."""
        words = _WORD.findall(unicodedata.normalize("NFC", text[:READ_CHARS]).lower())
        by_word, by_letter = self._words.total(words), 0
        if by_word & _FIELD < len(words):
            known = self._words
            rare = [word[:RARE_WORD_CHARS] for word in words if len(word) > 2 and word not in known]
            by_letter = self._grams.total_of_grams(rare[:RARE_WORDS])
        return LanguageTally(by_word, by_letter, len(words))

    def agrees(self, tally: LanguageTally, language: str) -> bool:
        """Tell whether enough words are known, and they do not clearly indicate another language."""
        weights = self._unpack(tally.by_word)
        own = max(map(weights.__getitem__, self._fields[language]))
        is_known = (tally.by_word & _FIELD) * KNOWN_PART >= tally.words
        return is_known and max(weights) <= own + DOUBT

    def judge(self, tally: LanguageTally, expected: str = "") -> LanguageEvidence:
        """Return the evidence of a tally; in doubt, for the expected language."""
        weights = list(self._unpack(tally.by_word + tally.by_letter))
        for field in self._fields.get(expected, ()):
            weights[field] += EXPECTATION
        strange = 0
        for field in self._barred:
            strange, weights[field] = max(strange, weights[field]), 0
        weight = max(weights)
        if strange > weight + EXPECTATION:
            return LanguageEvidence("", 0, 0.0, tally.words)
        winner = weights.index(weight)
        best = self._classes[winner]
        for field in self._fields[best]:
            weights[field] = 0
        fit = (tally.by_word >> winner * FIELD_BITS & _FIELD) / (tally.words or 1)
        return LanguageEvidence(best, weight - max(weights), fit, tally.words)

    def _unpack(self, packed: int) -> tuple[int, ...]:
        """Return the weight of each class; zero for the lowest field, which is not a class."""
        fields = packed - (packed & _FIELD) + self._start
        return self._layout.unpack(fields.to_bytes(self._layout.size, "little"))


def load_lexicons(languages: Collection[str] = ()) -> Mapping[str, Lexicon]:
    """Return the lexicons of the model that comes with the package, by script."""
    return {stored.script: Lexicon(stored, languages) for stored in read_model()}


def read_model() -> list[StoredLexicon]:
    """Read the model that comes with the package."""
    packed = files("tiptoe.text").joinpath("language.model").read_bytes()
    raw = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_MODEL_BYTES_MAX)
    return msgspec.msgpack.decode(raw, type=list[StoredLexicon])
