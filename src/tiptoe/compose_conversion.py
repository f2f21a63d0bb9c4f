"""How are the parts that judge the texts of documents put together?

Separate from `compose_judging.py`, because they need the index of texts, and with it the frontier.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiptoe import __version__
from tiptoe.compose_judging import duplicity_rules, text_store_point
from tiptoe.convert.text_judging import Judging, Rate
from tiptoe.harvest.comparer import Comparer
from tiptoe.keeper.text_index import TextIndex
from tiptoe.segment.catchup import Remote, rate_with
from tiptoe.segment.rating_batches import rate_in_batches
from tiptoe.segment.scorer import Scorer
from tiptoe.settings.layers import Settings
from tiptoe.text.language import LanguageIdentifier

__all__ = ["JUDGING_SETTINGS", "document_judging"]

JUDGING_SETTINGS: Final = (
    "text.min_chars", "text.detect_language", "text.languages",
    "text.duplicity", "text.duplicity_min_chars", "text.duplicity_max",
    "segmenter.url", "segmenter.timeout", "segmenter.batch", "segmenter.off",
)  # fmt: skip
"""The settings that determine how the texts of documents are judged."""


@contextlib.contextmanager
def document_judging(settings: Settings, directory: Path) -> Iterator[Judging]:
    """Yield the parts that judge the texts of documents, the same as for pages.

    If the keeper or the segmenter does not answer, a text stays unjudged, and the work continues.
    """
    identifier = LanguageIdentifier.load() if settings.text.detect_language else None
    rules = duplicity_rules(settings)
    with TextIndex(directory) as index, _rating(settings) as rate:
        yield Judging(
            store=text_store_point(settings),
            identify=identifier.identify_document if identifier else None,
            compare=Comparer(index.look, rules) if rules else None,
            rate=rate,
        )


@contextlib.contextmanager
def _rating(settings: Settings) -> Iterator[Rate | None]:
    own = settings.segmenter
    if own.off:
        yield None
    elif not own.url:
        yield rate_in_batches(rate_with(Scorer(wanted=settings.text.languages)), own.batch)
    else:
        agent = f"tiptoe/{__version__}"
        remote = Remote(own.url, agent, timeout_seconds=own.timeout, documents_max=own.batch)
        with contextlib.closing(remote):
            yield rate_in_batches(remote, own.batch)
