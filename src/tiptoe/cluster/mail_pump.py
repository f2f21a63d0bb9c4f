"""How does mail travel from one shard to another?

Steps put mail into the outbox, where it is gathered until the next beat, because nearly every step has
something for nearly every shard. All shards of an agent share one beat, so that their mail for one receiver
is sent together. The beat gets slower with the number of agents: each has mail for nearly every shard of all
others. Mail is sent once it is stored in its shard's log, in the order of its numbers, one message at a time
to each receiver: the next only when the last is acknowledged, because the receiver takes no mail out of
order. Acknowledged mail leaves the outbox.

There are three ways, tried in this order: within this agent (`neighbour_mail`), by request to the agent that
holds the receiver (`direct_mail`), and through the receiver's log of incoming mail, `mail.<shard>`, which its
holder follows, whoever that is (`far_mail`).

An agent that takes over a shard sends its whole outbox again and reads its whole mail log; receivers skip
numbers that they know. To keep that log short it is cut, but only up to mail whose effects are stored.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from tiptoe.cluster.beat import until_beat
from tiptoe.cluster.direct_mail import DirectMail
from tiptoe.cluster.engine import Engine, EngineUnavailable, LogMessage
from tiptoe.cluster.far_mail import FarMail, mail_subject
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.neighbour_mail import NeighbourMail
from tiptoe.errors import CrawlerError
from tiptoe.frontier.mail import ShardMail

__all__ = ["MailPump", "beat_seconds", "opened_mail"]

MAILS_AT_ONCE: Final = 8
"""Maximum mails to one receiver per second of a beat; each has at most about half a megabyte."""

BEAT_SECONDS_MIN: Final = 1.0
BEAT_SECONDS_PER_AGENT: Final = 0.25
BEAT_SECONDS_MAX: Final = 4.0
"""Longest time between two sendings; if more mail waits than is sent at once, they follow immediately."""

RECEIVED_AT_ONCE: Final = 64
UNSTORED_ROWS_MAX: Final = 20_000
"""Maximum unacknowledged rows of a shard; above it, its incoming mail waits."""

CUT_MESSAGES: Final = 64
RETRY_SECONDS: Final = 0.5

_decode = msgspec.msgpack.Decoder(list[ShardMail]).decode


class MailPump:
    """The mail of one shard that is held, in both directions."""

    def __init__(
        self,
        engine: Engine,
        held: HeldShard,
        *,
        receive: Callable[[HeldShard, list[ShardMail]], None],
        neighbours: NeighbourMail,
        others: FarMail,
        direct: DirectMail | None = None,
        agents: Callable[[], int] = lambda: 1,
    ) -> None:
        """`receive` lets a shard take in mail; `agents` returns how many agents hold shards."""
        self._engine = engine
        self._held = held
        self._take_mail = receive
        self._neighbours = neighbours
        self._others = others
        self._direct = direct
        self._agents = agents

    async def run(self) -> None:
        """Send and receive until cancelled; raise the error that has ended the log of the shard."""
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
            beat = beat_seconds(self._agents())
            if not is_behind:
                await asyncio.sleep(until_beat(beat))
            held.log.expect_open()
            receivers: dict[int, list[ShardMail]] = {}
            mails_max = int(MAILS_AT_ONCE * beat)
            for mail in held.frontier.outgoing(mails_max=mails_max):
                receivers.setdefault(mail.receiver, []).append(mail)
            is_behind = any(len(some) == mails_max for some in receivers.values())
            await held.log.committed()
            async with asyncio.TaskGroup() as group:
                for some in receivers.values():
                    group.create_task(self._deliver(some, hurries=is_behind))
            with held.unhurried():  # if it were sent again, the receiver would skip it
                held.frontier.delivered({receiver: some[-1].number for receiver, some in receivers.items()})

    async def _deliver(self, mails: list[ShardMail], *, hurries: bool) -> None:
        if await self._neighbours.deliver(mails):
            return
        if self._direct is not None and await self._direct.deliver(mails):
            return
        await self._others.deliver(mails, hurries=hurries)

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
                            self._held.log.expect_open()
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
        """Drop mail that was read, once its effects are stored."""
        await self._held.log.committed()
        await self._engine.cut(subject, before=read + 1)


def opened_mail(subject: str, message: LogMessage) -> list[ShardMail]:
    """Return the mails in one message of a shard's mail log."""
    try:
        return _decode(message.data)
    except msgspec.DecodeError as error:
        raise CrawlerError(
            f"{subject}: message {message.sequence} is no mail of this crawl ({error})"
        ) from error


def beat_seconds(agents: int) -> float:
    """Return the seconds between two sendings when this many agents take part."""
    return min(max(BEAT_SECONDS_MIN, BEAT_SECONDS_PER_AGENT * agents), BEAT_SECONDS_MAX)
