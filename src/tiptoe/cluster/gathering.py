"""How are the files of other agents copied here?

They go into `members/<agent>/` of the crawl directory, under their original names. Bytes that are here
already are not copied again: a growing file is continued where the copy ends, after a check that its last
bytes are the same; finished files are compared by checksums. An interrupted copy is continued in the same
way.

    cut back there after a crash      cut here, too
    finished there (`.open` is gone)  renamed here, then compared as a whole
    replaced, or mended               copied again, beside the old one until it is complete
    withdrawn there, never finished   set aside here, with the suffix `.withdrawn`

Other files that an agent no longer lists stay here: they may be the last copies.
"""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from tiptoe.cluster.engine import Engine, NoResponse
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
    is_growing,
    part_of,
)
from tiptoe.cluster.file_service import AgentNote, lasting_bytes, list_files
from tiptoe.errors import CrawlerError
from tiptoe.observe.crawl_members import MEMBERS_FOLDER
from tiptoe.write.appendfile import OPEN_SUFFIX

__all__ = ["Gathered", "gather_files", "gathering_lock", "has_everything"]

ANSWER_SECONDS: Final = 10.0
TRIES: Final = 3
RETRY_SECONDS: Final = 0.5
TAIL_BYTES: Final = 64 * 1024
FILES_AT_ONCE: Final = 4
FRESH_SUFFIX: Final = ".gathering"
WITHDRAWN_SUFFIX: Final = ".withdrawn"
LOCK: Final = ".lock"

Advance = Callable[[int], object]
Told = TypeVar("Told", bound=msgspec.Struct)


class _Changed(Exception):
    """A file has changed since it was listed."""


class _Gone(Exception):
    """A file no longer exists at the agent."""


@dataclass(slots=True)
class Gathered:
    """The result of gathering from one agent."""

    agent: str
    is_there: bool = True  # it answered until all was copied
    files: int = 0  # that had changed
    received_bytes: int = 0
    faults: list[str] = field(default_factory=list)  # of single files

    @property
    def is_whole(self) -> bool:
        """Whether all files of the agent are here now."""
        return self.is_there and not self.faults


async def gather_files(
    engine: Engine,
    directory: Path,
    agents: Iterable[str],
    parts: Sequence[FilePart],
    *,
    expect: Advance = lambda size: None,
    advance: Advance = lambda size: None,
) -> list[Gathered]:
    """Copy new data from these agents; `expect` gets the bytes to come, `advance` those received."""
    folder = directory / MEMBERS_FOLDER
    folder.mkdir(exist_ok=True)
    with gathering_lock(directory):
        room = asyncio.Semaphore(FILES_AT_ONCE)
        copies = [
            _AgentCopy(engine, folder / check_agent(agent), agent, room, expect, advance) for agent in agents
        ]
        return list(await asyncio.gather(*(copy.update(tuple(parts)) for copy in copies)))


def has_everything(directory: Path, note: AgentNote, parts: Sequence[FilePart]) -> bool:
    """Return whether all files that an agent had when it left were gathered before."""
    folder = directory / MEMBERS_FOLDER / check_agent(note.name)
    if note.left_bytes is None or not folder.is_dir():
        return False
    sizes = lasting_bytes(folder, tuple(parts))
    return all(sizes[part.value] == note.left_bytes.get(part.value, 0) for part in parts)


@contextlib.contextmanager
def gathering_lock(directory: Path) -> Iterator[None]:
    """Keep other processes from changing the copies in a directory; CrawlerError if one does."""
    path = directory / MEMBERS_FOLDER / LOCK
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CrawlerError(f"{path.parent}: another process gathers files there; wait for it") from None
        yield


