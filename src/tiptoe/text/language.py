"""Which language is a paragraph in, and which a document?

A paragraph is judged by its words (`language_model`) or its script
(`language_scripts`). In a document the paragraphs stand by each other: one
that says little is in the language of the others, one that says clearly
something else keeps it.

Codes are ISO 639-1. Croatian, Bosnian and Serbian in Latin script are one
language here, `hr`: a paragraph seldom tells them apart. `und` means that
nothing can be said: no words, too few of them, or a language that we do not know.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.text.density import length_of, lengths_of, may_be_dense
from tiptoe.text.language_model import READ_CHARS, LanguageEvidence, Lexicon, load_lexicons
from tiptoe.text.language_scripts import LANGUAGES_BY_SCRIPT, SAMPLE_CHARS, language_by_script, script_of

__all__ = ["UND", "DocumentLanguage", "Guess", "LanguageIdentifier"]

UND: Final = "und"

SAMPLE_SIZE: Final = 6
"""Paragraphs that are looked at to guess the language of a document."""
TELLING_CHARS, SKIMMED_CHARS = 30, 100
"""Shorter ones may be in another language than the text, as menus are; of longer ones the beginning does."""
CLEAR_LEAD, PARAGRAPH_LEAD, CLEAR_FIT = 40, 12, 6.0
"""Evidence, as `language_model` has it, that needs no second look: of a document, of a paragraph, of both."""
CONTRADICTION: Final = 0.6
"""Confidence at which a paragraph is believed to be in another language than its document."""
STUDIED_CHARS: Final = 300
"""Maximum length of what is read of such a paragraph; more would only cost."""
TELLTALES, WORDS_FEW = 2, 10
"""Words of one language alone that settle the language of a paragraph; one is enough among few."""
WORDS_MIN, WORDS_MANY = 4, 7
"""Minimum number of words that can contradict the document around them; and of words that, if they tell
nothing, are in an unknown language."""
OTHER_SHARE, OTHER_CHARS = 0.1, 100
"""Minimum share and length of another language that is worth mentioning."""
LABELLED_MAX: Final = 20_000
"""Maximum number of paragraphs of a document that are looked at one by one; those after them are taken for
its language."""
SCRIPT_CONFIDENCE: Final = 0.9
"""A script names the language that uses it most."""
CONFIDENCE_MIN: Final = 0.1
"""Minimum confidence of a guess; below it, it says nothing."""
LETTERS_MIN, LETTERS_FEW, FEW_CONFIDENCE = 3, 12, 0.85
"""Letters below which nothing can be said; and below which only a word of one language says something."""

MIXED_IN: Final[Mapping[str, tuple[str, ...]]] = {"kana": ("han",)}
"""Scripts that may fill a paragraph of a document in another one."""

_CONSTANT, _LEAD, _FIT, _LENGTH, _FIT_BY_LENGTH = 3.035, 0.913, -0.223, -5.299, 0.382
"""From `training/language/calibrate.py`."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A language, and how sure that is: of guesses at 0.8 four in five are right."""

    language: str
    confidence: float


@dataclass(frozen=True, slots=True)
class DocumentLanguage:
    """The language of most of a document's text, and what else there is."""

    language: str
    confidence: float
    others: Mapping[str, float]  # share of the characters, of languages worth mentioning
    paragraphs: tuple[str, ...]  # a code for each

    @property
    def is_mixed(self) -> bool:
        return bool(self.others)


NOTHING: Final = Guess(UND, 0.0)


