"""How does mail reach a shard that another agent holds?

Through that shard's mail log (`mail_subject`). The mail that all shards of this agent have for it at about
the same time goes into one message: with eight agents of four shards each, a page would otherwise cost
several messages, each written by three servers.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable
from tiptoe.frontier.mail import ShardMail

__all__ = ["FarMail", "mail_subject"]

GATHER_SECONDS: Final = 0.2
"""How long mail is gathered: shards send at the same time (`MailPump`), but each waits for its log first."""

MESSAGE_BYTES: Final = 1 << 20
"""Maximum payload of a message; only a single larger mail exceeds it."""

RECEIVERS_AT_ONCE: Final = 32
RETRY_SECONDS: Final = 0.5

Sent = tuple[list[ShardMail], asyncio.Future[None]]

_encode = msgspec.msgpack.Encoder().encode


def mail_subject(shard: int) -> str:
    """Return the subject of the log with a shard's mail."""
    return f"mail.{shard}"


class FarMail:
    """Mail from the shards of one agent to those of others."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._gathered: dict[int, list[Sent]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._at_once = asyncio.Semaphore(RECEIVERS_AT_ONCE)

    async def deliver(self, mails: list[ShardMail], *, hurries: bool = False) -> None:
        """Store mails from one shard to another, in order; wait as long as it takes."""
        loop = asyncio.get_running_loop()
        if not self._gathered:
            loop.call_later(GATHER_SECONDS, self._send_gathered)
        stored: asyncio.Future[None] = loop.create_future()
        self._gathered.setdefault(mails[0].receiver, []).append((mails, stored))
        if hurries:
            self._send_gathered()
        await stored

    def _send_gathered(self) -> None:
        gathered, self._gathered = self._gathered, {}
        for receiver, sent in gathered.items():
            task = asyncio.get_running_loop().create_task(self._send(receiver, sent))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _send(self, receiver: int, sent: list[Sent]) -> None:
        def is_awaited() -> bool:
            return any(not stored.done() for _, stored in sent)  # otherwise all sending shards were lost

        async with self._at_once:
            for some in _in_messages(mail for mails, _ in sent for mail in mails):
                await self._append(mail_subject(receiver), _encode(some), is_awaited)
        for _, stored in sent:
            if not stored.done():
                stored.set_result(None)

    async def _append(self, subject: str, data: bytes, is_awaited: Callable[[], bool]) -> None:
        while is_awaited():
            try:
                await self._engine.append(subject, data)
                return
            except EngineUnavailable:  # it may be stored twice: the receiver skips the second
                await asyncio.sleep(RETRY_SECONDS)


def _in_messages(mails: Iterable[ShardMail]) -> Iterator[list[ShardMail]]:
    some: list[ShardMail] = []
    size = 0
    for mail in mails:
        if some and size + len(mail.payload) > MESSAGE_BYTES:
            yield some
            some, size = [], 0
        some.append(mail)
        size += len(mail.payload)
    if some:
        yield some
