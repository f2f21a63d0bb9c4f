"""How does a user who may not change a crawl watch it?

The servers make sure that nothing else is possible (`reader_rights.py`); this engine only refuses it earlier,
and reads without anything that would have to be created on the servers.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing, asynccontextmanager
from typing import Self

from tiptoe.cluster.engine import EngineUnavailable, KeyChange, LogMessage
from tiptoe.cluster.engine_names import check_prefix
from tiptoe.cluster.engine_options import EngineOptions
from tiptoe.cluster.nats_connection import is_unserved
from tiptoe.cluster.nats_engine import NatsEngine, is_deleted
from tiptoe.cluster.nats_poller import poll_keys
from tiptoe.cluster.nats_streams import NoSuchCrawl
from tiptoe.cluster.reader_rights import NotAllowed, expect_readable
from tiptoe.errors import SettingsError

__all__ = ["ReadingEngine"]


class ReadingEngine(NatsEngine):
    """The engine of one crawl, for a user who may only read it."""

    @classmethod
    async def open(cls, options: EngineOptions) -> Self:
        try:
            return await super().open(options)
        except (EngineUnavailable, NoSuchCrawl) as error:
            # An account that nobody has written to may not answer at all.
            if isinstance(error, EngineUnavailable) and not is_unserved(error):
                raise
            raise SettingsError(
                f"there is no crawl {options.crawl!r} that these credentials may read: they see it only if "
                f"it was created with a file of `tiptoe cluster add-user NAME --crawl {options.crawl}`"
            ) from error

    async def put(self, key: str, value: bytes, *, revision: int = 0) -> int:
        raise NotAllowed(key)

    async def delete(self, key: str, *, revision: int) -> None:
        raise NotAllowed(key)

    async def append(self, subject: str, data: bytes, *, expected: int | None = None) -> int:
        raise NotAllowed(subject)

    async def cut(self, subject: str, *, before: int) -> None:
        raise NotAllowed(subject)

    async def put_object(self, name: str, parts: Iterable[bytes]) -> None:
        raise NotAllowed(name)

    async def delete_object(self, name: str) -> None:
        raise NotAllowed(name)

    async def remove(self) -> None:
        raise NotAllowed("remove")

    async def request(self, subject: str, data: bytes, *, seconds: float) -> bytes:
        expect_readable(subject)
        return await super().request(subject, data, seconds=seconds)

    @asynccontextmanager
    async def watch(self, prefix: str) -> AsyncGenerator[AsyncIterator[KeyChange | None], None]:
        names = [check_prefix(prefix), f"{prefix}.>"] if prefix else [">"]
        async with aclosing(self._polled([self._streams.key(name) for name in names])) as changes:
            yield changes

    async def _polled(self, subjects: list[str]) -> AsyncGenerator[KeyChange | None, None]:
        start = len(self._streams.key(""))
        async with aclosing(poll_keys(self._connection, self._streams.keys, subjects)) as messages:
            async for message in messages:
                if message is None:
                    yield None
                elif not is_deleted(message.headers):
                    yield KeyChange((message.subject or "")[start:], message.data or b"", message.seq or 0)

    @asynccontextmanager
    async def follow(
        self, subject: str, *, after: int = 0
    ) -> AsyncGenerator[AsyncIterator[LogMessage | None], None]:
        raise NotAllowed(subject)
        yield

    @asynccontextmanager
    async def get_object(self, name: str) -> AsyncGenerator[AsyncIterator[bytes] | None, None]:
        raise NotAllowed(name)
        yield

    @asynccontextmanager
    async def serve(
        self, subject: str, answer: Callable[[bytes], Awaitable[bytes]]
    ) -> AsyncGenerator[None, None]:
        raise NotAllowed(subject)
        yield
