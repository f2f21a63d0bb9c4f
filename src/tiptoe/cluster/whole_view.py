"""What does a member know about the whole crawl, beyond its own shards?

It periodically asks the other members for their status; its membership knows who they are. What it shows may
be some seconds old, and shards may have moved meanwhile: it is for people, and no decision depends on it.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from tiptoe.cluster.crawl_agents import KnownAgent
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.membership import Membership
from tiptoe.cluster.status_service import WholeStatus, ask_statuses, whole_status
from tiptoe.protocol.status import Status

__all__ = ["WholeView"]

LOOK_SECONDS: Final = 5.0
SECONDS_PER_AGENT: Final = 0.5
"""Interval per agent: the more agents, the less often each asks, so none answers more than twice a second."""
LAST_LOOK_SECONDS: Final = 2.0


class WholeView:
    """The latest status of all members, as seen by one."""

    def __init__(self, engine: Engine, membership: Membership, agent: str, own: Callable[[], Status]) -> None:
        self._engine = engine
        self._membership = membership
        self._agent = agent
        self._own = own
        self.latest: WholeStatus | None = None
        self.shards_max = len(membership.leases)
        self._left_with: list[int] | None = None

    @property
    def shards(self) -> list[int]:
        """The shards that are held here, or were when this member began to leave."""
        return self._left_with if self._left_with is not None else self._known()[self._agent].shards

    async def run(self) -> None:
        """Update the view periodically until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(max(LOOK_SECONDS, SECONDS_PER_AGENT * len(self._known())))

    async def look(self) -> None:
        """Ask all members once."""
        agents = self._known()
        statuses = await ask_statuses(self._engine, [name for name in agents if name != self._agent])
        statuses[self._agent] = self._own()
        self.latest = whole_status(agents, statuses, shards=self.shards_max, clock_of=self._agent)

    async def look_last(self) -> None:
        """Update the view once more before the shards are given away, if that does not take long.

        At the end of a crawl all members leave at once: the earlier view is kept if it was more complete.
        """
        before = self.latest
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_LOOK_SECONDS):
                await self.look()
        if before is not None and self.latest is not None and self.latest.unheld > before.unheld:
            self.latest = before
        self._left_with = self.shards

    def _known(self) -> dict[str, KnownAgent]:
        seen = self._membership.agents
        found = {name: KnownAgent(name, seen.contender_of(name)) for name in seen.names() | {self._agent}}
        for lease in self._membership.leases:
            if lease.holder:
                found.setdefault(lease.holder, KnownAgent(lease.holder)).shards.append(lease.shard)
        return dict(sorted(found.items()))
