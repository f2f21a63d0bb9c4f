"""What do the one who writes and those who read say to each other?

In frames over pipes (`convert/frames.py`). What comes from a reader, which a hostile page may have taken
over, is checked in its form and bounded in its length.
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
    paths: list[bytes]  # as the system knows them; single files, each with its version, else one
    versions: list[int] = []
    start: FilePosition = BEGINNING  # single files: the place in the list
    stop: int = 0  # records of an archive that begin before this byte
    is_exact: bool = True  # something begins at `start`; else the first record behind it is looked for
    is_careful: bool = False  # tell of each text by itself: one of them has killed a reader
    passes: bool = False  # pass over the first one: it is the one


class Opened(msgspec.Struct, array_like=True, frozen=True, tag="opened"):
    """Where the first record of a unit begins; None: there is none in it."""

    number: int
    first: FilePosition | None


class ReadBatch(msgspec.Struct, array_like=True, tag="batch"):
    """What was read of a unit since the last batch, up to a position."""

    number: int
    end: FilePosition
    texts: list[ReadText] = []
    gone: list[GonePage] = []
    counts: dict[str, int] = {}  # what brought no text, by reason
    notes: list[tuple[str, str]] = []  # reason and place of some of these, for the log


class UnitDone(msgspec.Struct, array_like=True, frozen=True, tag="done"):
    """All of a unit was told."""

    number: int
    cpu_seconds: float = 0.0


FromReader = Opened | ReadBatch | UnitDone
