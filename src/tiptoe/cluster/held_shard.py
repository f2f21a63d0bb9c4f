"""What does an agent know about a shard that it holds?

Its frontier, the log that takes its steps to the engine, its clock, and its visits under way with their
harvesters.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from tiptoe.cluster.shard_clock import ShardClock
from tiptoe.cluster.shard_log import ShardLog
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.host_orders import last_obeyed
from tiptoe.protocol.work import ShardTime
from tiptoe.store.tables import Store

__all__ = ["HeldShard"]


PENDING_ROWS_MAX: Final = 5000
"""Maximum rows that the engine has not acknowledged; above it no visit begins until it has."""


class HeldShard:
    """A shard, from the start of its frontier until it is given away or lost."""

    def __init__(
        self,
        shard: int,
        frontier: Frontier,
        log: ShardLog,
        clock: ShardClock,
        *,
        is_certain: Callable[[], bool],
        rests_until: float = 0.0,
        boot: str = "",
    ) -> None:
        self.shard = shard
        self.frontier = frontier
        self.log = log
        self.clock = clock
        self._boot = boot  # of this machine
        self.rests_until = rests_until  # in the time of this shard; no visit begins before
        self.is_closing = False  # no more visits begin, and none is extended
        self.obeyed = 0  # number of the last standing order that is carried out and in the log
        self.visits: dict[int, str] = {}  # under way, with the harvester that makes them
        self.changed = asyncio.Event()  # tells the mail pump to check for mail to be sent
        self._is_certain = is_certain

    def __repr__(self) -> str:
        state = "closing" if self.is_closing else "held"
        return f"<HeldShard {self.shard} {state}, {len(self.visits)} visits under way>"

    @property
    def term(self) -> int:
        """The term in which it is held: that of the author of its log."""
        return self.log.position.term

    @property
    def store(self) -> Store:
        """Its tables, including changes that are not committed yet."""
        return self.log.store

    @property
    def is_certain(self) -> bool:
        """Whether it is certainly held at this moment; to be checked before every use."""
        return self._is_certain()

    def time(self, moment: float) -> ShardTime:
        """Return the time of this shard, for the logs of harvesters."""
        return ShardTime(moment, self.clock.offset, self._boot)

    def unhurried(self) -> AbstractContextManager[None]:
        """Let writes within the context wait for the next batch to the log: see `ShardLog`."""
        return self.log.unhurried()

    def obey(self, moment: float) -> list[str]:
        """Carry out the standing orders that are new here; return the hosts whose visits must end."""
        ended = self.frontier.obey(moment)
        number = last_obeyed(self.log.store)
        if number > self.obeyed:
            self.log.after_commit(lambda: self._has_obeyed(number))
        return ended

    def _has_obeyed(self, number: int) -> None:
        self.obeyed = max(self.obeyed, number)

    def may_begin(self, moment: float) -> bool:
        """Return whether visits may begin, or be extended, at this moment."""
        is_behind = self.log.pending_rows > PENDING_ROWS_MAX
        return not self.is_closing and not is_behind and moment >= self.rests_until and self.is_certain
