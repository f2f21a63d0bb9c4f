"""What does a unit of work yield, text by text?

Each step has what was found and the position reached, which includes everything before it. A step is an
answer of an archive with the records that belong to it, a message of a mailbox, or a file of a list.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from tiptoe.ingest.archived_answer import answer_of, dated, note_of, place_of
from tiptoe.ingest.crew_messages import Unit
from tiptoe.ingest.file_intake import take_file
from tiptoe.ingest.file_position import FilePosition
from tiptoe.ingest.mail_intake import take_message
from tiptoe.ingest.mailbox import read_messages
from tiptoe.ingest.page_intake import PageIntake, ReadText, made_id
from tiptoe.ingest.source_files import FileKind, shown
from tiptoe.ingest.unread import Unread
from tiptoe.ingest.warc_input import InputRecord, first_record, read_records
from tiptoe.write.gone import GonePage

__all__ = ["ReadStep", "first_position", "read_unit"]

HEAD_BYTES_MAX: Final = 1 << 20
"""Maximum size of the head of an answer, in addition to its body."""

COMPANIONS_MAX: Final = 20
"""Maximum number of records kept with the answer that they belong to; normally there are two."""

RULES_PATH: Final = "/robots.txt"
OF_THE_WEB: Final = ("http://", "https://", "ftp://", "file://")
"""Beginnings of the URLs of answers. Under other URLs crawlers store their own data: logs (wget), the text
found in a page (Browsertrix), results of look-ups (Heritrix)."""


@dataclass(slots=True)
class ReadStep:
    """The result of one answer, message or file."""

    end: FilePosition
    found: list[ReadText | str] = field(default_factory=list)
    gone: GonePage | None = None
    place: str = ""  # for the log


def first_position(unit: Unit, intake: PageIntake) -> FilePosition | None:
    """Return where the first record begins in a part of an archive that was cut blindly."""
    with path_of(unit).open("rb") as file:
        bytes_max = _block_bytes_max(intake)
        return first_record(file, unit.start.offset, unit.stop, block_bytes_max=bytes_max)


def read_unit(unit: Unit, start: FilePosition, intake: PageIntake) -> Iterator[ReadStep]:
    """Yield the steps of a unit from a position on."""
    if unit.kind is FileKind.SINGLE:
        yield from _read_files(unit, start, intake)
        return
    path = path_of(unit)
    try:
        file = path.open("rb")
    except OSError:
        yield ReadStep(FilePosition(unit.stop), [Unread.MISSING], place=shown(path))
        return
    with file:
        read = _read_archive if unit.kind is FileKind.WARC else _read_mailbox
        yield from read(file, path, start, unit, intake)


def path_of(unit: Unit, place: int = 0) -> Path:
    """Return the path of a file of a unit."""
    return Path(os.fsdecode(unit.paths[place]))


def _read_files(unit: Unit, start: FilePosition, intake: PageIntake) -> Iterator[ReadStep]:
    for place in range(start.offset, len(unit.paths)):
        is_passed = unit.passes and place == start.offset
        path = path_of(unit, place)
        version = unit.versions[place] if place < len(unit.versions) else 1
        step = ReadStep(FilePosition(place + 1), place=shown(path))
        if is_passed:
            step.found.append(Unread.CRASHED)
        else:
            step.found += take_file(path, intake, version=version)
        yield step


def _read_mailbox(
    file: BinaryIO, path: Path, start: FilePosition, unit: Unit, intake: PageIntake
) -> Iterator[ReadStep]:
    for message in read_messages(file, start, bytes_max=intake.rules.decoded_bytes_max):
        is_passed = unit.passes and message.start == start
        found = Unread.CRASHED if is_passed else take_message(message, path, intake)
        yield ReadStep(message.end, [found], place=f"{shown(path)}:{message.start.offset}")


def _read_archive(
    file: BinaryIO, path: Path, start: FilePosition, unit: Unit, intake: PageIntake
) -> Iterator[ReadStep]:
    held: InputRecord | None = None  # waits for the records that belong to it
    companions: list[InputRecord] = []
    end, size = start, file.seek(0, 2)
    for record in read_records(file, start, block_bytes_max=_block_bytes_max(intake)):
        if record.is_companion and record.start != start:
            if record.kind == "metadata" and len(companions) < COMPANIONS_MAX:
                companions.append(record)
            end = record.end
            continue
        if held is not None:
            yield _taken(held, companions, path, end, intake, passes=unit.passes and held.start == start)
            held, companions = None, []
        if record.start.offset >= unit.stop:
            return
        held, end = record, record.end
        if record.fault is not None and end.offset >= size and unit.stop >= size:
            end = record.start  # it may be complete once the file has grown
    if held is not None:
        yield _taken(held, companions, path, end, intake, passes=unit.passes and held.start == start)


def _taken(
    record: InputRecord, companions: list[InputRecord], path: Path, end: FilePosition, intake: PageIntake,
    *, passes: bool,
) -> ReadStep:  # fmt: skip
    """Return the step of a record and the records that belong to it."""
    step = ReadStep(end, place=f"{shown(path)}:{record.start.offset}")
    if record.fault is not None:
        step.found.append(record.fault)
    elif passes:
        step.found.append(Unread.CRASHED)
    elif (answer := answer_of(record)) is None:
        is_answer = record.kind == "response"
        step.found.append(Unread.NO_ANSWER if is_answer else Unread.OTHER_RECORD)
    elif not answer.url.lower().startswith(OF_THE_WEB):
        step.found.append(Unread.OTHER_RECORD)
    else:
        note = note_of(companions)
        if note.is_gone:
            reason = note.discarded or ("redirect" if 300 <= answer.status < 400 else "")
            step.gone = GonePage(url=answer.url, gone_at=dated(record), status=answer.status, reason=reason)
        if not note.purpose and answer.url.partition("://")[2].partition("/")[2] == RULES_PATH[1:]:
            note = msgspec.structs.replace(note, purpose=Unread.RULES.value)
        place, at = place_of(record, path, answer.body), dated(record)
        if not place.record_id:
            place = replace(place, record_id=made_id(answer.url, f"{at} {place.payload_digest}"))
        found = intake.take(answer, place, note)
        if isinstance(found, ReadText) and at:
            # A moment in seconds would lose the microseconds.
            found.document = msgspec.structs.replace(found.document, fetched_at=at)
        step.found.append(found)
    return step


def _block_bytes_max(intake: PageIntake) -> int:
    return intake.rules.decoded_bytes_max + HEAD_BYTES_MAX
