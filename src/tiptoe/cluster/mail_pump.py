"""How does mail get from one shard to another?

Each shard has a log of the mail that is meant for it, `mail.<shard>`, to which the holders of others append
and which its own holder follows. What steps leave in the outbox is gathered until the next beat, since
nearly every step has something for nearly every shard; the beat is one for all shards of an agent, so that
what they have for one receiver goes together (`far_mail`). The more agents there are, the slower it is: each
has something for nearly every shard of all others, and the servers write every message. It is sent when it
is stored, in the order of its numbers, one message at a time to each receiver: the next one only when the
last is acknowledged, since the receiver takes no mail out of its turn. Acknowledged mail leaves the outbox.
A receiver that this agent holds as well gets its mail without the engine (`neighbour_mail`).

Whoever takes a shard over sends the whole outbox once more and reads the whole log of mail: numbers tell what
has come before. So that log is cut, but only behind mail whose effects are stored.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable, LogMessage
from tiptoe.cluster.far_mail import FarMail, mail_subject
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.neighbour_mail import NeighbourMail
from tiptoe.errors import CrawlerError
from tiptoe.frontier.mail import ShardMail

__all__ = ["MailPump", "beat_seconds", "opened_mail"]

MAILS_AT_ONCE: Final = 8
"""To one receiver, of each second of a beat; each has at most half a megabyte or so."""

BEAT_SECONDS_MIN: Final = 1.0
BEAT_SECONDS_PER_AGENT: Final = 0.25
BEAT_SECONDS_MAX: Final = 4.0
"""How often mail is sent, unless there is more of it than is sent at once."""

RECEIVED_AT_ONCE: Final = 64
UNSTORED_ROWS_MAX: Final = 20_000
"""While more rows of a shard wait for their acknowledgement, its mail waits."""

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
        agents: Callable[[], int] = lambda: 1,
    ) -> None:
        """`receive` has a shard take mail; `agents`: how many hold something."""
        self._engine = engine
        self._held = held
        self._take_mail = receive
        self._neighbours = neighbours
        self._others = others
        self._agents = agents

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
            beat = beat_seconds(self._agents())
            if not is_behind:
                await asyncio.sleep(_until_beat(beat))
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
            with held.unhurried():  # if it were sent again, it would be passed over
                held.frontier.delivered({receiver: some[-1].number for receiver, some in receivers.items()})

    async def _deliver(self, mails: list[ShardMail], *, hurries: bool) -> None:
        if not await self._neighbours.deliver(mails):
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


def beat_seconds(agents: int) -> float:
    """Return how often mail is sent when so many agents take part."""
    return min(max(BEAT_SECONDS_MIN, BEAT_SECONDS_PER_AGENT * agents), BEAT_SECONDS_MAX)


def _until_beat(seconds: float) -> float:
    """Return how long it is until the next beat, which is the same for all who share a loop."""
    return seconds - asyncio.get_running_loop().time() % seconds
