"""What is done for a crawl before its keeper works, meanwhile, and afterwards?

That depends on where the crawl is kept: in a directory of this machine alone (`single_machine`), or in the
logs of a cluster (`cluster.member`). The session and the keeper do not know which.
"""

from collections.abc import Collection
from typing import Protocol

from tiptoe.keeper.clock import Clock
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.keeper import Keeper

__all__ = ["Lifecycle"]


class Lifecycle(Protocol):
    """One run of a crawl, or of a member of one."""

    @property
    def frontier(self) -> CrawlFrontier: ...
    @property
    def clock(self) -> Clock: ...

    def repair(self, frontier: CrawlFrontier, live: Collection[str], *, now: float, reads: bool) -> list[str]:
        """Repair the files of all but the `live` incarnations; return what was done."""
        ...

    def may_echo(self, incarnation: str) -> bool:
        """Whether a harvester may rely on this keeper; if not, it stays and makes no requests."""
        ...

    def can_loop(self) -> bool:
        """Whether everything can be visited once more in this run, and there is something to visit."""
        ...

    def loop(self) -> None:
        """Visit everything once more."""
        ...

    async def begin(self, keeper: Keeper) -> None:
        """Prepare what the keeper needs, unless it is stopped; no harvester has been let in yet."""
        ...

    async def accompany(self, keeper: Keeper) -> None:
        """Do what has to be done while the keeper works; ends only if cancelled or by a fault."""
        ...

    async def leave(self) -> None:
        """Hand over what others can continue at once; the harvesters are still connected."""
        ...

    async def end(self, keeper: Keeper) -> None:
        """Record that the run has ended properly; all harvesters have left."""
        ...
