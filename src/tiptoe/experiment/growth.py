"""Do revisits and new pages each get their share, while the web keeps growing?

The one experiment with the whole frontier, in virtual time: hosts that never end beside hosts that were soon
known whole, more to be visited again than there is room for, and fewer walks than hosts. Once with the usual
share, once with all of it for revisits: that is how new pages starve.
"""

import heapq
from collections import Counter
from dataclasses import dataclass, field

import msgspec

from tiptoe.experiment.finding import Check, Finding, Number, Plot, Table
from tiptoe.experiment.watch import Progress
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.policy import FrontierPolicy, RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import (
    HostLinks,
    HostWork,
    Purpose,
    Report,
    Request,
    Result,
    RobotsNote,
    RobotsState,
)
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import host_of, origin_of, page_key

__all__ = ["growth"]

DAY = 86400.0
DAYS = 30
SHARE = 0.3
WALKS_PER_HOST = 0.25
ANSWER_SECONDS = 0.2
SMALL_HOST_PAGES = 60
LINKS = 3
POLITENESS = Politeness(
    req_delay=300.0, max_hosts=1, max_reqs=10, general_pause=600.0, robots_expiry=DAY * 365
)
BAR = 0.02


def growth(hosts: int, seed: int, progress: Progress) -> Finding:
    """Return the share of revisits on every day."""
    kept, starved = (
        _Crawl(hosts, share, seed).run(lambda part: progress(part / 2)) for share in (SHARE, 1.0)
    )
    rows: list[tuple[Number, ...]] = [
        (day + 1, sum(kept[day]), _share(kept[day]), 1 - _share(kept[day]), 1 - _share(starved[day]))
        for day in range(DAYS)
    ]
    off = max(abs(_share(kept[day]) - SHARE) for day in range(1, DAYS))
    head = ("day", "requests", "revisits", "new pages", "new pages, all for revisits")
    return Finding(
        name="growth",
        title="A web that keeps growing",
        lead=f"The frontier itself, {DAYS} days, {hosts} hosts, every second of them without end, the others "
        f"known whole after {SMALL_HOST_PAGES} pages; {SHARE:.0%} of the requests are revisits. In the last "
        "column all are, and new pages have what revisits cannot use. On the first day there is little to "
        "revisit yet; it does not count.",
        tables=[Table("Shares of the requests", head, ("n", "n", "%", "%", "%"), rows)],
        checks=[
            Check(f"both shares within 2 points on every day: {100 * off:.2f} at most", off <= BAR),
        ],
        plots=[
            Plot(
                "growth-shares", "New pages, day by day", "day", "share of requests", "%",
                {
                    f"{SHARE:.0%} for revisits": [(float(row[0] or 0), float(row[3] or 0)) for row in rows],
                    "all for revisits": [(float(row[0] or 0), float(row[4] or 0)) for row in rows],
                },
            )
        ],
    )  # fmt: skip


def _share(day: tuple[int, int]) -> float:
    new, again = day
    return again / max(1, new + again)


@dataclass
class _Crawl:
    """The real frontier, a pretended web, a clock that jumps."""

    hosts: int
    share: float
    seed: int
    now: float = 1.0
    answers: dict[int, list[Result]] = field(default_factory=dict)
    agenda: list[tuple[float, int]] = field(default_factory=list)
    counted: Counter[tuple[int, bool]] = field(default_factory=Counter)
    free_at: dict[str, float] = field(default_factory=dict)
    known_rules: set[str] = field(default_factory=set)
    pages: Counter[int] = field(default_factory=Counter)  # that were linked, by host

    def __post_init__(self) -> None:
        revisit = RevisitPolicy(
            strategy="adaptive", first_seconds=DAY / 4, min_seconds=3600.0, max_seconds=DAY / 2,
            share=self.share, is_endless=True,
        )  # fmt: skip
        policy = FrontierPolicy(politeness=POLITENESS, revisit=revisit, follows_sitemaps=False, min_yield=0.0)
        self.frontier = Frontier(MemoryStore(), policy)

    def run(self, progress: Progress) -> list[tuple[int, int]]:
        """Return the new requests and the revisits of each day."""
        self.frontier.add([Request(self._link(host)) for host in range(self.hosts)], self.now)
        told_day = 0
        while self.now < DAYS * DAY:
            self._step()
            if (day := min(DAYS, int(self.now / DAY))) > told_day:
                progress((day - told_day) / DAYS)
                told_day = day
        return [(self.counted[day, False], self.counted[day, True]) for day in range(DAYS)]

    def _step(self) -> None:
        """Hand out what may begin now, then finish the visit that ends first or let time pass."""
        frontier = self.frontier
        frontier.wake(self.now)
        for host in frontier.new_hosts(self.hosts):
            number = int(host.partition(".")[0][1:])
            frontier.resolved(host, f"192.0.{2 + number // 250}.{1 + number % 250}", "", self.now)
        walks = max(1, int(self.hosts * WALKS_PER_HOST)) - len(self.agenda)
        for visit in frontier.visits(walks, "h", self.now):
            self._work(visit.id, visit.hosts)
        if self.agenda:
            self.now, visit_id = heapq.heappop(self.agenda)
            report = Report(visit_id, self.answers.pop(visit_id), is_done=True)
            if more := frontier.report([report], {}, self.now)[visit_id]:
                self._work(visit_id, more)
        else:
            self.now = max(self.now + 1.0, frontier.next_at() or 0.0)

    def _work(self, visit: int, works: list[HostWork]) -> None:
        results = self.answers[visit] = []
        now = self.now
        for work in works:
            for request in work.requests:
                origin = origin_of(request.url)
                if origin not in self.known_rules:
                    self.known_rules.add(origin)
                    rules = Request(origin + "/robots.txt", Purpose.ROBOTS)
                    results.append(Result(rules, status=404, robots=RobotsNote(RobotsState.RULES)))
                now = max(now, self.free_at.get(work.host, now)) + ANSWER_SECONDS
                self.free_at[work.host] = now + work.delay
                results.append(self._answer(request, now))
        heapq.heappush(self.agenda, (now, visit))

    def _answer(self, request: Request, now: float) -> Result:
        again = request.last_visit
        self.counted[int(now / DAY), again is not None] += 1
        result = Result(request, status=200, seconds=ANSWER_SECONDS, body_bytes=1000, text_chars=500)
        key = page_key(request.url)
        if again is not None:
            is_changed = (key[-1] + again.visits + self.seed) % 2 == 0
            return msgspec.structs.replace(result, is_changed=is_changed)
        own = int(request.url.removeprefix("https://p").partition(".")[0])
        for host in {own, *(key[number] % self.hosts for number in range(1, LINKS))}:
            if host % 2 == 0 or self.pages[host] < SMALL_HOST_PAGES:
                url = self._link(host)
                result.links.append(HostLinks(host_of(url), [url], page_key(url)))
        return result

    def _link(self, host: int) -> str:
        self.pages[host] += 1
        return f"https://p{host}.example/{self.pages[host]}"
