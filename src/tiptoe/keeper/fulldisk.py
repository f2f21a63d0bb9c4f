"""What does a crawl do when its database finds the disk full?

The step that could not be written is half done in memory, and the database library accepts no write until it
is reopened. So the run ends as if killed, which loses nothing that was acknowledged. The crawl keeps its lock
and socket and waits for room, answering `tiptoe status` and `tiptoe stop`. Then the next run goes on.
"""

import asyncio
import contextlib
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.validation import refusal_of
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.run_figures import read_runs
from tiptoe.protocol.messages import Hello, Refusal, ToKeeper
from tiptoe.protocol.operator import Done, OperatorReply, ShowStatus, StatusReply, StopCrawl
from tiptoe.protocol.status import Cause, Status, Waiting, WaitReason
from tiptoe.protocol.wire import HELLO_BYTES_MAX, Connection

__all__ = ["ROOM_BYTES_MIN", "wait_for_room"]

ROOM_BYTES_MIN: Final = 16 << 20
"""Minimum free space for another try; below it the crawl waits, even if the operator's own limit is lower."""

LOOK_SECONDS: Final = 1.0
HELLO_SECONDS: Final = 10.0


async def wait_for_room(
    directory: CrawlDirectory,
    *,
    free_min: int,
    free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
    look_seconds: float = LOOK_SECONDS,
) -> bool:
    """Wait until there is room on the disk; return False if the crawl is told to stop instead."""
    needed = max(free_min, ROOM_BYTES_MIN)
    log = EventLog.at(directory.path / "log" / "keeper.log", "keeper")
    log.note("disk.full", free_bytes=free_bytes(directory.path), needed_bytes=needed)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        async with contextlib.AsyncExitStack() as stack:
            for server in await _listen(directory, stop):
                await stack.enter_async_context(server)
            while not stop.is_set():
                # Wait before the first look: a quota may be full although the disk is not.
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), look_seconds)
                if free_bytes(directory.path) >= needed and not stop.is_set():
                    log.note("disk.has_room", free_bytes=free_bytes(directory.path))
                    return True
    finally:
        log.close()
    return False


async def _listen(directory: CrawlDirectory, stop: asyncio.Event) -> list[asyncio.AbstractServer]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection: Connection[ToKeeper] = Connection(reader, writer, ToKeeper)
        with contextlib.suppress(Exception):  # nothing a peer does may end the wait
            await _answer(connection, directory.path, stop)
        connection.close()

    directory.socket.unlink(missing_ok=True)
    try:
        return [await asyncio.start_unix_server(serve, str(directory.socket))]
    except OSError:
        return []  # no room even for that


async def _answer(connection: Connection[ToKeeper], directory: Path, stop: asyncio.Event) -> None:
    hello = await asyncio.wait_for(connection.receive(HELLO_BYTES_MAX), HELLO_SECONDS)
    if not isinstance(hello, Hello) or hello.role == "harvester" or refusal_of(hello, "", needs_token=False):
        connection.send(Refusal("the crawl waits for room on the disk"))
    else:
        connection.send(_reply(await connection.receive(), directory, stop))
    await connection.drain()


def _reply(message: ToKeeper | None, directory: Path, stop: asyncio.Event) -> OperatorReply | Refusal:
    if isinstance(message, StopCrawl):
        stop.set()
        return Done("the crawl no longer waits for room on the disk")
    if isinstance(message, ShowStatus):
        return StatusReply(_status(directory))
    return Refusal("the disk is full; the crawl listens again when there is room")


def _status(directory: Path) -> Status:
    """Return the last figures that were written, with the full disk as the trouble."""
    return msgspec.structs.replace(
        read_runs(directory).last or Status(),
        holds=["disk"],
        troubles=["the disk is full; the crawl goes on when there is room"],
        waiting=Waiting(reasons=[WaitReason(cause=Cause.DISK)]),
    )
