"""How are many texts rated, some at a time?"""

import contextlib
from collections.abc import Iterator

from tiptoe.convert.text_judging import Candidate, Rate
from tiptoe.errors import ProtocolError
from tiptoe.segment.catchup import RateTexts
from tiptoe.segment.segmenter_protocol import TEXT_CHARS_MAX, SubmittedText, cut_text

__all__ = ["rate_in_batches"]


def rate_in_batches(rate: RateTexts, documents_max: int) -> Rate:
    """Return what rates texts, so many at a time; no answer is an answer too."""

    def rate_all(candidates: list[Candidate]) -> list[float | None]:
        usabilities: dict[str, float | None] = {}
        for batch in _batches(candidates, documents_max):
            # `tiptoe segmenter catch-up` rates later what nobody could rate now.
            with contextlib.suppress(ProtocolError):
                usabilities |= {id: rating.usability for id, rating in rate(batch).items()}
        return [usabilities.get(str(number)) for number in range(len(candidates))]

    return rate_all


def _batches(candidates: list[Candidate], documents_max: int) -> Iterator[list[SubmittedText]]:
    batch: list[SubmittedText] = []
    chars = 0
    for number, candidate in enumerate(candidates):
        paragraphs = cut_text(candidate.text.paragraphs)
        size = sum(map(len, paragraphs))
        if batch and (len(batch) >= documents_max or chars + size > TEXT_CHARS_MAX):
            yield batch
            batch, chars = [], 0
        language = candidate.spoken.language if candidate.spoken else ""
        batch.append(SubmittedText(str(number), candidate.stored.url, language, paragraphs))
        chars += size
    if batch:
        yield batch
