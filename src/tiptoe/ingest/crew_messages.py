"""Which messages do the writing process and the reading processes exchange?

They are sent in frames over pipes (`convert/frames.py`). Messages from a reader, which a hostile page may
have taken over, are checked in form and limited in length.
"""

import msgspec

from tiptoe.ingest.file_position import BEGINNING, FilePosition
from tiptoe.ingest.page_intake import ReadText
from tiptoe.ingest.source_files import FileKind
from tiptoe.write.gone import GonePage

__all__ = ["FromReader", "Opened", "ReadBatch", "Unit", "UnitDone"]


class Unit(msgspec.Struct, array_like=True, frozen=True):
    """A piece of work: a part of an archive, a mailbox, or some files."""

    number: int
    kind: FileKind
    paths: list[bytes]  # as bytes; several single files, each with its version, or one other file
    versions: list[int] = []
    start: FilePosition = BEGINNING  # for single files: the index in the list
    stop: int = 0  # read records of an archive that begin before this offset
    is_exact: bool = True  # a record begins at `start`; False: find the first one after it
    is_careful: bool = False  # report each text separately: one of them has killed a reader
    passes: bool = False  # skip the first text: it is the one that kills


class Opened(msgspec.Struct, array_like=True, frozen=True, tag="opened"):
    """Where the first record of a unit begins; None: it has none."""

    number: int
    first: FilePosition | None


class ReadBatch(msgspec.Struct, array_like=True, tag="batch"):
    """What was read from a unit since the last batch, up to a position."""

    number: int
    end: FilePosition
    texts: list[ReadText] = []
    gone: list[GonePage] = []
    counts: dict[str, int] = {}  # what yielded no text, by reason
    notes: list[tuple[str, str]] = []  # reason and place of some of these, for the log


class UnitDone(msgspec.Struct, array_like=True, frozen=True, tag="done"):
    """The unit is finished."""

    number: int
    cpu_seconds: float = 0.0


FromReader = Opened | ReadBatch | UnitDone
