"""What is done for a crawl before its keeper works, beside that, and after?

That depends on where the crawl lives: in the directory of this machine alone (`single_machine`), or in the
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
        """Put the files of everybody but `live` incarnations right; return what there was to do."""
        ...

    def may_echo(self, incarnation: str) -> bool:
        """Whether a harvester may count on this keeper: else it stays, and asks nothing."""
        ...

    def can_loop(self) -> bool:
        """Whether everything can be visited once more in this run, and there is something to visit."""
        ...

    def loop(self) -> None:
        """Visit everything once more."""
        ...

    def begin(self, keeper: Keeper) -> None:
        """Bring everything to where the keeper can begin; nobody has been let in yet."""
        ...

    async def accompany(self, keeper: Keeper) -> None:
        """Do what has to go on as long as the keeper works; ends only by being cancelled, or by a fault."""
        ...

    async def leave(self) -> None:
        """Hand over what others can go on with at once; the harvesters are still there."""
        ...

    async def end(self, keeper: Keeper) -> None:
        """Note that the run has ended in good order; everybody has left."""
        ...
