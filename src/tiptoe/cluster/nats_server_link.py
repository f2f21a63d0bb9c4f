"""How does the keeper of a server inspect the servers of a cluster, and tell them something?

Through the system account, which only the servers' own keepers may use. All of them receive a book of the
cluster that one sends; each merges it with its own, makes its server reload, and answers.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
import nats.errors
from nats.aio.msg import Msg

from tiptoe.cluster.cluster_book import ClusterBook
from tiptoe.cluster.credentials import Credentials
from tiptoe.cluster.engine import EngineUnavailable
from tiptoe.cluster.nats_connection import NatsConnection, honouring_cancel
from tiptoe.errors import ProtocolError

__all__ = ["ServerLink", "ServerSeen"]

BOOK_SUBJECT = "tiptoe.book"
ANSWER_SECONDS = 1.0
RELOAD_SECONDS = 5.0
CONNECTIONS_MAX = 1000


class _Server(msgspec.Struct, frozen=True):
    name: str
    id: str


class _Answer(msgspec.Struct, frozen=True):
    server: _Server
    data: dict[str, Any] = {}
    error: dict[str, Any] | None = None


class ServerSeen(msgspec.Struct, frozen=True):
    """One server of a cluster as it describes itself."""

    name: str
    id: str
    storage_bytes: int
    leader: str  # of the cluster; empty: there is none, and nothing can be created
    members: tuple[str, ...]  # connected to it, by their own names
    is_whole: bool = True  # it has all data that it should store


class ServerLink:
    """A connection to the servers themselves."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    @classmethod
    @asynccontextmanager
    async def to(cls, credentials: Credentials) -> AsyncIterator["ServerLink"]:
        """Connect while the context lasts."""
        # The options require the name of a crawl; this one is never used.
        connection = NatsConnection(credentials.options("system", member="tiptoe-server"))
        try:
            yield cls(connection)
        finally:
            await connection.close()

    async def look(self, servers: int) -> list[ServerSeen]:
        """Ask all servers, of which there should be this many, for their state and their connections."""
        stored = await self._ask_all("$SYS.REQ.SERVER.PING.JSZ", b"{}", servers)
        connected = await self._ask_all(
            "$SYS.REQ.SERVER.PING.CONNZ", msgspec.json.encode({"limit": CONNECTIONS_MAX}), servers
        )
        health = await self._ask_all("$SYS.REQ.SERVER.PING.HEALTHZ", b"{}", servers)
        whole = {answer.server.id for answer in health if answer.data.get("status") == "ok"}
        members = {answer.server.id: _members(answer.data) for answer in connected}
        return sorted(
            (
                ServerSeen(
                    answer.server.name,
                    answer.server.id,
                    int(answer.data.get("storage", 0)),
                    str(answer.data.get("meta_cluster", {}).get("leader", "")),
                    members.get(answer.server.id, ()),
                    answer.server.id in whole,
                )
                for answer in stored
            ),
            key=lambda seen: seen.name,
        )

    async def reload(self, server: str) -> None:
        """Make a server, given by its name, reload its configuration."""
        only = msgspec.json.encode({"server_name": server})
        found = await self._ask_all("$SYS.REQ.SERVER.PING.JSZ", only, 1)
        if not found:
            raise EngineUnavailable(f"server {server} does not answer")
        client = await self._connection.client()
        try:
            subject = f"$SYS.REQ.SERVER.{found[0].server.id}.RELOAD"
            reply = await honouring_cancel(client.request(subject, b"", timeout=RELOAD_SECONDS))
        except (nats.errors.Error, OSError) as error:
            raise EngineUnavailable(f"server {server} has not read its configuration ({error})") from error
        answer = msgspec.json.decode(reply.data, type=_Answer)
        if answer.error is not None:
            raise ProtocolError(f"server {server} refuses its configuration: {answer.error}")

    async def share(self, book: ClusterBook, servers: int) -> list[str]:
        """Send the book to all servers; return the names of those that have accepted it."""
        answers = await self._answers(BOOK_SUBJECT, msgspec.json.encode(book), servers, RELOAD_SECONDS)
        return sorted(answer.decode() for answer in answers if answer)

    async def hear(self, told: Callable[[ClusterBook], Awaitable[str]]) -> None:
        """Pass every book that others send to a callback, and answer them with its result."""

        async def take(message: Msg) -> None:
            with suppress(msgspec.MsgspecError):
                name = await told(msgspec.json.decode(message.data, type=ClusterBook))
                if message.reply:
                    with suppress(nats.errors.Error, OSError):
                        await message.respond(name.encode())

        await self._connection.serve(BOOK_SUBJECT, take)

    # -- requests with several answers ------------------------------------

    async def _ask_all(self, subject: str, data: bytes, servers: int) -> list[_Answer]:
        answers = await self._answers(subject, data, servers, ANSWER_SECONDS)
        return [msgspec.json.decode(answer, type=_Answer) for answer in answers]

    async def _answers(self, subject: str, data: bytes, wanted: int, seconds: float) -> list[bytes]:
        """Send a request; return the answers, up to this many (0: any number), that arrive in time."""
        found: list[bytes] = []
        client = await self._connection.client()
        try:
            inbox = client.new_inbox()
            subscription = await client.subscribe(inbox)
            try:
                await client.publish(subject, data, reply=inbox)
                async with asyncio.timeout(seconds):
                    while not wanted or len(found) < wanted:
                        message = await honouring_cancel(subscription.next_msg(timeout=seconds))
                        if (message.headers or {}).get("Status") == "503":
                            break  # no server can answer
                        found.append(message.data)
            except (TimeoutError, nats.errors.TimeoutError):
                pass
            finally:
                await subscription.unsubscribe()
        except (nats.errors.Error, OSError) as error:
            raise EngineUnavailable(f"the servers do not answer ({error})") from error
        return found


def _members(data: dict[str, Any]) -> tuple[str, ...]:
    names = (str(each.get("name", "")) for each in data.get("connections") or [])
    return tuple(sorted(name for name in names if name))
