"""Frontiers that are played in virtual time, with every invariant stated after each step."""

from collections.abc import Callable

from tiptoe.experiment.frontier_player import FrontierPlayer, PlayedRequest, links_to
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.protocol.work import HostWork, Report, Request, Result, Visit
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Store

__all__ = ["CheckedPlayer", "Rehearsal"]


class CheckedPlayer(FrontierPlayer):
    """A player that looks at its frontier whenever something has happened to it."""

    def take(self) -> list[Visit]:
        visits = super().take()
        self.frontier.check()
        return visits

    def tell(self, reports: list[Report]) -> dict[int, list[HostWork]]:
        more = super().tell(reports)
        self.frontier.check()
        return more


class Rehearsal(CheckedPlayer):
    """The real frontier, and a web given as a dictionary: page -> links on it."""

    def __init__(
        self,
        links: dict[str, list[str]],
        addresses: dict[str, str],
        policy: FrontierPolicy | None = None,
        store: Store | None = None,
        *,
        answer: Callable[[Request, float], Result] | None = None,
        has_rules: Callable[[str, float], bool] = lambda origin, now: True,
        now: float = 1000.0,
    ) -> None:
        self.links = links
        self.store = store or MemoryStore()
        self.asked: list[PlayedRequest] = []
        self.fetched: list[str] = []
        frontier = Frontier(self.store, policy or FrontierPolicy())
        super().__init__(
            frontier, answer or self.serve, lambda host: addresses.get(host, ""), now,
            has_rules=has_rules, record=self.asked.append,
        )  # fmt: skip

    def serve(self, request: Request, now: float) -> Result:
        """Answer with a page and its links."""
        self.fetched.append(request.url)
        found = links_to(self.links.get(request.url, []))
        return Result(request, status=200, seconds=0.2, body_bytes=1000, text_chars=500, links=found)

    def run(self, seeds: list[str], *, until: float = 1e9, steps_max: int = 20_000) -> None:
        """Crawl until nothing is left."""
        self.add(*seeds)
        for _ in range(steps_max):
            self.step()
            if self.frontier.is_finished() or self.now > until:
                return
        raise AssertionError(f"not finished after {steps_max} steps: {self.frontier!r}")
