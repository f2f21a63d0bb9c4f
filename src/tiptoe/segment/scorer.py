"""How usable is a text, judged by its shape alone?

Usability is a product of parts, each from 0 to 1, so that they explain a score at a
glance:

    amount       is there running text at all, and enough of it?
    running      how much of the page is running text, not menus and lists?
    sentences    are its sentences as long as sentences are?
    plainness    is it words, not digits and symbols?
    originality  does it say something new, or the same over and over?
    intact       is it free of characters garbled by a wrong charset?
    language     is it in a wanted language?

A page that consists only of menus and titles cannot be judged: its usability is
*unknown*, which is not 0. Zero means that text was judged and found useless.

No dictionary and no stop words: the features exist in every language that ends its
sentences with a mark or, like Thai, with a space. Lengths are in letters of an alphabet:
a Chinese character counts as two or three (`text/density.py`).

Every page of a crawl is scored, so there are only a handful of passes over the text, in
C: about 50 µs for 10 kB.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from isal import isal_zlib

from tiptoe.text.density import count_ideographs, count_unspaced, length_of, may_be_dense
from tiptoe.text.punctuation import CLOSERS, ENDS, OTHER_ENDS, OTHER_PAUSES, PAUSES

__all__ = ["Identify", "Parts", "Scorer"]

Identify: TypeAlias = Callable[[Sequence[str]], tuple[str, float]]
"""Returns the language of paragraphs and the confidence from 0 to 1; an empty name if it is unknown."""

CHARS_MIN: Final = 20
"""Minimum length of a paragraph that is judged; shorter ones are fragments, whatever they end with."""

SPACES_MIN: Final = 3
"""Minimum number of spaces in a sentence; three words and a full stop are a caption."""

PAUSE_WEIGHT: Final = 0.8
"""Weight of lines that end in a comma or a colon: verse, items of a statute, but also labels and code."""

LONG_CHARS: Final = 200
"""Minimum length of a paragraph that counts as running text if it contains a sentence, whatever it ends
with."""

UNMARKED_CHARS: Final = 80
"""Minimum length of running text in scripts without sentence marks (Thai, Lao); no label is as long."""

DENSE_SHARE: Final = 0.25
"""Maximum share of characters of scripts without spaces in a text that is judged by its spaces."""

AMOUNT_CHARS: Final = 400.0
"""Length of running text at which the amount is two thirds; at twice the length it is 98 %."""

AMOUNT_CHARS_MIN: Final = 100.0
"""Minimum length of running text that can be judged; a sentence about cookies is on every page."""

LIST_SHARE: Final = 0.1
"""Minimum share of running text among titles; below it the text is a notice on a list, unless it has the
length of a short text."""

RUNNING_SHARE: Final = 0.7
"""Share of running text at which the score is full: every page has a title and a menu."""

SAMPLE_CHARS: Final = 8_192
"""Length of the beginning that is compressed: ratios are only comparable for similar sizes."""

RATIO_BYTES_MIN: Final = 500
"""Minimum size of a text whose compression ratio is meaningful."""

OTHER_SCRIPT: Final = 1.3
"""Maximum number of bytes per character in Latin script; above it another script's marks are counted too."""

_ENDS_AND_PAUSES: Final = ENDS | PAUSES
_DIGITS: Final = b"0123456789"
_SYMBOLS: Final = b"#$&*+/<=>@[\\]^_`{|}~"
_WORDS: Final = bytes(c for c in range(256) if c >= 128 or chr(c).isalpha() or chr(c) in " \n\t")

_LEADS: Final = "ÃÄÅÂâĂĹ"
"""Characters that result if the first byte of a UTF-8 letter is decoded in another charset..."""

_FOLLOWERS: Final = frozenset(
    bytes([code]).decode(charset, "replace")
    for code in range(0x80, 0xC0)
    for charset in ("windows-1250", "windows-1252", "iso-8859-1", "iso-8859-2")
)
"""... and if the second byte is. Each is used in some language, but the combination is not."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one score."""

    amount: float = 0.0
    running: float = 0.0
    sentences: float = 1.0
    plainness: float = 1.0
    originality: float = 1.0
    intact: float = 1.0
    language: float = 1.0

    @property
    def usability(self) -> float | None:
        """Their product, to three decimals; None if there is too little text to judge."""
        if not self.amount:
            return None
        product = self.amount * self.running * self.sentences * self.plainness
        return round(product * self.originality * self.intact * self.language, 3)

    def annotations(self) -> dict[str, float]:
        """Return the parts in the form that is sent with a usability."""
        return {name: round(getattr(self, name), 3) for name in self.__slots__}


class Scorer:
    """Rates texts; if `wanted` languages are named, only they are usable."""

    def __init__(self, identify: Identify | None = None, *, wanted: Collection[str] = ()) -> None:
        self._identify = identify
        self._wanted = frozenset(wanted)

    def rate(self, paragraphs: Sequence[str], language: str = "") -> Parts:
        """Rate a text; its language is identified unless it is given."""
        running, weight, chars = _running_text(paragraphs)
        if weight < AMOUNT_CHARS_MIN or weight < min(AMOUNT_CHARS, chars * LIST_SHARE):
            return Parts()
        text = "\n".join(running)[:SAMPLE_CHARS]
        sample = text.encode("utf-8", "replace")
        marks = sample.translate(None, _WORDS)
        return Parts(
            amount=1.0 - math.exp(-((weight / AMOUNT_CHARS) ** 2)),
            running=min(1.0, weight / (chars * RUNNING_SHARE)),
            sentences=_sentence_shape(text, sample, marks),
            plainness=_plainness(len(sample), marks),
            originality=_originality(text, sample, running),
            intact=_intactness(text),
            language=self._language_part(paragraphs, language),
        )

    def _language_part(self, paragraphs: Sequence[str], language: str) -> float:
        confidence = 1.0
        if not language and self._identify is not None:
            language, confidence = self._identify(paragraphs)
        if self._wanted and language not in self._wanted:
            return 0.0
        return min(1.0, 0.5 + confidence)


