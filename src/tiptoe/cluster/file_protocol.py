"""Which messages do agents exchange about their files?

A reader of the whole crawl copies the files of the other agents. An agent answers at

    agent.<name>.files    FilesRequest -> FilesReply    the list of files, page by page
    agent.<name>.file     PieceRequest -> PieceReply    a piece of a file, or only its checksum

Rule: only outputs and logs can be requested, by names that the kinds of output files allow. Anything else
does not exist here: neither `state/`, nor a path that leads elsewhere. Both sides check.
"""

import enum
import re
from typing import Final

import msgspec
import xxhash

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.output_kinds import (
    ARCHIVE,
    ARCHIVE_INDEX,
    CONVERTED_TEXTS,
    CORPUS,
    DESCRIPTIONS,
    DISALLOWED_LIST,
    DOCUMENT_LIST,
    GONE_LIST,
    LATE_RATINGS,
    REQUEST_LOG,
    kind_of,
)

__all__ = [
    "PIECE_BYTES_MAX",
    "SUM_BYTES_MAX",
    "FileEntry",
    "FilePart",
    "FilesReply",
    "FilesRequest",
    "PieceReply",
    "PieceRequest",
    "UnknownFile",
    "check_agent",
    "checksum",
    "is_agent",
    "is_figures",
    "is_growing",
    "part_of",
]  # fmt: skip

PIECE_BYTES_MAX: Final = 1024 * 1024
SUM_BYTES_MAX: Final = 16 * 1024 * 1024
"""Maximum bytes per checksum, because computing it blocks the answering agent."""

NAME_CHARS_MAX: Final = 300


class FilePart(enum.Enum):
    """Groups of files that are requested together."""

    LOGS = "logs"
    TEXTS = "texts"
    INDEXES = "indexes"
    ARCHIVES = "archives"


PARTS: Final = {
    REQUEST_LOG: FilePart.LOGS,
    DISALLOWED_LIST: FilePart.LOGS,
    CONVERTED_TEXTS: FilePart.TEXTS,
    CORPUS: FilePart.TEXTS,
    GONE_LIST: FilePart.TEXTS,
    DESCRIPTIONS: FilePart.TEXTS,
    LATE_RATINGS: FilePart.TEXTS,
    ARCHIVE_INDEX: FilePart.INDEXES,
    ARCHIVE: FilePart.ARCHIVES,
    DOCUMENT_LIST: FilePart.ARCHIVES,
}
"""The part of each kind of output file; further kinds belong to the archives."""

FIGURES: Final = re.compile(r"log/figures-[0-9a-f]+\.json", re.ASCII)
UNDERWAY: Final = re.compile(r"log/requests-\w[\w.-]*\.underway", re.ASCII)
AGENT: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


class UnknownFile(CrawlerError):
    """A name that no file open to other agents can have."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name[:NAME_CHARS_MAX]!r}: not an output or a log of a crawl")


def part_of(name: str) -> FilePart:
    """Return the part of a file, finished or not, by its name below the crawl directory."""
    if len(name) <= NAME_CHARS_MAX:
        if is_figures(name) or UNDERWAY.fullmatch(name):
            return FilePart.LOGS
        kind = kind_of(name.removesuffix(OPEN_SUFFIX))
        if kind is not None:
            return PARTS.get(kind, FilePart.ARCHIVES)
    raise UnknownFile(name)


def is_growing(name: str) -> bool:
    """Return whether a file is only appended to; otherwise it is finished, or replaced as a whole."""
    return name.endswith(OPEN_SUFFIX) or kind_of(name) in (REQUEST_LOG, DISALLOWED_LIST)


def is_figures(name: str) -> bool:
    """Return whether a file has the figures of a run, which are replaced every few seconds."""
    return FIGURES.fullmatch(name) is not None


def is_agent(name: str) -> bool:
    """Return whether this can name an agent: it must fit as one word of a subject and as a directory name."""
    return AGENT.fullmatch(name) is not None


def check_agent(name: str) -> str:
    """Return the name of an agent; raise SettingsError if it is not valid."""
    if not is_agent(name):
        raise SettingsError(
            f"{name[:80]!r} cannot be the name of an agent: up to 64 letters, digits, - and _"
        )
    return name


def checksum(data: bytes | memoryview) -> int:
    """Return the checksum that shows whether bytes have arrived undamaged."""
    return xxhash.xxh3_64_intdigest(data)


class FileEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One file as it is when the list is made."""

    name: str
    size: int
    modified_ns: int


class FilesRequest(msgspec.Struct, frozen=True, array_like=True):
    """Request for the list of files of these parts, sorted by name, from after this one."""

    parts: tuple[FilePart, ...]
    after: str = ""


class FilesReply(msgspec.Struct, frozen=True, array_like=True):
    """Files in the order of their names."""

    files: list[FileEntry] = []
    is_all: bool = True  # there are none after these
    fault: str = ""


class PieceRequest(msgspec.Struct, frozen=True, array_like=True):
    """Request for bytes of a file."""

    name: str
    offset: int
    length: int
    is_sum_wanted: bool = False  # only the checksum


class PieceReply(msgspec.Struct, frozen=True, array_like=True):
    """As many of the requested bytes as the file has."""

    data: bytes = b""
    length: int = 0
    checksum: int = 0
    fault: str = ""
    is_gone: bool = False  # there is no such file, or no longer under this name
