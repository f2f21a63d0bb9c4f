"""What is thought of the text of a document, and does it enter the corpus?

The same questions as for pages: long enough, in a language wanted, said before,
how usable? Whoever answers is passed in; who is not passed in is not asked.
Languages are told here, the other two in batches: they may live elsewhere.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tiptoe.convert.reading import Reason, TextDocument
from tiptoe.text.density import is_shorter
from tiptoe.text.language import DocumentLanguage
from tiptoe.write.documents import StoredDocument

__all__ = ["Candidate", "Compare", "Comparison", "Judging", "Rate", "Verdict"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may enter the corpus."""

    stored: StoredDocument
    text: TextDocument
    spoken: DocumentLanguage | None = None  # None: nobody looked


@dataclass(frozen=True, slots=True)
class Comparison:
    """What of a text is known."""

    duplicity: float | None  # None: nobody could say
    repeated: list[int] = field(default_factory=list)
    is_copy: bool = False
    fingerprint: bytes = b""  # by which it is to be known from now on


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is thought of one text; None means that nobody was asked, or could say."""

    reason: Reason | None = None  # why it does not enter the corpus
    spoken: DocumentLanguage | None = None
    usability: float | None = None
    duplicity: float | None = None
    repeated: list[int] | None = None
    fingerprint: bytes = b""


Identify = Callable[[Sequence[str]], DocumentLanguage]
Compare = Callable[[list[Candidate]], list[Comparison]]
"""Compares texts with the corpus, and each with those before it."""

Rate = Callable[[list[Candidate]], list[float | None]]
"""Returns the usability of each text; None where nobody could say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Judges texts in batches."""

    chars_min: int = 0
    identify: Identify | None = None
    wanted: Collection[str] = ()
    compare: Compare | None = None
    rate: Rate | None = None

    def __call__(self, batch: Sequence[tuple[StoredDocument, TextDocument]]) -> list[Verdict]:
        """Return what is thought of each text, in their order."""
        verdicts: list[Verdict] = []
        candidates: list[Candidate] = []
        places: list[int] = []
        for stored, text in batch:
            verdict = self._at_sight(text)
            if verdict.reason is None:
                places.append(len(verdicts))
                candidates.append(Candidate(stored, text, verdict.spoken))
            verdicts.append(verdict)
        for place, verdict in zip(places, self._together(candidates), strict=True):
            verdicts[place] = verdict
        return verdicts

    def _at_sight(self, text: TextDocument) -> Verdict:
        if is_shorter(text.paragraphs, self.chars_min):
            return Verdict(Reason.NO_TEXT)
        spoken = self.identify(text.paragraphs) if self.identify else None
        if spoken and self.wanted and spoken.language not in self.wanted:
            return Verdict(Reason.OTHER_LANGUAGE, spoken)
        return Verdict(None, spoken)

    def _together(self, candidates: list[Candidate]) -> list[Verdict]:
        if not candidates:
            return []
        known: Sequence[Comparison | None] = [None] * len(candidates)
        if self.compare:
            known = [
                # What is known of it may be what it said itself before it left.
                replace(found, is_copy=False) if candidate.stored.is_back else found
                for candidate, found in zip(candidates, self.compare(candidates), strict=True)
            ]
        pairs = list(zip(candidates, known, strict=True))
        kept = [candidate for candidate, found in pairs if not (found and found.is_copy)]
        ratings: Sequence[float | None] = [None] * len(kept)
        if self.rate and kept:
            ratings = self.rate(kept)
        rated = iter(ratings)
        return [_verdict(candidate.spoken, found, rated) for candidate, found in pairs]


def _verdict(
    spoken: DocumentLanguage | None, found: Comparison | None, rated: Iterator[float | None]
) -> Verdict:
    """Return what is thought of a text; only those that are kept have been rated."""
    if found is None:
        return Verdict(None, spoken, next(rated))
    if found.is_copy:
        return Verdict(Reason.DUPLICATE, spoken)
    repeated = None if found.duplicity is None else found.repeated
    return Verdict(None, spoken, next(rated), found.duplicity, repeated, found.fingerprint)