class _AgentCopy:
    """The copy of one agent's files."""

    def __init__(
        self, engine: Engine, folder: Path, agent: str, room: asyncio.Semaphore, expect: Advance,
        advance: Advance,
    ) -> None:  # fmt: skip
        self._engine = engine
        self._folder = folder
        self._agent = agent
        self._room = room
        self._expect = expect
        self._advance = advance
        self._done = Gathered(agent)

    async def update(self, parts: tuple[FilePart, ...]) -> Gathered:
        """Copy what is new, and return the result."""
        done = self._done
        try:
            entries = [entry async for entry in self._list(parts)]
            self._withdraw({entry.name for entry in entries}, parts)
            news = [entry for entry in entries if not self._is_here(entry)]
            self._expect(sum(max(0, entry.size - _size(self._place(entry))) for entry in news))
            waiting = iter(news)
            workers = [self._work(waiting) for _ in range(FILES_AT_ONCE)]
            ends = await asyncio.gather(*workers, return_exceptions=True)
            for fault in filter(None, ends):
                raise fault
        except NoResponse:
            done.is_there = False
        except CrawlerError as error:
            done.faults.append(str(error))
        return done

    async def _work(self, waiting: Iterator[FileEntry]) -> None:
        for entry in waiting:
            async with self._room:
                await self._update_file(entry)

    async def _list(self, parts: tuple[FilePart, ...]) -> AsyncIterator[FileEntry]:
        after = ""
        while True:
            asked = msgspec.msgpack.encode(FilesRequest(parts, after))
            reply = await self._ask("files", asked, FilesReply)
            if reply.fault:
                raise CrawlerError(f"its files cannot be listed: {reply.fault}")
            for entry in reply.files:
                if part_of(entry.name) not in parts or entry.name <= after:
                    raise UnknownFile(entry.name)
                after = entry.name
                yield entry
            if reply.is_all or not reply.files:
                return

    def _place(self, entry: FileEntry) -> Path:
        return self._folder / entry.name

    def _is_here(self, entry: FileEntry) -> bool:
        """Return whether the copy is complete: it then has the original's modification time."""
        try:
            found = self._place(entry).lstat()
        except FileNotFoundError:
            return False
        return (found.st_size, found.st_mtime_ns) == (entry.size, entry.modified_ns)

    def _withdraw(self, names: set[str], parts: tuple[FilePart, ...]) -> None:
        if not self._folder.is_dir():
            return
        for entry in list_files(self._folder, parts):
            final = entry.name.removesuffix(OPEN_SUFFIX)
            if entry.name.endswith(OPEN_SUFFIX) and not names & {entry.name, final}:
                path = self._place(entry)
                path.rename(path.with_name(path.name + WITHDRAWN_SUFFIX))

    # -- one file ----------------------------------------------------------

    async def _update_file(self, entry: FileEntry) -> None:
        try:
            for is_last in (False, False, True):
                if await self._try_file(entry, anew=is_last):
                    return
                found = await self._look_up(entry.name)
                if found is None:
                    return  # it no longer exists there
                entry = found
            raise CrawlerError(f"{entry.name}: changes faster than it can be read, or arrives damaged")
        except NoResponse:
            raise
        except CrawlerError as error:
            self._done.faults.append(str(error))

    async def _try_file(self, entry: FileEntry, *, anew: bool) -> bool:
        """Bring the copy to the listed state of the file; return False when that has changed since."""
        path = self._place(entry)
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.with_name(path.name + OPEN_SUFFIX)
        if before.exists() and not path.exists():
            before.rename(path)
        try:
            await self._bring_up(entry, path, anew=anew)
        except (_Changed, _Gone):
            return False
        os.utime(path, ns=(entry.modified_ns, entry.modified_ns))
        self._done.files += 1
        return True

    async def _look_up(self, name: str) -> FileEntry | None:
        """Return how a file is listed now; it may have been finished or cut a moment ago."""
        final = name.removesuffix(OPEN_SUFFIX)
        asked = FilesRequest((part_of(name),), after=final[:-1])
        reply = await self._ask("files", msgspec.msgpack.encode(asked), FilesReply)
        return next((entry for entry in reply.files if entry.name.removesuffix(OPEN_SUFFIX) == final), None)

    async def _bring_up(self, entry: FileEntry, path: Path, *, anew: bool) -> None:
        """Bring the copy to the length and content of the listed file."""
        fresh = path.with_name(path.name + FRESH_SUFFIX)
        is_final = _size(path) > 0 and not is_growing(entry.name)
        if anew or (is_final and not await self._is_alike(entry, path)):
            fresh.unlink(missing_ok=True)
        elif not fresh.exists():
            if _size(path) > entry.size:
                os.truncate(path, entry.size)
            await self._compare_tail(entry, path)
            await self._append(entry, path)
            return
        # The old copy stays readable until the new one is complete.
        await self._append(entry, fresh)
        if not await self._is_alike(entry, fresh):
            fresh.unlink()
            raise _Changed
        fresh.replace(path)

    async def _compare_tail(self, entry: FileEntry, path: Path) -> None:
        size = _size(path)
        start = max(0, size - TAIL_BYTES)
        if size and await self._sum(entry.name, start, size - start) != _sum_of(path, start, size - start):
            raise _Changed

    async def _is_alike(self, entry: FileEntry, path: Path) -> bool:
        """Return whether all bytes here are the same there."""
        size = _size(path)
        if size > entry.size:
            return False
        for start in range(0, size, SUM_BYTES_MAX):
            length = min(SUM_BYTES_MAX, size - start)
            if await self._sum(entry.name, start, length) != _sum_of(path, start, length):
                return False
        return True

    async def _append(self, entry: FileEntry, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            while size < entry.size:
                asked = PieceRequest(entry.name, size, min(PIECE_BYTES_MAX, entry.size - size))
                told = await self._piece(asked)
                if not told.data or len(told.data) > asked.length or checksum(told.data) != told.checksum:
                    raise _Changed
                _write_all(descriptor, told.data)
                size += len(told.data)
                self._done.received_bytes += len(told.data)
                self._advance(len(told.data))
        finally:
            os.close(descriptor)

    # -- requests ---------------------------------------------------------

    async def _sum(self, name: str, offset: int, length: int) -> int | None:
        """Return the checksum of a piece of the original; None when that is shorter."""
        told = await self._piece(PieceRequest(name, offset, length, is_sum_wanted=True))
        return told.checksum if told.length == length else None

    async def _piece(self, asked: PieceRequest) -> PieceReply:
        reply = await self._ask("file", msgspec.msgpack.encode(asked), PieceReply)
        if reply.is_gone:
            raise _Gone
        if reply.fault:
            raise CrawlerError(f"{asked.name}: {reply.fault}")
        return reply

    async def _ask(self, what: str, data: bytes, kind: type[Told]) -> Told:
        subject = f"agent.{self._agent}.{what}"
        tries_left = TRIES
        while True:
            tries_left -= 1
            try:
                answer = await self._engine.request(subject, data, seconds=ANSWER_SECONDS)
                return msgspec.msgpack.decode(answer, type=kind)
            except NoResponse:
                if not tries_left:
                    raise
                await asyncio.sleep(RETRY_SECONDS)
            except msgspec.DecodeError as error:
                raise CrawlerError(f"{subject}: an answer that makes no sense ({error})") from error


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _sum_of(path: Path, offset: int, length: int) -> int:
    with path.open("rb") as file:
        file.seek(offset)
        return checksum(file.read(length))


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
