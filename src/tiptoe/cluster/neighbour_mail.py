"""How does mail travel between two shards of the same agent?

Without the engine: mail is stored in the log of its sender, and counts as delivered when its effects are in
the log of its receiver. It is gathered for a moment, so that a receiver takes the mail of many senders in one
step. Its effects go to the log with the next step there, which in a busy shard saves every third message to
the log; only much mail is stored at once, because more of it waits.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from tiptoe.cluster.held_shard import HeldShard
from tiptoe.errors import CrawlerError
from tiptoe.frontier.mail import ShardMail

__all__ = ["NeighbourMail"]

GATHER_SECONDS: Final = 0.1

MUCH_BYTES: Final = 1 << 18
"""Size of the mail for a shard from which on it is stored at once."""

Sent = tuple[list[ShardMail], asyncio.Future[bool]]


class NeighbourMail:
    """Mail among the shards of one agent."""

    def __init__(
        self,
        neighbour: Callable[[int], HeldShard | None],
        receive: Callable[[HeldShard, list[ShardMail]], None],
    ) -> None:
        """`neighbour` returns a shard that can be given mail now; `receive` makes the step."""
        self._neighbour = neighbour
        self._receive = receive
        self._gathered: dict[int, list[Sent]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def deliver(self, mails: list[ShardMail]) -> bool:
        """Deliver mails from one shard to another, in order; return False if they must use the engine."""
        receiver = mails[0].receiver
        if self._neighbour(receiver) is None:
            return False
        loop = asyncio.get_running_loop()
        if not self._gathered:
            loop.call_later(GATHER_SECONDS, self._hand_over)
        done: asyncio.Future[bool] = loop.create_future()
        self._gathered.setdefault(receiver, []).append((mails, done))
        return await done

    def _hand_over(self) -> None:
        gathered, self._gathered = self._gathered, {}
        for receiver, sent in gathered.items():
            task = asyncio.get_running_loop().create_task(self._give(receiver, sent))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _give(self, receiver: int, sent: list[Sent]) -> None:
        held = self._neighbour(receiver)
        try:
            if held is not None:
                received = [mail for mails, _ in sent for mail in mails]
                hurries = sum(len(mail.payload) for mail in received) >= MUCH_BYTES
                with contextlib.nullcontext() if hurries else held.unhurried():
                    self._receive(held, received)
                await held.log.committed(hurries=hurries)
        except CrawlerError:
            held = None  # it was lost meanwhile
        for mails, done in sent:
            if not done.done():  # else its sender was lost
                # Earlier mail may still be under way through the engine; then this was out of order.
                last = held.frontier.received(mails[0].sender) if held is not None else 0
                done.set_result(last >= mails[-1].number)
