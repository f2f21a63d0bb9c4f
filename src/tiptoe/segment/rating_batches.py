"""How are many texts rated in batches?"""

import contextlib

from tiptoe.convert.text_judging import Candidate, Rate
from tiptoe.errors import ProtocolError
from tiptoe.segment.catchup import RateTexts
from tiptoe.segment.segmenter_protocol import SubmittedText, cut_text, in_batches

__all__ = ["rate_in_batches"]


def rate_in_batches(rate: RateTexts, documents_max: int) -> Rate:
    """Return a function that rates texts in batches; texts without an answer get no rating."""

    def rate_all(candidates: list[Candidate]) -> list[float | None]:
        usabilities: dict[str, float | None] = {}
        for batch in in_batches((_submitted(*pair) for pair in enumerate(candidates)), documents_max):
            # `tiptoe segmenter catch-up` can rate later what could not be rated now.
            with contextlib.suppress(ProtocolError):
                usabilities |= {id: rating.usability for id, rating in rate(batch).items()}
        return [usabilities.get(str(number)) for number in range(len(candidates))]

    return rate_all


def _submitted(number: int, candidate: Candidate) -> SubmittedText:
    language = candidate.spoken.language if candidate.spoken else ""
    return SubmittedText(str(number), candidate.stored.url, language, cut_text(candidate.text.paragraphs))
