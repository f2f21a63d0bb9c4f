"""How many hosts move to another shard in a day of the web as it is?

To see the figures: pytest -s tests/unit/frontier/test_frontier_moves.py
"""

from dataclasses import dataclass
from functools import cache

from shard_players import BRISK, DAY, Cluster, SharedWeb

from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.protocol.work import Request, Result, RobotsNote, RobotsState
from tiptoe.url.address import url_key

SHARDS, HOSTS, DAYS = 8, 250, 10
SETTLED_DAYS = 2
REVISITING = FrontierPolicy(
    politeness=BRISK, revisit=RevisitPolicy(strategy="uniform", first_seconds=DAY, is_endless=True)
)


@dataclass
class DriftingWeb(SharedWeb):
    """Some names have several addresses in changing order; some get another one for good each day."""

    drifting: float = 0.01  # share of names that change in a day
    started_at: float = 1e6

    @property
    def addresses(self) -> int:
        return self.hosts

    def answer(self, request: Request, now: float) -> Result:
        """One page is all there is of each: what is asked is where it lives."""
        return Result(request, status=200, body_bytes=900, text_chars=300, text_hash=url_key(request.url))

    def rules(self, origin: str) -> RobotsNote:
        return RobotsNote(RobotsState.RULES)

    def addresses_of(self, host: str, now: float) -> list[str]:
        day = int((now - self.started_at) // DAY)
        changes = sum(self.changes_on(host, past) for past in range(day + 1))
        chance = self.chance("dns", host, changes)
        numbers = [chance.randrange(self.addresses) for _ in range(3)]
        if self.chance("kind", host).random() < self.rotating:
            self.chance("rotated", host, now).shuffle(numbers)
        else:
            numbers = numbers[:1]
        return [f"198.18.{number >> 8}.{number & 255}" for number in numbers]

    @cache  # noqa: B019  # lives as long as its test
    def changes_on(self, host: str, day: int) -> bool:
        return self.chance("drift", host, day).random() < self.drifting

    def __hash__(self) -> int:
        return id(self)


def moved_per_day(web: DriftingWeb) -> tuple[float, float]:
    """Return which share of the hosts has moved in a day on average, and which share of names has changed."""
    cluster = Cluster(web, SHARDS, REVISITING, delay_max=1.0)
    cluster.add(*(f"http://{host}/p0" for host in web.names()))
    cluster.run(until=web.started_at + SETTLED_DAYS * DAY)
    before = sum(frontier.counters.totals.hosts_moved for frontier in cluster.frontiers)
    cluster.run(until=web.started_at + DAYS * DAY)
    after = sum(frontier.counters.totals.hosts_moved for frontier in cluster.frontiers)
    cluster.judge(BRISK)
    host_days = HOSTS * (DAYS - SETTLED_DAYS)
    days = range(SETTLED_DAYS, DAYS)
    changed = sum(web.changes_on(host, day) for host in web.names() for day in days)
    return (after - before) / host_days, changed / host_days


def test_as_many_hosts_move_as_names_change_and_no_more() -> None:
    """One in twenty names rotates, one in a hundred changes for good each day: moving is no burden."""
    moved, changed = moved_per_day(DriftingWeb(8, HOSTS, rotating=0.05))
    print(f"\nnames changed {changed:.2%} a day, hosts moved {moved:.2%} a day")
    assert 0.008 < changed < 0.012
    assert 0.5 * changed < moved <= changed


def test_names_that_only_rotate_move_nobody() -> None:
    moved, changed = moved_per_day(DriftingWeb(6, HOSTS, rotating=0.05, drifting=0.0))
    assert (moved, changed) == (0.0, 0.0)
