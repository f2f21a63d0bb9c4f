"""A harvester in virtual time: works visits against a web given as a dictionary."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.patience import PATIENCE, Trouble, trouble_of
from tiptoe.frontier.troubles import SPREAD_URLS
from tiptoe.protocol.work import (
    HostLinks,
    HostWork,
    Purpose,
    Report,
    Request,
    Result,
    RobotsNote,
    RobotsState,
    Visit,
)
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Store
from tiptoe.url.address import host_of, origin_of, page_key

__all__ = ["Asked", "Rehearsal", "links_to"]


@dataclass(frozen=True)
class Asked:
    """One request as the server saw it."""

    at: float
    ended_at: float
    address: str
    host: str
    url: str


def links_to(urls: list[str]) -> list[HostLinks]:
    """Group links by host, as harvesters do."""
    hosts: dict[str, list[str]] = {}
    for url in urls:
        hosts.setdefault(host_of(url), []).append(url)
    return [HostLinks(host, found, b"".join(map(page_key, found))) for host, found in hosts.items()]


@dataclass
class Rehearsal:
    """The real frontier, a pretended web, a clock that jumps."""

    links: dict[str, list[str]]  # page -> links on it
    addresses: dict[str, str]
    policy: FrontierPolicy = field(default_factory=FrontierPolicy)
    store: Store = field(default_factory=MemoryStore)
    answer: Callable[[Request, float], Result] | None = None
    has_rules: Callable[[str, float], bool] = lambda origin, now: True  # else its robots.txt says 503
    answer_seconds: float = 0.2
    now: float = 1000.0
    asked: list[Asked] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.frontier = Frontier(self.store, self.policy)
        self._agenda: list[tuple[float, int, Visit]] = []

    def run(self, seeds: list[str], *, until: float = 1e9, steps_max: int = 20_000) -> None:
        """Crawl until nothing is left."""
        self.frontier.add([Request(url) for url in seeds], self.now)
        for _ in range(steps_max):
            self.step()
            if self.frontier.is_finished() or self.now > until:
                return
        raise AssertionError(f"not finished after {steps_max} steps: {self.frontier!r}")

    def step(self) -> None:
        """Hand out what may begin now, finish the visit that ends first, or let time pass."""
        frontier = self.frontier
        frontier.wake(self.now)
        for host in frontier.new_hosts(100):
            address = self.addresses.get(host, "")
            frontier.resolved(host, address, "" if address else "no_such_host", self.now)
        for visit in frontier.visits(10, "h1", self.now):
            ends_at = self._work(visit.hosts, visit.address, self.now, visit)
            heapq.heappush(self._agenda, (ends_at, visit.id, visit))
        frontier.check()
        self._let_time_pass()

    def _let_time_pass(self) -> None:
        next_at = self.frontier.next_at()
        if self._agenda and (next_at is None or next_at <= self.now or self._agenda[0][0] <= next_at):
            self.now, _, visit = heapq.heappop(self._agenda)
            returned = self._returned.pop(visit.id, [])
            more = self.frontier.report(
                [Report(visit.id, self._results.pop(visit.id), returned, is_done=True)], {}, self.now
            )
            if more[visit.id]:
                ends_at = self._work(more[visit.id], visit.address, self.now, visit)
                heapq.heappush(self._agenda, (ends_at, visit.id, visit))
        elif next_at is not None and next_at != float("-inf"):
            self.now = max(self.now, next_at)

    _results: dict[int, list[Result]] = field(default_factory=dict)
    _returned: dict[int, list[Request]] = field(default_factory=dict)
    _rules_known: dict[int, set[str]] = field(default_factory=dict)

    def _work(self, works: list[HostWork], address: str, now: float, visit: Visit) -> float:
        """Ask for what the lanes hold; leave a host, or the address, as a harvester does."""
        results = self._results.setdefault(visit.id, [])
        known = self._rules_known.setdefault(visit.id, set())
        is_over = False
        for work in works:
            known |= set(work.robots)
            row, is_left = 0, is_over
            for request in work.requests:
                if is_left:
                    self._returned.setdefault(visit.id, []).append(request)
                    continue
                origin = origin_of(request.url)
                if origin not in known:
                    rules = Request(origin + "/robots.txt", Purpose.ROBOTS)
                    now = self._ask(rules, work, address, now)
                    if not self.has_rules(origin, now):
                        rules_request = Request(rules.url, Purpose.RULES_REQUEST)
                        results.append(Result(rules_request, status=503))
                        results.append(Result(rules, robots=RobotsNote(RobotsState.UNREACHABLE)))
                        self._returned.setdefault(visit.id, []).append(request)
                        is_left = is_over = True
                        continue
                    known.add(origin)
                    results.append(Result(rules, status=404, robots=RobotsNote(RobotsState.RULES)))
                now = self._ask(request, work, address, now)
                result = self._answer(request, now)
                results.append(result)
                trouble = trouble_of(result.status, result.failure, result.discard)
                row = row + 1 if trouble is not None else 0
                is_over |= trouble is Trouble.OVERLOADED
                is_troubled = trouble is not None and PATIENCE[trouble].host_waits
                is_left = is_troubled or result.retry_after > 0 or row >= SPREAD_URLS
        return now

    def _ask(self, request: Request, work: HostWork, address: str, now: float) -> float:
        earlier = [asked.ended_at for asked in self.asked[-200:] if asked.host == work.host]
        at = max(now, earlier[-1] + work.delay) if earlier else now
        self.asked.append(Asked(at, at + self.answer_seconds, address, work.host, request.url))
        return at + self.answer_seconds

    def _answer(self, request: Request, now: float) -> Result:
        if self.answer is not None:
            return self.answer(request, now)
        self.fetched.append(request.url)
        found = links_to(self.links.get(request.url, []))
        return Result(request, status=200, seconds=0.2, body_bytes=1000, text_chars=500, links=found)