class LanguageIdentifier:
    """Tells the languages of texts.

    With `languages` given, any other is `und`, and a text that might be one of them or some other is taken
    for theirs. Keeps some 65 MB of words, once texts in both scripts have come. Only the beginning of a long
    paragraph is read.
    """

    def __init__(self, lexicons: Mapping[str, Lexicon], languages: Collection[str] = ()) -> None:
        self._lexicons = lexicons
        self._only = frozenset(languages)

    @classmethod
    def load(cls, languages: Collection[str] = ()) -> "LanguageIdentifier":
        """Read the model that comes with the package."""
        lexicons = load_lexicons(languages)
        known = LANGUAGES_BY_SCRIPT.union(*(lexicon.known for lexicon in lexicons.values()))
        for language in languages:
            if language not in known:
                raise SettingsError(f"{language!r} is no language we know: {', '.join(sorted(known))}")
        return cls(lexicons, languages)

    def identify(self, text: str) -> Guess:
        """Return the language of one text by itself."""
        return self._study(text)

    def identify_document(self, paragraphs: Sequence[str]) -> DocumentLanguage:
        """Return the language of a document and of each of its paragraphs."""
        if not paragraphs:
            return DocumentLanguage(UND, 0.0, {}, ())
        lengths = [len(paragraph) if paragraph.isascii() else _length(paragraph) for paragraph in paragraphs]
        script = script_of(paragraphs[lengths.index(max(lengths))])
        lexicon = self._lexicons.get(script)
        long = [length >= TELLING_CHARS for length in lengths]
        main = self._guess_from_sample(list(compress(paragraphs, long)) or paragraphs, lexicon)
        if main.language not in (lexicon.languages if lexicon else ()):
            # The longest paragraph may be a quotation.
            script, lexicon = self._home_of(main.language) or (script, None)
        labelled = paragraphs[:LABELLED_MAX]
        if lexicon is not None:
            labels = tuple(self._labels(labelled, lexicon, main.language, script))
        else:
            labels = tuple(self._label_strange(paragraph, main.language, script) for paragraph in labelled)
        labels += (main.language,) * (len(paragraphs) - len(labelled))
        return self._sum_up(paragraphs, labels, main)

    def _study(self, text: str, expected: str = "") -> Guess:
        """Return the language of a text after reading it; in doubt, the one that is expected."""
        script = script_of(text)
        if by_script := language_by_script(script, text[:READ_CHARS]):
            return Guess(by_script, SCRIPT_CONFIDENCE) if self._is_possible(by_script) else NOTHING
        lexicon = self._lexicons.get(script)
        if lexicon is None:
            return NOTHING
        evidence = lexicon.judge(lexicon.read(text), expected)
        confidence = _confidence(evidence)
        return Guess(evidence.best, confidence) if confidence >= _asked_of(text, evidence) else NOTHING

    def _home_of(self, language: str) -> tuple[str, Lexicon] | None:
        """Return the script whose lexicon has a language."""
        homes = (home for home in self._lexicons.items() if language in home[1].languages)
        return next(homes, None)

    def _is_possible(self, language: str) -> bool:
        return not self._only or language in self._only

    def _guess_from_sample(self, telling: Sequence[str], lexicon: Lexicon | None) -> Guess:
        """Guess a document's language from some of its telling paragraphs, spread over it."""
        chosen = telling[:: -(-len(telling) // SAMPLE_SIZE)]
        if lexicon is not None:
            beginnings = " ".join([paragraph[:SKIMMED_CHARS] for paragraph in chosen])
            evidence = lexicon.judge(lexicon.skim(beginnings.lower().split()))
            if evidence.lead >= CLEAR_LEAD and evidence.fit >= CLEAR_FIT:
                return Guess(evidence.best, _confidence(evidence))
        return self._study(_joined(chosen))

    def _labels(self, paragraphs: Sequence[str], lexicon: Lexicon, main: str, script: str) -> Iterator[str]:
        """Yield the languages of paragraphs in a document whose language is known."""
        telltales, is_latin = lexicon.telltales_of(main), script == "latin"
        for paragraph in paragraphs:
            small = paragraph[:SKIMMED_CHARS].lower()
            words = small.split()
            if is_latin and len(words) < WORDS_MIN and len(paragraph) <= SAMPLE_CHARS and paragraph.isascii():
                # An entry of a menu: all that `_label_doubtful` would look for are letters.
                yield main if small != paragraph.upper() else UND
                continue
            telling = len(telltales.intersection(words))
            is_settled = telling >= TELLTALES or (telling and len(words) < WORDS_FEW)
            if is_settled or (len(words) >= WORDS_MIN and lexicon.agrees(lexicon.skim(words), main)):
                yield main
            else:
                yield self._label_doubtful(paragraph, len(words), main, script)

    def _label_doubtful(self, paragraph: str, words: int, main: str, script: str) -> str:
        """Return the language of a paragraph that does not show that of its document."""
        own = script_of(paragraph)
        if not own or (own == script and words < WORDS_MIN):
            return main if own else UND
        guess = self._study(paragraph[:STUDIED_CHARS], main)
        if guess.confidence >= CONTRADICTION:
            return guess.language
        is_strange = guess.language == UND and words >= WORDS_MANY
        return main if own == script and not is_strange else UND

    def _label_strange(self, paragraph: str, main: str, script: str) -> str:
        """Return the language of a paragraph in a document that no lexicon speaks for."""
        own = script_of(paragraph)
        if main != UND and own and own in (script, *MIXED_IN.get(script, ())):
            return main
        lexicon = self._lexicons.get(own)
        if lexicon is None:
            by_script = language_by_script(own, paragraph)
            return by_script if by_script and self._is_possible(by_script) else UND
        evidence = lexicon.judge(lexicon.skim(paragraph[:SKIMMED_CHARS].lower().split()))
        is_clear = evidence.lead >= PARAGRAPH_LEAD and evidence.fit >= CLEAR_FIT
        return evidence.best if is_clear and _asked_of(paragraph, evidence) == CONFIDENCE_MIN else UND

    def _sum_up(self, paragraphs: Sequence[str], labels: tuple[str, ...], main: Guess) -> DocumentLanguage:
        if labels.count(main.language) == len(labels):  # as most documents are
            return DocumentLanguage(main.language, main.confidence, {}, labels)
        chars: Counter[str] = Counter()
        for label, length in zip(labels, lengths_of(paragraphs), strict=True):
            chars[label] += length
        if main.language != UND:
            del chars[UND]
        if not chars:
            return DocumentLanguage(UND, 0.0, {}, labels)
        language = max(chars, key=chars.__getitem__)
        others = {
            other: count / chars.total()
            for other, count in chars.most_common()
            if other != language and count >= OTHER_CHARS and count >= OTHER_SHARE * chars.total()
        }
        if language != main.language:
            # The sample had other paragraphs than those that make up most of the text.
            main = self._study(_joined(compress(paragraphs, map(language.__eq__, labels))))
        return DocumentLanguage(language, main.confidence, others, labels)


def _confidence(evidence: LanguageEvidence) -> float:
    root, fit = math.sqrt(min(evidence.lead, 100)), min(evidence.fit, 12.0)
    length = math.log(min(evidence.words, 20) + 1)
    if not evidence.best:
        return 0.0
    odds = _CONSTANT + _LEAD * root + _FIT * fit + _LENGTH * length + _FIT_BY_LENGTH * fit * length
    return 1 / (1 + math.exp(-odds))


def _asked_of(text: str, evidence: LanguageEvidence) -> float:
    """Return the minimum confidence of a guess about a text; more than 1 where nothing can be said."""
    if evidence.words >= LETTERS_FEW:
        return CONFIDENCE_MIN
    letters = sum(map(str.isalpha, text[:READ_CHARS]))
    if letters >= LETTERS_FEW:
        return CONFIDENCE_MIN
    return FEW_CONFIDENCE if letters >= LETTERS_MIN else math.inf


def _length(paragraph: str) -> int:
    """Return the length of a paragraph in letters, as its beginning has it."""
    chars = len(paragraph)
    if not paragraph or not may_be_dense(paragraph):
        return chars
    return chars * length_of(paragraph[:SKIMMED_CHARS]) // min(chars, SKIMMED_CHARS)


def _joined(paragraphs: Iterable[str]) -> str:
    """Return the beginnings of some paragraphs as one text."""
    return " ".join([paragraph[: READ_CHARS // SAMPLE_SIZE] for paragraph in islice(paragraphs, SAMPLE_SIZE)])
