"""How does a program talk to the crawl that runs in a directory?"""

import asyncio
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.keeper.directory import CrawlDirectory, find_keeper
from tiptoe.observe.crawl_marker import expect_requests
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.run_figures import run_statuses
from tiptoe.protocol.messages import FromKeeper, Hello, Refusal
from tiptoe.protocol.operator import Command
from tiptoe.protocol.wire import Connection

__all__ = ["ask", "ask_running"]

ANSWER_SECONDS: Final = 30.0
"""Maximum wait for a reply; above it the crawl counts as not answering."""

Expected = TypeVar("Expected")


def ask(directory: Path, command: Command, expected: type[Expected]) -> Expected:
    """Send one command to the crawl in a directory and return its reply."""
    if find_keeper(directory) is None:
        expect_requests(directory)
        raise SettingsError(f"{directory}: no crawl is running there{_ending_text(directory)}")
    return asyncio.run(ask_running(directory, command, expected))


async def ask_running(
    directory: Path, command: Command, expected: type[Expected], *, seconds: float = ANSWER_SECONDS
) -> Expected:
    """Do the same from within an event loop, for a crawl that is known to be running."""
    reply = await _ask(CrawlDirectory(directory).socket, command, seconds)
    if isinstance(reply, Refusal):
        raise CrawlerError(reply.reason)
    if not isinstance(reply, expected):
        raise CrawlerError("the crawl ended before it answered")
    return reply


def _ending_text(directory: Path) -> str:
    """Return what became of the crawl in a directory where none is running."""
    brought = f"`tiptoe stats {shlex.quote(str(directory))}` shows the results"
    runs = run_statuses(directory)
    if not runs:
        return f"; {brought}"
    last = runs[-1]
    moment = f"{datetime.fromtimestamp(last.now, UTC):%Y-%m-%d %H:%M} UTC"
    if not last.stopped_because:
        return f"; the last run was cut short at about {moment}. {brought}"
    return f"; the last run ended at {moment}: {in_plain_words(last.stopped_because)}. {brought}"


async def _ask(socket: Path, command: Command, seconds: float) -> FromKeeper | None:
    try:
        reader, writer = await asyncio.open_unix_connection(str(socket))
    except (ConnectionRefusedError, FileNotFoundError) as error:
        directory = socket.parent.parent
        raise CrawlerError(
            f"{directory}: the crawl is just starting or ending; try again in a moment"
        ) from error
    except OSError as error:
        raise CrawlerError(f"{socket}: the crawl does not answer: {error.strerror}") from error
    connection: Connection[FromKeeper] = Connection(reader, writer, FromKeeper)
    try:
        connection.send(Hello("control"))
        connection.send(command)
        return await asyncio.wait_for(connection.receive(), seconds)
    except TimeoutError as error:
        raise CrawlerError(f"{socket}: the crawl does not answer within {seconds:g} s") from error
    finally:
        connection.close()
