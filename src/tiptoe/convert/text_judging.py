"""How is the text of a document judged, and does it enter the corpus?

As for pages, the decision point `store` decides: at first sight, then with the language, then with the
duplicity. The functions that find these out are passed in; one that is missing is not used. Languages are
detected here; duplicity and usability are determined in batches, possibly by another process.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tiptoe.convert.reading import TextDocument
from tiptoe.decide.discard import Discard
from tiptoe.decide.storing import CandidateText, StorePoint, store_point
from tiptoe.text.language import DocumentLanguage
from tiptoe.write.documents import StoredDocument

__all__ = ["Candidate", "Compare", "Comparison", "Judging", "Rate", "Verdict"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may enter the corpus."""

    stored: StoredDocument
    text: TextDocument
    spoken: DocumentLanguage | None = None  # None: not detected


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much of a text is known."""

    duplicity: float | None  # None: unknown
    repeated: list[int] = field(default_factory=list)
    fingerprint: bytes = b""  # by which the text is recognised from now on


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one text; None: not determined, or unknown."""

    reason: Discard | None = None  # why it does not enter the corpus
    spoken: DocumentLanguage | None = None
    usability: float | None = None
    duplicity: float | None = None
    repeated: list[int] | None = None
    fingerprint: bytes = b""


Identify = Callable[[Sequence[str]], DocumentLanguage]
Compare = Callable[[list[Candidate]], list[Comparison]]
"""Compares texts with the corpus, and each with the texts before it."""

Rate = Callable[[list[Candidate]], list[float | None]]
"""Returns the usability of each text; None if it is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Judges texts in batches."""

    store: StorePoint = field(default_factory=store_point)
    identify: Identify | None = None
    compare: Compare | None = None
    rate: Rate | None = None

    def __call__(self, batch: Sequence[tuple[StoredDocument, TextDocument]]) -> list[Verdict]:
        """Return the judgement on each text, in order."""
        verdicts: list[Verdict] = []
        candidates: list[Candidate] = []
        places: list[int] = []
        for stored, text in batch:
            verdict = self._at_sight(stored.url, text)
            if verdict.reason is None:
                places.append(len(verdicts))
                candidates.append(Candidate(stored, text, verdict.spoken))
            verdicts.append(verdict)
        for place, verdict in zip(places, self._together(candidates), strict=True):
            verdicts[place] = verdict
        return verdicts

    def _at_sight(self, url: str, text: TextDocument) -> Verdict:
        candidate = CandidateText(url, has_text=bool(text.paragraphs), paragraphs=text.paragraphs)
        refused = self.store.refusal(candidate)
        if refused is not None or self.identify is None:
            return Verdict(refused)
        spoken = self.identify(text.paragraphs)
        candidate.language = spoken.language
        return Verdict(self.store.refusal(candidate), spoken)

    def _together(self, candidates: list[Candidate]) -> list[Verdict]:
        if not candidates:
            return []
        known: Sequence[Comparison | None] = [None] * len(candidates)
        if self.compare:
            known = self.compare(candidates)
        judged = [
            (candidate, found, self._refusal(candidate, found))
            for candidate, found in zip(candidates, known, strict=True)
        ]
        kept = [candidate for candidate, _, refused in judged if refused is None]
        ratings: Sequence[float | None] = [None] * len(kept)
        if self.rate and kept:
            ratings = self.rate(kept)
        rated = iter(ratings)
        return [
            Verdict(refused, candidate.spoken) if refused else _verdict(candidate.spoken, found, rated)
            for candidate, found, refused in judged
        ]

    def _refusal(self, candidate: Candidate, found: Comparison | None) -> Discard | None:
        # If a document is back, the known text may be its own from before it was gone.
        if found is None or candidate.stored.is_back:
            return None
        return self.store.refusal(CandidateText(candidate.stored.url, duplicity=found.duplicity))


def _verdict(
    spoken: DocumentLanguage | None, found: Comparison | None, rated: Iterator[float | None]
) -> Verdict:
    """Return the judgement on a text that is kept; only those have been rated."""
    if found is None:
        return Verdict(None, spoken, next(rated))
    repeated = None if found.duplicity is None else found.repeated
    return Verdict(None, spoken, next(rated), found.duplicity, repeated, found.fingerprint)
