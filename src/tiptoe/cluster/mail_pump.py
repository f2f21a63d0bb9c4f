"""How does mail get from one shard to another?

Each shard has a log of the mail that is meant for it, `mail.<shard>`, to which the holders of others append
and which its own holder follows. What steps leave in the outbox is gathered for a moment, since nearly every
step has something for nearly every shard. It is sent when it is stored, in the order of its numbers, one
message at a time to each receiver: the next one only when the last is acknowledged, since the receiver takes
no mail out of its turn. Acknowledged mail leaves the outbox. A receiver that this agent holds as well gets
its mail without the engine (`neighbour_mail`).

Whoever takes a shard over sends the whole outbox once more and reads the whole log of mail: numbers tell what
has come before. So that log is cut, but only behind mail whose effects are stored.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable, LogMessage
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.neighbour_mail import NeighbourMail
from tiptoe.errors import CrawlerError
from tiptoe.frontier.mail import ShardMail

__all__ = ["MailPump", "mail_subject", "opened_mail"]

MAILS_AT_ONCE: Final = 8
"""To one receiver; each has at most half a megabyte or so."""

GATHER_SECONDS: Final = 0.5
"""How long mail is gathered, unless there is more of it than is sent at once."""

MESSAGE_BYTES: Final = 1 << 20
"""A message is closed before it gets larger, if it has more than one mail."""

RECEIVERS_AT_ONCE: Final = 16
RECEIVED_AT_ONCE: Final = 64
UNSTORED_ROWS_MAX: Final = 20_000
"""While more rows of a shard wait for their acknowledgement, its mail waits."""

CUT_MESSAGES: Final = 64
RETRY_SECONDS: Final = 0.5

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[ShardMail]).decode


def mail_subject(shard: int) -> str:
    """Return the subject under which the mail for a shard stands."""
    return f"mail.{shard}"


class MailPump:
    """The mail of one shard that is held, in both directions."""

    def __init__(
        self,
        engine: Engine,
        held: HeldShard,
        *,
        receive: Callable[[HeldShard, list[ShardMail]], None],
        neighbours: NeighbourMail,
    ) -> None:
        """`receive` has a shard take mail."""
        self._engine = engine
        self._held = held
        self._take_mail = receive
        self._neighbours = neighbours
        self._at_once = asyncio.Semaphore(RECEIVERS_AT_ONCE)

    async def run(self) -> None:
        """Send and receive until this is cancelled, or raises what has ended the log of the shard."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._send())
            group.create_task(self._receive())

    # -- out ---------------------------------------------------------------

    async def _send(self) -> None:
        held = self._held
        is_behind = False
        while True:
            held.changed.clear()
            if not held.frontier.has_mail:
                await held.changed.wait()
                continue
            if not is_behind:
                await asyncio.sleep(GATHER_SECONDS)
            receivers: dict[int, list[ShardMail]] = {}
            for mail in held.frontier.outgoing(mails_max=MAILS_AT_ONCE):
                receivers.setdefault(mail.receiver, []).append(mail)
            is_behind = any(len(some) == MAILS_AT_ONCE for some in receivers.values())
            await held.log.committed()
            async with asyncio.TaskGroup() as group:
                for receiver, some in receivers.items():
                    group.create_task(self._deliver(receiver, some))
            with held.unhurried():  # if it were sent again, it would be passed over
                held.frontier.delivered({receiver: some[-1].number for receiver, some in receivers.items()})

    async def _deliver(self, receiver: int, mails: list[ShardMail]) -> None:
        if await self._neighbours.deliver(mails):
            return
        for some in _in_messages(mails):
            data = _encode(some)
            async with self._at_once:
                await self._append(mail_subject(receiver), data)

    async def _append(self, subject: str, data: bytes) -> None:
        while True:
            try:
                await self._engine.append(subject, data)
                return
            except EngineUnavailable:  # it may be there twice: the second is passed over
                await asyncio.sleep(RETRY_SECONDS)

    # -- in ----------------------------------------------------------------

    async def _receive(self) -> None:
        subject, read = mail_subject(self._held.shard), 0
        while True:
            try:
                async with self._engine.follow(subject, after=read) as messages:
                    mails: list[ShardMail] = []
                    uncut = 0
                    async for message in messages:
                        if message is not None:
                            mails += opened_mail(subject, message)
                            read, uncut = message.sequence, uncut + 1
                        if mails and (message is None or len(mails) >= RECEIVED_AT_ONCE):
                            self._take_mail(self._held, mails)
                            mails = []
                        if self._held.log.pending_rows > UNSTORED_ROWS_MAX:
                            await self._held.log.committed()
                        if not mails and uncut >= CUT_MESSAGES:
                            await self._cut(subject, read)
                            uncut = 0
            except EngineUnavailable:
                await asyncio.sleep(RETRY_SECONDS)

    async def _cut(self, subject: str, read: int) -> None:
        """Drop mail that was read, once what it says is stored."""
        await self._held.log.committed()
        await self._engine.cut(subject, before=read + 1)


def opened_mail(subject: str, message: LogMessage) -> list[ShardMail]:
    """Return the mails in one message of the log of a shard."""
    try:
        return _decode(message.data)
    except msgspec.DecodeError as error:
        raise CrawlerError(
            f"{subject}: message {message.sequence} is no mail of this crawl ({error})"
        ) from error


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
