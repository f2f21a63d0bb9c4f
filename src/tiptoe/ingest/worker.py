"""How does one of the reading processes work?

It takes units off a pipe, reads them, and tells what it found in batches, each with the position up to which
everything is told. It writes no file and asks nobody.
"""

import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

import msgspec

from tiptoe.convert.frames import framed, read_frame
from tiptoe.ingest.crew_messages import FromReader, Opened, ReadBatch, Unit, UnitDone
from tiptoe.ingest.file_position import FilePosition
from tiptoe.ingest.page_intake import PageIntake, ReadText
from tiptoe.ingest.unit_reading import ReadStep, first_position, read_unit
from tiptoe.ingest.unread import READ, Unread

__all__ = ["FRAME_BYTES_MAX", "messages_of", "serve"]

FRAME_BYTES_MAX: Final = 512 << 20
"""Of a message: a text of twenty million characters fits."""

BATCH_TEXTS: Final = 64
BATCH_CHARS: Final = 200_000
BATCH_SECONDS: Final = 0.5
NOTES_MAX: Final = 20
"""Places that are told of a batch; the log need not name every one of a million."""

UNTOLD: Final = frozenset({"other_record", "not_ok", "rules", "link_source", READ})
"""Reasons that are no trouble."""


def serve(units: BinaryIO, answers: BinaryIO, intake: PageIntake) -> None:
    """Work until nobody asks any more."""
    decode = msgspec.msgpack.Decoder(Unit).decode
    encode = msgspec.msgpack.Encoder().encode
    while (frame := read_frame(units, FRAME_BYTES_MAX)) is not None:
        for message in messages_of(decode(frame), intake):
            answers.write(framed(encode(message)))
            answers.flush()


def messages_of(
    unit: Unit, intake: PageIntake, clock: Callable[[], float] = time.monotonic
) -> Iterator[FromReader]:
    """Yield what is to be told of a unit."""
    before = _cpu_seconds()
    start: FilePosition | None = unit.start
    if not unit.is_exact:
        start = first_position(unit, intake)
        yield Opened(unit.number, start)
    if start is not None:
        yield from _batches(unit, start, intake, clock)
    yield UnitDone(unit.number, _cpu_seconds() - before)


def _batches(
    unit: Unit, start: FilePosition, intake: PageIntake, clock: Callable[[], float]
) -> Iterator[ReadBatch]:
    batch, counts, chars = ReadBatch(unit.number, start), Counter[str](), 0
    began_at = clock()
    for step in read_unit(unit, start, intake):
        chars += _add(batch, counts, step)
        is_much = len(batch.texts) >= BATCH_TEXTS or chars >= BATCH_CHARS
        if unit.is_careful or is_much or clock() - began_at >= BATCH_SECONDS:
            batch.counts = dict(counts)
            yield batch
            batch, counts, chars = ReadBatch(unit.number, step.end), Counter[str](), 0
            began_at = clock()
    batch.counts = dict(counts)
    yield batch


def _add(batch: ReadBatch, counts: Counter[str], step: ReadStep) -> int:
    """Add a step to a batch; return how long its texts are."""
    chars = 0
    batch.end = step.end
    if step.gone is not None:
        batch.gone.append(step.gone)
    for found in step.found:
        if isinstance(found, ReadText):
            batch.texts.append(found)
            chars += found.text_chars or sum(map(len, found.document.paragraphs))
        else:
            counts[str(found)] += 1
            # What could not be opened is tried again by the next run, so all of it has to be known.
            is_named = found == Unread.MISSING or len(batch.notes) < NOTES_MAX
            if found not in UNTOLD and is_named:
                batch.notes.append((str(found), step.place))
    return chars


def _cpu_seconds() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
