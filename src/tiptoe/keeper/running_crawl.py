"""How does a program talk to the crawl that runs in a directory?"""

import asyncio
import shlex
from pathlib import Path
from typing import Final, TypeVar

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.keeper.directory import CrawlDirectory, find_keeper
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.protocol.messages import FromKeeper, Hello, Refusal
from tiptoe.protocol.operator import Command
from tiptoe.protocol.wire import Connection

__all__ = ["ask"]

ANSWER_SECONDS: Final = 30.0
"""Maximum wait for a reply; above it the crawl counts as not answering."""

Expected = TypeVar("Expected")


def ask(directory: Path, command: Command, expected: type[Expected]) -> Expected:
    """Send one command to the crawl in a directory and return its reply."""
    if find_keeper(directory) is None:
        lives = (directory / MARKER).exists()
        hint = f"; `tiptoe stats {shlex.quote(str(directory))}` shows what it has brought" if lives else ""
        raise SettingsError(f"{directory}: no crawl is running there{hint}")
    reply = asyncio.run(_ask(CrawlDirectory(directory).socket, command))
    if isinstance(reply, Refusal):
        raise CrawlerError(reply.reason)
    if not isinstance(reply, expected):
        raise CrawlerError("the crawl ended before it answered")
    return reply


async def _ask(socket: Path, command: Command) -> FromKeeper | None:
    try:
        reader, writer = await asyncio.open_unix_connection(str(socket))
    except OSError as error:
        raise CrawlerError(f"{socket}: the crawl does not answer: {error.strerror}") from error
    connection: Connection[FromKeeper] = Connection(reader, writer, FromKeeper)
    try:
        connection.send(Hello("control"))
        connection.send(command)
        return await asyncio.wait_for(connection.receive(), ANSWER_SECONDS)
    except TimeoutError as error:
        raise CrawlerError(f"{socket}: the crawl does not answer within {ANSWER_SECONDS:g} s") from error
    finally:
        connection.close()
