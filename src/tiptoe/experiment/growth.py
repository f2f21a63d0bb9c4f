"""Do revisits and new pages each get their share, while the web keeps growing?

The only experiment with the whole frontier, in virtual time: endless hosts beside hosts that are soon known
completely, more revisits due than fit, and fewer visits at once than hosts. Once with the usual share of
revisits, and once with a share of one, to show how new pages starve.
"""

from collections import Counter

import msgspec

from tiptoe.experiment.finding import Check, ExperimentFinding, FindingTable, Number, Plot
from tiptoe.experiment.frontier_player import FrontierPlayer, links_to
from tiptoe.experiment.watch import Progress
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.policy import FrontierPolicy, RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import host_of, page_key

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


def growth(hosts: int, seed: int, progress: Progress) -> ExperimentFinding:
    """Return the share of revisits on each day."""
    kept, starved = (
        _GrowingWeb(hosts, share, seed).run(lambda part: progress(part / 2)) for share in (SHARE, 1.0)
    )
    rows: list[tuple[Number, ...]] = [
        (day + 1, sum(kept[day]), _share(kept[day]), 1 - _share(kept[day]), 1 - _share(starved[day]))
        for day in range(DAYS)
    ]
    off = max(abs(_share(kept[day]) - SHARE) for day in range(1, DAYS))
    head = ("day", "requests", "revisits", "new pages", "new pages, all for revisits")
    return ExperimentFinding(
        name="growth",
        title="A web that keeps growing",
        lead=f"The frontier itself, {DAYS} days, {hosts} hosts, every second of them without end, the others "
        f"known whole after {SMALL_HOST_PAGES} pages; {SHARE:.0%} of the requests are revisits. In the last "
        "column all are, and new pages have what revisits cannot use. On the first day there is little to "
        "revisit yet; it does not count.",
        tables=[FindingTable("Shares of the requests", head, ("n", "n", "%", "%", "%"), rows)],
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


class _GrowingWeb:
    """A web that grows as far as pages are linked, and the frontier that crawls it."""

    def __init__(self, hosts: int, share: float, seed: int) -> None:
        self.hosts = hosts
        self.seed = seed
        self.counted: Counter[tuple[int, bool]] = Counter()  # day and whether it was a revisit
        self.pages: Counter[int] = Counter()  # linked so far, by host
        revisit = RevisitPolicy(
            strategy="adaptive", first_seconds=DAY / 4, min_seconds=3600.0, max_seconds=DAY / 2,
            share=share, is_endless=True,
        )  # fmt: skip
        policy = FrontierPolicy(politeness=POLITENESS, revisit=revisit, follows_sitemaps=False, min_yield=0.0)
        self.player = FrontierPlayer(
            Frontier(MemoryStore(), policy), self._answer, _address_of, now=1.0,
            visits_max=max(1, int(hosts * WALKS_PER_HOST)), answer_seconds=ANSWER_SECONDS,
        )  # fmt: skip

    def run(self, progress: Progress) -> list[tuple[int, int]]:
        """Return the new requests and the revisits of each day."""
        player = self.player
        player.add(*(self._link(host) for host in range(self.hosts)))
        told_day = 0
        while player.now < DAYS * DAY:
            player.step()
            if (day := min(DAYS, int(player.now / DAY))) > told_day:
                progress((day - told_day) / DAYS)
                told_day = day
        return [(self.counted[day, False], self.counted[day, True]) for day in range(DAYS)]

    def _answer(self, request: Request, now: float) -> Result:
        again = request.last_visit
        self.counted[int(now / DAY), again is not None] += 1
        result = Result(request, status=200, seconds=ANSWER_SECONDS, body_bytes=1000, text_chars=500)
        key = page_key(request.url)
        if again is not None:
            is_changed = (key[-1] + again.visits + self.seed) % 2 == 0
            return msgspec.structs.replace(result, is_changed=is_changed)
        own = _number_of(host_of(request.url))
        found = {own, *(key[number] % self.hosts for number in range(1, LINKS))}
        links = links_to(
            self._link(host) for host in found if host % 2 == 0 or self.pages[host] < SMALL_HOST_PAGES
        )
        return msgspec.structs.replace(result, links=links)

    def _link(self, host: int) -> str:
        self.pages[host] += 1
        return f"https://p{host}.example/{self.pages[host]}"


def _number_of(host: str) -> int:
    return int(host.partition(".")[0][1:])


def _address_of(host: str) -> str:
    number = _number_of(host)
    return f"192.0.{2 + number // 250}.{1 + number % 250}"
