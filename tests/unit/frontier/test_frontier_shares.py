"""New pages and revisits side by side: neither starves the other."""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.experiment.frontier_player import FrontierPlayer, links_to
from tiptoe.frontier.counters import Learned
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host import HostRecord, Side
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.priority import REVISITS
from tiptoe.frontier.shares import Shares, divide
from tiptoe.frontier.workbench import Workbench
from tiptoe.protocol.work import Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import host_of

DAY = 86400.0
SHARE = 0.3

counts = st.integers(0, 50)


@given(
    wanted=counts, new=counts, revisits=counts, share=st.floats(0.0, 1.0), credit=st.floats(-1.0, 1.0)
)  # fmt: skip
def test_what_one_side_cannot_use_goes_to_the_other(
    wanted: int, new: int, revisits: int, share: float, credit: float
) -> None:
    """A request that could be made is made."""
    fresh, known, left = divide(wanted, new, revisits, share, credit)
    assert fresh + known == min(wanted, new + revisits)
    assert 0 <= fresh <= new
    assert 0 <= known <= revisits
    assert -1.0 <= left <= 1.0


@pytest.mark.parametrize("wanted", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.5, 1.0])
def test_small_visits_keep_the_shares_too(wanted: int, share: float) -> None:
    """One request a visit is all that some hosts allow: rounding must not decide."""
    known, credit = 0, 0.0
    for _ in range(1000):
        _, given_again, credit = divide(wanted, 99, 99, share, credit)
        known += given_again
    assert known == pytest.approx(share * 1000 * wanted, abs=1.5)


def test_nothing_is_owed_for_the_time_when_one_side_had_no_work() -> None:
    """Else a side that comes back after a month would have everything for a month."""
    shares = Shares(Learned(), share=SHARE)
    shares.note(10_000, 0, is_contested=False)
    assert not shares.is_revisit_owed
    shares.note(10_000, 0, is_contested=True)
    shares.note(0, 1500, is_contested=True)
    assert not shares.is_revisit_owed, "a debt is bounded"


def test_the_limit_of_the_crawl_is_for_new_pages_only() -> None:
    """Pages that are known can be visited again however many there are."""
    shares = Shares(Learned(), share=SHARE)
    record = HostRecord("a.example")
    record.waiting[1], record.waiting[REVISITS] = 9, 9
    assert shares.divide(record, 6, room=0) == (0, 6)
    assert shares.divide(record, 20, room=99) == (9, 9)


def test_while_much_is_owed_a_host_gives_no_more_than_goes_with_what_is_owed() -> None:
    """Hosts with many revisits and a trickle of new pages would spend the share of the others."""
    learned = Learned()
    shares = Shares(learned, share=0.5)
    record = HostRecord("a.example")
    record.waiting[REVISITS] = 40
    record.waiting[1] = 3
    learned.revisits_owed = -100.0
    assert shares.divide(record, 20, room=99, is_contested=True) == (3, 3)
    record.waiting[REVISITS], record.waiting[1] = 3, 40
    learned.revisits_owed = 100.0
    assert shares.divide(record, 20, room=99, is_contested=True) == (3, 3)


def test_what_nobody_else_wants_is_given_whatever_is_owed() -> None:
    """A share that one side cannot use goes to the other."""
    learned = Learned(revisits_owed=-100.0)
    record = HostRecord("a.example")
    record.waiting[REVISITS] = 40
    record.waiting[1] = 3
    assert Shares(learned, share=0.5).divide(record, 20, room=99) == (3, 17)


def test_the_side_that_is_owed_comes_first_and_hosts_with_both_wait_for_nobody() -> None:
    """Hosts that have both must not be passed over by turns."""
    bench = Workbench()
    for number in range(20):
        for side in Side:
            bench.bench(
                f"{side.name} {number}", f"gate {number:02} {side}", at=0.0, free_at=0.0, level=1, side=side
            )
    assert bench.is_contested(0.0)
    first = [
        turn[1][0].split()[0]
        for n in range(30)
        if (turn := bench.take(float(n), 1, is_revisit_owed=n % 3 == 0))
    ]
    assert first.count("BOTH") >= 8
    assert first.count("REVISIT") >= 4
    assert bench.take(99.0, 1, is_revisit_owed=True) is not None