def _running_text(paragraphs: Sequence[str]) -> tuple[list[str], float, int]:
    """Return the paragraphs of running text, the weighted number of their characters, and that of all."""
    running: list[str] = []
    weight, chars = 0.0, 0
    for paragraph in paragraphs:
        size = len(paragraph)
        if size and not paragraph.isascii() and may_be_dense(paragraph):
            size = length_of(paragraph)
            share = _share_of_dense(paragraph, size)
        else:
            share = _share_of(paragraph, size) if size >= CHARS_MIN else 0.0
        chars += size
        if share:
            running.append(paragraph)
            weight += size * share
    return running, weight, chars


def _share_of(paragraph: str, size: int) -> float:
    """Return the weight of a paragraph's characters; 0 if it is not running text."""
    if paragraph.count(" ") < SPACES_MIN:
        return 0.0
    last = _last_mark(paragraph)
    if last in ENDS or (size >= LONG_CHARS and ". " in paragraph):
        return 1.0
    return PAUSE_WEIGHT if last in PAUSES else 0.0


def _share_of_dense(paragraph: str, size: int) -> float:
    """Return the same for a paragraph that may be in a script without spaces."""
    utf8 = paragraph.encode("utf-8", "replace")
    unspaced = count_unspaced(utf8)
    if size < CHARS_MIN or unspaced + count_ideographs(utf8) < DENSE_SHARE * len(paragraph):
        return _share_of(paragraph, size) if size >= CHARS_MIN else 0.0
    last = _last_mark(paragraph)
    if last in ENDS or (size >= LONG_CHARS and not _ENDS_AND_PAUSES.isdisjoint(paragraph)):
        return 1.0
    if unspaced >= UNMARKED_CHARS:
        return 1.0
    return PAUSE_WEIGHT if last in PAUSES else 0.0


def _last_mark(paragraph: str) -> str:
    """Return the last character of a paragraph, ignoring white space and a closing quote or bracket."""
    last = paragraph[-1]
    if last.isspace() and not (last := paragraph.rstrip()[-1:]):
        return ""
    return paragraph.rstrip()[-2:][0] if last in CLOSERS else last


def _sentence_shape(text: str, sample: bytes, marks: bytes) -> float:
    """Rate the mean length of sentences, and of the parts between punctuation marks.

    Sentences are best from 25 to 250 characters and useless below 10 and above 600; their parts are best from
    16 to 130 and useless below 8 (lists of words with commas) and above 250 (lists of words without).
    """
    size = len(text)
    stops = sum(map(marks.count, (b".", b"!", b"?")))
    pauses = sum(map(marks.count, (b",", b";", b":")))
    if len(sample) > OTHER_SCRIPT * size:
        size = length_of(text)
        stops += sum(map(text.count, OTHER_ENDS))
        pauses += sum(map(text.count, OTHER_PAUSES))
        if count_unspaced(sample) > DENSE_SHARE * len(text):
            # Spaces separate sentences, and some of their parts.
            stops, pauses = max(stops, text.count(" ") // 2), pauses + text.count(" ") // 2
    sentence = size / max(stops, 1)
    part = size / max(stops + pauses, 1)
    shape = _ramp(sentence, 10.0, 25.0) * (1.0 - _ramp(sentence, 250.0, 600.0))
    return shape * _ramp(part, 8.0, 16.0) * (1.0 - _ramp(part, 130.0, 250.0))


def _plainness(size: int, marks: bytes) -> float:
    """Rate the share of digits (good up to 8 %) and of symbols (good up to 1.5 %)."""
    digits = len(marks) - len(marks.translate(None, _DIGITS))
    symbols = len(marks) - len(marks.translate(None, _SYMBOLS))
    return (1.0 - _ramp(digits / size, 0.08, 0.25)) * (1.0 - _ramp(symbols / size, 0.015, 0.06))


def _originality(text: str, sample: bytes, running: Sequence[str]) -> float:
    """Rate how far a fast compressor can shrink the text, and how many of its paragraphs are repeated."""
    distinct = len(set(running)) / len(running)
    if len(sample) < RATIO_BYTES_MIN:
        return distinct
    # Text with three bytes per letter shrinks to a third even without repetition.
    size = len(sample) if len(sample) < 2 * len(text) else length_of(text)
    ratio = len(isal_zlib.compress(sample, 0)) / size
    return distinct * _ramp(ratio, 0.17, 0.35)


def _intactness(text: str) -> float:
    """Rate garbled characters: one in a thousand is bad, one in a hundred gives 0."""
    if text.isascii():
        return 1.0
    spoilt = text.count("\ufffd")
    for lead in _LEADS:
        if lead in text:
            spoilt += sum(piece[:1] in _FOLLOWERS for piece in text.split(lead)[1:])
    return 1.0 - _ramp(spoilt / len(text), 0.0002, 0.01)


def _ramp(value: float, low: float, high: float) -> float:
    """Return 0 up to `low`, 1 from `high` on, and interpolate in between."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
