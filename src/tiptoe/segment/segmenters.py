"""Which segmenter rates the documents of a crawl?

All are used in the same way. No rating means that none was available in time; a
rating without a usability, that there was too little text to judge. The built-in one
answers at once; for one in another process see `segmenter_client`.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from tiptoe.protocol.messages import Judged
from tiptoe.segment.scorer import Scorer
from tiptoe.segment.segmenter_protocol import Rating
from tiptoe.text.language import LanguageIdentifier

__all__ = ["BuiltIn", "Segmenter", "scorer_for"]


class Segmenter(Protocol):
    """Rates documents, in time or not at all."""

    async def rate(self, url: str, language: str, paragraphs: list[str]) -> Rating | None:
        """Return the rating of a document; None if none is available now."""

    def take(self) -> Judged | None:
        """Return the results since the last call; None if there is nothing new."""

    async def close(self) -> None:
        """End what is under way."""


class BuiltIn:
    """The scorer in this process: it never has to be waited for and cannot fail."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    async def rate(self, url: str, language: str, paragraphs: list[str]) -> Rating | None:
        parts = self._scorer.rate(paragraphs, language)
        return Rating("", parts.usability, parts.annotations())

    def take(self) -> Judged | None:
        return None

    async def close(self) -> None:
        pass


def scorer_for(languages: Collection[str] = ()) -> Scorer:
    """Return the built-in scorer with a model of languages; only those named are usable, if any are.

    SettingsError for a language that the model does not know.
    """
    identifier = LanguageIdentifier.load(languages)

    def identify(paragraphs: Sequence[str]) -> tuple[str, float]:
        found = identifier.identify_document(paragraphs)
        return found.language, found.confidence

    return Scorer(identify, wanted=languages)
