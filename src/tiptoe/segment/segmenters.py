"""Who rates the documents of a crawl?

Whoever it is, a crawl asks in the same way. No rating means that nobody could
tell in time; a rating without a usability, that there was too little text to judge.
The built-in one answers at once; see `segmenter_client` for one that lives elsewhere.
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
        """Return what there is to say of a document; None when nobody can say it now."""

    def take(self) -> Judged | None:
        """Return what came of asking since this was last called; None when there is nothing to say."""

    async def close(self) -> None:
        """End what is under way."""


class BuiltIn:
    """The scorer in this very process: nothing to wait for, nothing that can fail."""

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

    Raises SettingsError for a language that the model does not know.
    """
    identifier = LanguageIdentifier.load(languages)

    def identify(paragraphs: Sequence[str]) -> tuple[str, float]:
        found = identifier.identify_document(paragraphs)
        return found.language, found.confidence

    return Scorer(identify, wanted=languages)
