"""Which language is a paragraph in, and which a document?

A paragraph is judged by its words (`language_model`) or its script
(`language_scripts`). In a document, a paragraph with little evidence is taken to
be in the language of the others; one that is clearly in another language keeps
its own.

Codes are ISO 639-1. Croatian, Bosnian and Serbian in Latin script are one
language here, `hr`: a paragraph seldom distinguishes them. `und` means that the
language is undetermined: no words, too few words, or a language we do not know.
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
from tiptoe.text.language_scripts import LANGUAGES_BY_SCRIPT, language_by_script, script_of
from tiptoe.text.telltales import SKIMMED_CHARS, WORDS_MIN

__all__ = ["UND", "DocumentLanguage", "Guess", "LanguageIdentifier"]

UND: Final = "und"

SAMPLE_SIZE: Final = 6
"""Number of paragraphs from which the language of a document is guessed."""
TELLING_CHARS: Final = 30
"""Minimum length of a paragraph that shows the language of the document; shorter ones, such as menus, may be
in another."""
CLEAR_LEAD, PARAGRAPH_LEAD, CLEAR_FIT = 40, 12, 6.0
"""Minimum evidence, in the units of `language_model`, that needs no closer look: lead for a document, lead
for a paragraph, fit for both."""
CONTRADICTION: Final = 0.6
"""Confidence at which a paragraph is believed to be in another language than its document."""
STUDIED_CHARS: Final = 300
"""Maximum length read of such a paragraph; more would cost time and change nothing."""
WORDS_MANY: Final = 7
"""Minimum number of words that are taken for an unknown language if they fit none."""
OTHER_SHARE, OTHER_CHARS = 0.1, 100
"""Minimum share and length of another language that is worth mentioning."""
LABELLED_MAX: Final = 20_000
"""Maximum number of paragraphs of a document that are judged individually; later ones are assumed to be in
its language."""
SCRIPT_CONFIDENCE: Final = 0.9
"""Confidence in the language that uses a script most."""
CONFIDENCE_MIN: Final = 0.1
"""Minimum confidence of a guess; below it, the language is undetermined."""
LETTERS_MIN, LETTERS_FEW, FEW_CONFIDENCE = 3, 12, 0.85
"""Minimum number of letters of a text whose language can be determined; and the number of letters below which
a guess needs a confidence of `FEW_CONFIDENCE`."""

MIXED_IN: Final[Mapping[str, tuple[str, ...]]] = {"kana": ("han",)}
"""Scripts that may fill a whole paragraph of a document in another script."""

_CONSTANT, _LEAD, _FIT, _LENGTH, _FIT_BY_LENGTH = 3.035, 0.913, -0.223, -5.299, 0.382
"""From `training/language/calibrate.py`."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A language and a confidence: of guesses with 0.8, four in five are right."""

    language: str
    confidence: float


@dataclass(frozen=True, slots=True)
class DocumentLanguage:
    """The language of most of a document's text, and what else there is."""

    language: str
    confidence: float
    others: Mapping[str, float]  # other languages worth mentioning, with their shares of the characters
    paragraphs: tuple[str, ...]  # a code for each

    @property
    def is_mixed(self) -> bool:
        return bool(self.others)


NOTHING: Final = Guess(UND, 0.0)


class LanguageIdentifier:
    """Tells the languages of texts.

    With `languages` given, any other is `und`, and a text that might be in one of them or in another language
    is taken for one of them. Uses about 40 MB of memory for words once texts in both scripts have been seen,
    65 MB where nothing is compiled. Only the beginning of a long paragraph is read.
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
        """Return the language of a single text."""
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
            # The script was that of the longest paragraph, which may be a quotation.
            script, lexicon = self._home_of(main.language) or (script, None)
        labelled = paragraphs[:LABELLED_MAX]
        if lexicon is not None:
            labels = tuple(self._labels(labelled, lexicon, main.language, script))
        else:
            labels = tuple(self._label_strange(paragraph, main.language, script) for paragraph in labelled)
        labels += (main.language,) * (len(paragraphs) - len(labelled))
        return self._sum_up(paragraphs, labels, main)

    def _study(self, text: str, expected: str = "") -> Guess:
        """Return the language of a text after reading it closely; in doubt, the expected one."""
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
        """Return the script, and its lexicon, to which a language belongs."""
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

        def agrees(words: list[str]) -> bool:
            return lexicon.agrees(lexicon.skim(words), main)

        telltales = lexicon.telltales_of(main)
        settled = telltales.settle(paragraphs, main, UND, agrees, script == "latin")
        for paragraph, label in zip(paragraphs, settled, strict=True):
            if isinstance(label, str):
                yield label
            else:
                yield self._label_doubtful(paragraph, label, main, script)

    def _label_doubtful(self, paragraph: str, words: int, main: str, script: str) -> str:
        """Return the language of a paragraph that does not clearly show that of its document."""
        own = script_of(paragraph)
        if not own or (own == script and words < WORDS_MIN):
            return main if own else UND
        guess = self._study(paragraph[:STUDIED_CHARS], main)
        if guess.confidence >= CONTRADICTION:
            return guess.language
        is_strange = guess.language == UND and words >= WORDS_MANY
        return main if own == script and not is_strange else UND

    def _label_strange(self, paragraph: str, main: str, script: str) -> str:
        """Return the language of a paragraph in a document whose language has no lexicon."""
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
            # The sample was of other paragraphs than those that make up most of the text.
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
    """Return the minimum confidence of a guess about a text; more than 1 if it must stay undetermined."""
    if evidence.words >= LETTERS_FEW:
        return CONFIDENCE_MIN
    letters = sum(map(str.isalpha, text[:READ_CHARS]))
    if letters >= LETTERS_FEW:
        return CONFIDENCE_MIN
    return FEW_CONFIDENCE if letters >= LETTERS_MIN else math.inf


def _length(paragraph: str) -> int:
    """Return the length of a paragraph in letters, estimated from its beginning."""
    chars = len(paragraph)
    if not paragraph or not may_be_dense(paragraph):
        return chars
    return chars * length_of(paragraph[:SKIMMED_CHARS]) // min(chars, SKIMMED_CHARS)


def _joined(paragraphs: Iterable[str]) -> str:
    """Return the beginnings of paragraphs as one text."""
    return " ".join([paragraph[: READ_CHARS // SAMPLE_SIZE] for paragraph in islice(paragraphs, SAMPLE_SIZE)])
