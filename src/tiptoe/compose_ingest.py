"""How are the processes of `tiptoe read` put together?

From the parts that `compose` builds for a crawl, without the network; a separate module, so that a crawl does
not import it.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from typing import BinaryIO, Final

import msgspec

from tiptoe.compose_judging import (
    documents_kept,
    duplicity_rules,
    field_rules,
    text_extraction,
    text_store_point,
)
from tiptoe.convert.confinement import DocumentBounds, leave_network
from tiptoe.convert.frames import read_frame
from tiptoe.convert.sandbox import Sandbox
from tiptoe.decide.parsing import parse_point
from tiptoe.ingest.ingester import IngestPlan
from tiptoe.ingest.page_intake import IntakeRules, PageIntake
from tiptoe.ingest.worker import FRAME_BYTES_MAX, serve
from tiptoe.observe.process import die_with_parent, spare_the_collector, stopping_signals
from tiptoe.segment.scorer import Scorer
from tiptoe.settings.layers import Settings
from tiptoe.text.language import LanguageIdentifier

__all__ = ["READ_SETTINGS", "ingest_plan", "page_intake", "read_units", "reader_greeting"]

READ_SETTINGS: Final = (
    "text.extraction", "text.strictness", "text.min_chars", "text.detect_language", "text.languages",
    "text.respect_tdm", "text.duplicity", "text.duplicity_min_chars", "text.duplicity_max", "text.fields",
    "text.field_rules", "segmenter.off",
    "documents.convert", "documents.types", "documents.timeout", "documents.memory",
    "fetch.decoded_max", "write.corpus_size", "write.encoding", "crawl.name",
)  # fmt: skip
"""The settings that determine how texts are read: those of a crawl that do not concern requests."""

SILENCE_SECONDS: Final = 120.0
"""Time added to the limit for a document; a reader that is silent for longer is given up."""


def reader_greeting(settings: Settings) -> bytes:
    """Return the first message to a reading process: its settings."""
    return msgspec.json.encode(settings.to_dict())


def read_units(units: BinaryIO, output: BinaryIO) -> None:
    """Work as a reading process: read the units given, until the parent process closes the pipe."""
    die_with_parent()
    leave_network()  # its input may be hostile, and it needs no network
    # Terminals and service managers signal all processes of a command: the parent process handles it, and
    # may let us finish our work.
    for number in stopping_signals():
        signal.signal(number, signal.SIG_IGN)
    answers = os.fdopen(os.dup(output.fileno()), "wb")
    os.dup2(2, 1)  # output of libraries must not get between the answers
    greeting = read_frame(units, FRAME_BYTES_MAX)
    if greeting is None:
        return
    with page_intake(greeting) as intake:
        spare_the_collector()
        serve(units, answers, intake)


@contextlib.contextmanager
def page_intake(greeting: bytes) -> Iterator[PageIntake]:
    """Yield the parts that read texts from elsewhere, the same as in a crawl."""
    settings = Settings.from_dict(msgspec.json.decode(greeting))
    duplicity = duplicity_rules(settings)
    scorer = None if settings.segmenter.off else Scorer(wanted=settings.text.languages)
    identifier = LanguageIdentifier.load() if settings.text.detect_language else None
    rules = IntakeRules(
        agent=settings.crawl.name,
        decoded_bytes_max=settings.fetch.decoded_max,
        parse=parse_point(documents_kept(settings)),
        store=text_store_point(settings),
        extraction=text_extraction(settings),
        identify=identifier.identify_document if identifier else None,
        rate=(lambda text, language: scorer.rate(text, language).usability) if scorer else None,
        compared_chars_min=duplicity.chars_min if duplicity else 0,
        rule_book=field_rules(settings),
    )
    bounds = DocumentBounds(settings.documents.timeout, settings.documents.memory)
    with Sandbox(bounds) as sandbox:
        yield PageIntake(rules, sandbox.read)


def ingest_plan(settings: Settings) -> IngestPlan:
    """Return how texts from elsewhere are written."""
    return IngestPlan(
        corpus_bytes_max=settings.write.corpus_size,
        corpus_encoding=settings.write.encoding,
        store=text_store_point(settings),
        duplicity=duplicity_rules(settings),
        silence_seconds=settings.documents.timeout + SILENCE_SECONDS,
    )
