"""How does a reading process work?

It takes units from a pipe, reads them, and reports its findings in batches, each with the position up to
which everything has been reported. It writes no files and makes no requests.
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
"""Maximum size of a message: enough for a text of twenty million characters."""

BATCH_TEXTS: Final = 64
BATCH_CHARS: Final = 200_000
BATCH_SECONDS: Final = 0.5
NOTES_MAX: Final = 20
"""Maximum number of places reported per batch: the log need not name a million of them."""

UNTOLD: Final = frozenset({"other_record", "not_ok", "rules", "link_source", READ})
"""Reasons that are normal, so their places are not reported."""


def serve(units: BinaryIO, answers: BinaryIO, intake: PageIntake) -> None:
    """Process units until there are no more."""
    decode = msgspec.msgpack.Decoder(Unit).decode
    encode = msgspec.msgpack.Encoder().encode
    while (frame := read_frame(units, FRAME_BYTES_MAX)) is not None:
        for message in messages_of(decode(frame), intake):
            answers.write(framed(encode(message)))
            answers.flush()


def messages_of(
    unit: Unit, intake: PageIntake, clock: Callable[[], float] = time.monotonic
) -> Iterator[FromReader]:
    """Yield the messages about a unit."""
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
    """Add a step to a batch; return the length of its texts."""
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
            # The next run tries again what could not be opened, so every such file must be reported.
            is_named = found == Unread.MISSING or len(batch.notes) < NOTES_MAX
            if found not in UNTOLD and is_named:
                batch.notes.append((str(found), step.place))
    return chars


def _cpu_seconds() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
