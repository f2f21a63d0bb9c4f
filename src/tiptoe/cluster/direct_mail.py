"""How does mail reach the shards of another agent that is there?

By one request for all of them. Like mail among the shards of one agent it needs no place in the engine: it is
in the log of its sender until its effects are in the log of its receiver. Only what that agent does not
confirm in time is left to the mail logs (`far_mail`), which three servers write, one message for each shard.
"""

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine
from tiptoe.cluster.neighbour_mail import NeighbourMail
from tiptoe.cluster.peer_breaker import PeerBreaker
from tiptoe.errors import CrawlerError
from tiptoe.frontier.mail import ShardMail

__all__ = ["DirectMail"]

GATHER_SECONDS: Final = 0.2
"""How long mail is gathered: shards send at the same time (`MailPump`), but each waits for its log first."""

CONFIRM_SECONDS: Final = 3.0
"""Maximum time until the receiving shards have it in their logs."""

MESSAGE_BYTES: Final = 1 << 20
"""Maximum payload of a request; only the mail of one shard to another exceeds it."""

Sent = tuple[list[ShardMail], asyncio.Future[bool]]
Pair = tuple[int, int]  # sender and receiver

_encode = msgspec.msgpack.Encoder().encode
_decode_mails = msgspec.msgpack.Decoder(list[ShardMail]).decode
_decode_pairs = msgspec.msgpack.Decoder(list[Pair]).decode


def mail_request(agent: str) -> str:
    """Return the subject of requests that bring an agent mail."""
    return f"agent.{agent}.mail"


class DirectMail:
    """Mail between the shards of this agent and those of others, in both directions."""

    def __init__(
        self, engine: Engine, neighbours: NeighbourMail, *, agent: str, holder_of: Callable[[int], str]
    ) -> None:
        """`holder_of` returns the agent that holds a shard, as far as this one knows; empty if none does."""
        self._engine = engine
        self._neighbours = neighbours
        self._agent = agent
        self._holder_of = holder_of
        self._breakers: dict[str, PeerBreaker] = {}
        self._gathered: dict[str, list[Sent]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    # -- out ---------------------------------------------------------------

    async def deliver(self, mails: list[ShardMail]) -> bool:
        """Deliver mails from one shard to another, in order; return False if they must use the engine."""
        loop = asyncio.get_running_loop()
        agent = self._holder_of(mails[0].receiver)
        if agent in ("", self._agent) or not self._breaker(agent).may_ask(loop.time()):
            return False
        if not self._gathered:
            loop.call_later(GATHER_SECONDS, self._send_gathered)
        done: asyncio.Future[bool] = loop.create_future()
        self._gathered.setdefault(agent, []).append((mails, done))
        return await done

    def _breaker(self, agent: str) -> PeerBreaker:
        return self._breakers.setdefault(agent, PeerBreaker())

    def _send_gathered(self) -> None:
        gathered, self._gathered = self._gathered, {}
        for agent, sent in gathered.items():
            task = asyncio.get_running_loop().create_task(self._send(agent, sent))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _send(self, agent: str, sent: list[Sent]) -> None:
        for some in _in_messages(sent):
            confirmed = await self._ask(agent, [mail for mails, _ in some for mail in mails])
            for mails, done in some:
                if not done.done():  # else its sender was lost
                    done.set_result((mails[0].sender, mails[0].receiver) in confirmed)

    async def _ask(self, agent: str, mails: list[ShardMail]) -> list[Pair]:
        """Send mails in one request; return the pairs of shards that are confirmed."""
        breaker, loop = self._breaker(agent), asyncio.get_running_loop()
        if not breaker.may_ask(loop.time()):
            return []
        breaker.ask()
        try:
            subject = mail_request(agent)
            confirmed = _decode_pairs(
                await self._engine.request(subject, _encode(mails), seconds=CONFIRM_SECONDS)
            )
        except (CrawlerError, msgspec.MsgspecError):
            breaker.unanswered(loop.time())  # it may have arrived: then it is skipped when it comes again
            return []
        breaker.answered()
        return confirmed

    # -- in ----------------------------------------------------------------

    async def serve(self) -> None:
        """Take in what other agents bring until cancelled."""
        async with self._engine.serve(mail_request(self._agent), self._take):
            await asyncio.Event().wait()

    async def _take(self, data: bytes) -> bytes:
        """Give mails to the shards here; confirm those whose effects are in a log."""
        pairs: dict[Pair, list[ShardMail]] = {}
        for mail in _decode_mails(data):
            pairs.setdefault((mail.sender, mail.receiver), []).append(mail)
        taken = await asyncio.gather(*map(self._neighbours.deliver, pairs.values()))
        return _encode([pair for pair, is_taken in zip(pairs, taken, strict=True) if is_taken])


def _in_messages(sent: list[Sent]) -> Iterator[list[Sent]]:
    some: list[Sent] = []
    size = 0
    for one in sent:
        more = sum(len(mail.payload) for mail in one[0])
        if some and size + more > MESSAGE_BYTES:
            yield some
            some, size = [], 0
        some.append(one)
        size += more
    if some:
        yield some
