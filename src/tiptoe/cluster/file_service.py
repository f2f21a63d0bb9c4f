"""How can others read the files of an agent?

It answers the requests of `file_protocol.py` from its crawl directory, in small pieces, because the same loop
keeps leases alive. The key `member.<name>` records that it took part and is never deleted, so that a reader
of the crawl knows whose files are missing.
"""

import asyncio
import contextlib
import fcntl
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable, OutOfDate
from tiptoe.cluster.file_protocol import (
    PIECE_BYTES_MAX,
    SUM_BYTES_MAX,
    FileEntry,
    FilePart,
    FilesReply,
    FilesRequest,
    PieceReply,
    PieceRequest,
    UnknownFile,
    check_agent,
    checksum,
    is_figures,
    part_of,
)
from tiptoe.errors import CrawlerError

__all__ = ["AgentNote", "FileService", "lasting_bytes", "list_files"]

FILES_PER_ANSWER: Final = 5000
RETRY_SECONDS: Final = 5.0
UNDERWAY_SUFFIX: Final = ".underway"


class AgentNote(msgspec.Struct, frozen=True, array_like=True):
    """An agent that takes or took part in the crawl."""

    name: str
    left_bytes: dict[str, int] | None = None  # by part, when it left; None: it has not


class FilesWithheld(CrawlerError):
    """Others may not read these files at the moment."""


class FileService:
    """Serves the files of one agent while `run` runs."""

    def __init__(
        self, engine: Engine, agent: str, directory: Path, *, withheld: Callable[[], str] = lambda: ""
    ) -> None:
        """`withheld` says why all but the logs may not be read at the moment; empty: they may."""
        self._engine = engine
        self._agent = check_agent(agent)
        self._directory = directory
        self._withheld = withheld

    async def run(self) -> None:
        """Serve until cancelled."""
        async with (
            self._engine.serve(f"agent.{self._agent}.files", self._list),
            self._engine.serve(f"agent.{self._agent}.file", self._read),
        ):
            await self._note(AgentNote(self._agent))
            await asyncio.Event().wait()

    async def announce_leaving(self) -> None:
        """Note the final sizes, so that a reader that has all files need not look for this agent any more.

        To be called when its harvesters have ended and their files are finished.
        """
        sizes = lasting_bytes(self._directory, tuple(FilePart))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RETRY_SECONDS):
                await self._note(AgentNote(self._agent, sizes))

    async def _note(self, note: AgentNote) -> None:
        key, value = f"member.{self._agent}", msgspec.msgpack.encode(note)
        while True:
            with contextlib.suppress(EngineUnavailable, OutOfDate):
                found = await self._engine.get(key)
                if found is None or found.value != value:
                    await self._engine.put(key, value, revision=found.revision if found else 0)
                return
            await asyncio.sleep(RETRY_SECONDS)

    def _expect_open(self, parts: Iterable[FilePart]) -> None:
        if set(parts) - {FilePart.LOGS} and (reason := self._withheld()):
            raise FilesWithheld(reason)

    async def _list(self, data: bytes) -> bytes:
        try:
            asked = msgspec.msgpack.decode(data, type=FilesRequest)
            self._expect_open(asked.parts)
            files = sorted(list_files(self._directory, asked.parts), key=lambda entry: entry.name)
        except (msgspec.DecodeError, OSError, FilesWithheld) as error:
            return msgspec.msgpack.encode(FilesReply(fault=str(error)))
        behind = [entry for entry in files if entry.name > asked.after]
        some = behind[:FILES_PER_ANSWER]
        return msgspec.msgpack.encode(FilesReply(some, is_all=len(some) == len(behind)))

    async def _read(self, data: bytes) -> bytes:
        try:
            asked = msgspec.msgpack.decode(data, type=PieceRequest)
            self._expect_open([part_of(asked.name)])
            piece = _piece(self._directory, asked)
        except (msgspec.DecodeError, UnknownFile, FilesWithheld) as error:
            return msgspec.msgpack.encode(PieceReply(fault=str(error)))
        except OSError as error:
            is_gone = isinstance(error, FileNotFoundError)
            return msgspec.msgpack.encode(PieceReply(fault=str(error.strerror), is_gone=is_gone))
        kept = b"" if asked.is_sum_wanted else piece
        return msgspec.msgpack.encode(PieceReply(kept, len(piece), checksum(piece)))


def list_files(directory: Path, parts: tuple[FilePart, ...]) -> Iterator[FileEntry]:
    """Yield the files of a crawl directory that others may read, without links."""
    for folder in sorted(path for path in directory.iterdir() if path.is_dir()):
        for path in folder.iterdir():
            name = f"{folder.name}/{path.name}"
            with contextlib.suppress(UnknownFile, FileNotFoundError):
                if part_of(name) in parts and not _is_in_use(path):
                    found = path.lstat()
                    if stat.S_ISREG(found.st_mode):
                        yield FileEntry(name, found.st_size, found.st_mtime_ns)


def lasting_bytes(directory: Path, parts: tuple[FilePart, ...]) -> dict[str, int]:
    """Return the total size of each part, without the figures, which are written until the very end."""
    sizes = dict.fromkeys((part.value for part in parts), 0)
    for entry in list_files(directory, parts):
        if not is_figures(entry.name):
            sizes[part_of(entry.name).value] += entry.size
    return sizes


def _is_in_use(path: Path) -> bool:
    """Return whether this lists the requests under way of a live writer, who would look dead elsewhere."""
    if path.suffix != UNDERWAY_SUFFIX:
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _piece(directory: Path, asked: PieceRequest) -> bytes:
    part_of(asked.name)
    limit = SUM_BYTES_MAX if asked.is_sum_wanted else PIECE_BYTES_MAX
    if not (asked.offset >= 0 and 0 <= asked.length <= limit):
        raise UnknownFile(f"{asked.name} {asked.offset}+{asked.length}")
    # Links and pipes are not our files, and reading a pipe may never end.
    descriptor = os.open(directory / asked.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnknownFile(asked.name)
        return os.pread(descriptor, asked.length, asked.offset)
    finally:
        os.close(descriptor)
