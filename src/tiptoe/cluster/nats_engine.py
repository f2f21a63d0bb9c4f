"""How does NATS JetStream serve as the engine of a crawl?

See `engine.py` for the promises and `nats_streams.py` for the names. Single values are read from the leader
of their stream, never from a replica that may be behind.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Self

import nats.errors
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from tiptoe.cluster.engine import (
    EngineUnavailable,
    KeyChange,
    LogMessage,
    NoResponse,
    OutOfDate,
)
from tiptoe.cluster.engine_names import check_name, check_prefix, check_size
from tiptoe.cluster.engine_options import EngineOptions
from tiptoe.cluster.nats_connection import NatsConnection, honouring_cancel, is_missing_message
from tiptoe.cluster.nats_objects import NatsObjects
from tiptoe.cluster.nats_reader import NatsReader, StreamMessage
from tiptoe.cluster.nats_streams import CrawlStreams

__all__ = ["NatsEngine", "is_deleted"]

EXPECTED = "Nats-Expected-Last-Subject-Sequence"
OPERATION = "KV-Operation"
DELETED = frozenset({"DEL", "PURGE"})
ANSWERS_AT_ONCE_MAX = 64

log = logging.getLogger(__name__)


class NatsEngine:
    """The engine of one crawl over one connection."""

    def __init__(self, connection: NatsConnection, streams: CrawlStreams) -> None:
        self._connection = connection
        self._streams = streams
        self._objects = NatsObjects(connection, streams)

    def __repr__(self) -> str:
        return f"<NatsEngine {self._streams.bucket} {self._connection!r}>"

    @classmethod
    async def open(cls, options: EngineOptions) -> Self:
        """Connect; where `replicas` are given, create what is missing."""
        connection = NatsConnection(options)
        streams = CrawlStreams(options.crawl)
        try:
            await streams.open(connection, replicas=options.replicas)
        except BaseException:
            await connection.close()
            raise
        return cls(connection, streams)

    # -- keys ------------------------------------------------------------

    async def get(self, key: str) -> KeyChange | None:
        found = await self._last(self._streams.keys, self._streams.key(check_name(key)))
        return None if found is None or is_deleted(found.headers) else _change(key, found)

    async def put(self, key: str, value: bytes, *, revision: int = 0) -> int:
        check_size(check_name(key), value)
        try:
            return await self._publish(self._streams.key(key), value, {EXPECTED: str(revision)})
        except OutOfDate:
            # A deleted key does not exist, but its last revision is that of its deletion.
            found = None if revision else await self._last(self._streams.keys, self._streams.key(key))
            if found is None or not is_deleted(found.headers):
                raise
            return await self._publish(self._streams.key(key), value, {EXPECTED: str(found.seq)})

    async def delete(self, key: str, *, revision: int) -> None:
        if revision < 1:
            raise OutOfDate(f"{key}: what does not exist cannot be deleted")
        headers = {EXPECTED: str(revision), OPERATION: "DEL"}
        await self._publish(self._streams.key(check_name(key)), b"", headers)

    @asynccontextmanager
    async def watch(self, prefix: str) -> AsyncGenerator[AsyncIterator[KeyChange | None], None]:
        subjects = [self._streams.key(check_prefix(prefix)), self._streams.key(f"{prefix}.>")]
        reader = NatsReader(
            self._connection, self._streams.keys, subjects if prefix else [self._streams.key(">")]
        )
        async with aclosing(self._changes(reader)) as changes:
            yield changes

    async def _changes(self, reader: NatsReader) -> AsyncGenerator[KeyChange | None, None]:
        start = len(self._streams.key(""))
        async with aclosing(reader.latest(_is_gone)) as messages:
            async for message in messages:
                if message is None:
                    yield None
                else:
                    value = None if _is_gone(message) else message.data
                    yield KeyChange(message.subject[start:], value, message.sequence)

    # -- logs ------------------------------------------------------------

    async def append(self, subject: str, data: bytes, *, expected: int | None = None) -> int:
        check_size(subject, data)
        _, place = self._streams.log(subject)
        return await self._publish(place, data, {} if expected is None else {EXPECTED: str(expected)})

    async def last(self, subject: str) -> LogMessage | None:
        found = await self._last(*self._streams.log(subject))
        if found is None:
            return None
        return LogMessage(found.seq or 0, found.data or b"", _expected(found.headers))

    @asynccontextmanager
    async def follow(
        self, subject: str, *, after: int = 0
    ) -> AsyncGenerator[AsyncIterator[LogMessage | None], None]:
        stream, place = self._streams.log(subject)
        reader = NatsReader(self._connection, stream, [place])
        async with aclosing(_log_messages(reader, after)) as messages:
            yield messages

    async def cut(self, subject: str, *, before: int) -> None:
        stream, place = self._streams.log(subject)
        found = await self._last(stream, place)
        keep_from = min(before, (found.seq or 0) if found else 0)
        if keep_from > 1:
            await self._connection.call(
                subject,
                lambda js: js.purge_stream(stream, subject=place, seq=keep_from),
                is_repeatable=True,
            )

    # -- objects ---------------------------------------------------------

    async def put_object(self, name: str, parts: Iterable[bytes]) -> None:
        await self._objects.put(name, parts)

    @asynccontextmanager
    async def get_object(self, name: str) -> AsyncGenerator[AsyncIterator[bytes] | None, None]:
        parts = await self._objects.get(name)
        if parts is None:
            yield None
            return
        async with aclosing(parts):
            yield parts

    async def delete_object(self, name: str) -> None:
        await self._objects.delete(name)

    # -- requests --------------------------------------------------------

    async def request(self, subject: str, data: bytes, *, seconds: float) -> bytes:
        check_size(check_name(subject), data)
        try:
            async with asyncio.timeout(seconds):
                client = await self._connection.client()
                place = self._streams.request(subject)
                answer = await honouring_cancel(client.request(place, data, timeout=seconds))
        except (TimeoutError, nats.errors.Error, EngineUnavailable, OSError) as error:
            raise NoResponse(f"{subject}: nobody answers ({error or 'time is over'})") from error
        return answer.data

    @asynccontextmanager
    async def serve(
        self, subject: str, answer: Callable[[bytes], Awaitable[bytes]]
    ) -> AsyncGenerator[None, None]:
        async with Answering(check_name(subject), answer) as answering:
            place = self._streams.request(subject)
            await self._connection.serve(place, answering.take)
            try:
                yield
            finally:
                await self._connection.stop_serving(place)

    # -- all of it -------------------------------------------------------

    async def remove(self) -> None:
        """Delete the crawl from the servers, for good."""
        await self._streams.remove(self._connection)

    async def close(self) -> None:
        await self._connection.close()

    async def _publish(self, subject: str, data: bytes, headers: dict[str, str]) -> int:
        stored = await self._connection.call(
            subject, lambda js: js.publish(subject, data, headers=dict(headers) or None)
        )
        return stored.seq

    async def _last(self, stream: str, subject: str) -> RawStreamMsg | None:
        async def look(js: JetStreamContext) -> RawStreamMsg | None:
            try:
                return await js.get_last_msg(stream, subject)
            except NotFoundError as error:
                if is_missing_message(error):
                    return None
                raise

        return await self._connection.call(subject, look, is_repeatable=True)


class Answering:
    """Answers requests, several at once, so that a slow one does not delay others."""

    def __init__(self, subject: str, answer: Callable[[bytes], Awaitable[bytes]]) -> None:
        self._subject = subject
        self._answer = answer
        self._room = asyncio.Semaphore(ANSWERS_AT_ONCE_MAX)
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Answering":
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def take(self, message: Msg) -> None:
        """Begin to answer a request as soon as there is room."""
        await self._room.acquire()
        task = asyncio.create_task(self._reply(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reply(self, message: Msg) -> None:
        try:
            answered = await self._answer(message.data)
            check_size(self._subject, answered)
            # Without a connection there is no answer; the sender treats that like any lost message.
            with suppress(nats.errors.Error, OSError):
                await message.respond(answered)
        except Exception:  # one bad request must not end the service
            log.exception("%s: a request was not answered", self._subject)
        finally:
            self._room.release()


async def _log_messages(reader: NatsReader, after: int) -> AsyncGenerator[LogMessage | None, None]:
    async with aclosing(reader.messages(after=after)) as messages:
        async for message in messages:
            if message is None:
                yield None
            else:
                yield LogMessage(message.sequence, message.data, _expected(message.headers))


def _change(key: str, found: RawStreamMsg) -> KeyChange:
    return KeyChange(key, found.data or b"", found.seq or 0)


def is_deleted(headers: dict[str, str] | None) -> bool:
    """Return whether a message marks its key as deleted."""
    return headers is not None and headers.get(OPERATION) in DELETED


def _is_gone(message: StreamMessage) -> bool:
    return is_deleted(message.headers)


def _expected(headers: dict[str, str] | None) -> int | None:
    value = (headers or {}).get(EXPECTED)
    return None if value is None else int(value)