class GrowingWeb(FrontierPlayer):
    """A frontier whose web grows by more than can be asked, and a harvester with little time."""

    def __init__(self, strategy: str = "uniform", growth: int = 2) -> None:
        self.growth = growth  # links to pages nobody has seen, on every page
        self.made = 0
        self.handed: dict[int, Counter[bool]] = defaultdict(Counter)  # day -> is again
        self.by_host: dict[str, Counter[bool]] = defaultdict(Counter)
        rules = Politeness(req_delay=1.0, max_hosts=1, max_reqs=4, general_pause=900.0)
        revisit = RevisitPolicy(
            strategy=strategy, first_seconds=2 * DAY, min_seconds=DAY, max_seconds=9 * DAY, share=SHARE,
            is_endless=True,
        )  # fmt: skip
        frontier = Frontier(MemoryStore(), FrontierPolicy(politeness=rules, revisit=revisit))
        super().__init__(frontier, self.serve, lambda host: f"192.0.2.{host}", now=0.0, visits_max=3)
        self.add(*(f"http://grows{n}.example/" for n in range(30)))
        self.add(*(f"http://still{n}.example/{page}" for n in range(30) for page in range(20)))

    def live(self, days: int) -> None:
        """Let so many days pass, ten minutes at a time."""
        end = self.now + days * DAY
        while self.now < end:
            self.round()
            self.now += 600.0

    def serve(self, request: Request, now: float) -> Result:
        is_again = request.last_visit is not None
        self.handed[int(now // DAY)][is_again] += 1
        self.by_host[host_of(request.url)][is_again] += 1
        found = self.links() if "grows" in request.url else ()
        is_changed = zlib.crc32(f"{request.url} {now}".encode()) % 2 == 0 if is_again else None
        return Result(
            request, status=200, body_bytes=900, text_chars=300, is_changed=is_changed, links=links_to(found)
        )

    def links(self) -> Iterator[str]:
        for _ in range(self.growth):
            self.made += 1
            # A new host now and then: it has nothing but new pages.
            host = f"grows{self.made % 30}" if self.made % 50 else f"grows-late{self.made}"
            yield f"http://{host}.example/{self.made}"

    def share_on(self, day: int) -> float:
        return self.handed[day][True] / self.handed[day].total()


def test_neither_side_starves_on_any_of_thirty_days() -> None:
    """What grows would take all requests, or what is known would: the open problem of BUbiNG-BUT.

    Nor on any host: one that is asked rarely must not be asked for one side only.
    """
    web = GrowingWeb()
    web.live(24)
    web.by_host.clear()
    web.live(8)
    web.frontier.check()
    assert sum(web.handed[0].values()) > 1000
    shares = {day: round(web.share_on(day), 3) for day in range(2, 32)}
    assert all(abs(share - SHARE) <= 0.02 for share in shares.values()), shares
    assert web.share_on(0) == 0.0, "there was nothing to visit again"

    both = {host: asked for host, asked in web.by_host.items() if all(asked.values()) and len(asked) == 2}
    big = {host: asked for host, asked in both.items() if host.startswith("grows") and asked.total() > 100}
    assert len(big) >= 20
    assert all(asked[True] / asked.total() == pytest.approx(SHARE, abs=0.03) for asked in big.values())


def test_when_the_web_grows_no_more_revisits_have_every_request() -> None:
    """The share of one side is no ceiling for the other."""
    web = GrowingWeb(growth=0)
    web.live(12)
    assert web.handed[1][False] == 0
    assert web.share_on(10) == 1.0
    assert web.frontier.counters.learned.account.pages == 630
    assert web.handed[2].total() > 250, "half of the pages are due every day"


@pytest.mark.parametrize("strategy", ["adaptive", "optimal"])
def test_other_strategies_keep_the_shares_too(strategy: str) -> None:
    """A budget says how many visits are worth it; it takes nothing from what is new."""
    web = GrowingWeb(strategy=strategy)
    web.live(6)
    web.frontier.check()
    assert all(web.share_on(day) <= SHARE + 0.02 for day in range(2, 6))
    assert web.share_on(5) > 0.1
