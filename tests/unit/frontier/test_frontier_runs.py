"""What one run of a crawl leaves to the next."""

import pytest

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.runs import Runs
from tiptoe.frontier.step import Step
from tiptoe.protocol.work import Report, Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Store

PAUSE = 300.0


def runs_of(store: Store) -> Runs:
    return Runs(Step(store, hosts_cached_max=9))


class Machine:
    """A count and a wall clock, each of its own."""

    def __init__(self, boot: str, *, count: float, wall: float) -> None:
        self.boot, self.count, self.wall = boot, count, wall

    def run(
        self, store: Store, seconds: float, *, wall_set_by: float = 0.0, ends_well: bool = True
    ) -> list[float]:
        """Let a crawl run, and its wall clock be set meanwhile; return its first and its last moment."""
        runs = runs_of(store)
        offset = runs.offset(self.boot, count=self.count, wall=self.wall)
        began_at = self.count + offset
        runs.begin(self.boot, offset, now=began_at, rest=PAUSE, wall_ahead=self.wall - began_at)
        self.pass_time(seconds)
        self.wall += wall_set_by
        now = self.count + offset
        if ends_well:
            runs.end(now=now, wall_ahead=self.wall - now)
        return [began_at, now]

    def pass_time(self, seconds: float) -> None:
        self.count += seconds
        self.wall += seconds


@pytest.mark.parametrize("ends_well", [True, False])
@pytest.mark.parametrize("wall_set_by", [0.0, 3600.0, -3600.0])
def test_moments_are_counted_on_as_long_as_the_machine_runs(ends_well: bool, wall_set_by: float) -> None:
    """A wall clock that was set forward would end every pause and every Retry-After at once."""
    store, machine = MemoryStore(), Machine("boot 1", count=50.0, wall=1e9)
    began_at, ended_at = machine.run(store, 100.0, wall_set_by=wall_set_by, ends_well=ends_well)
    assert (began_at, ended_at) == (1e9, 1e9 + 100.0)
    machine.pass_time(7.0)
    assert machine.run(store, 1.0)[0] == ended_at + 7.0


@pytest.mark.parametrize("wall_set_by", [0.0, 3600.0, -3600.0])
def test_moments_go_on_on_another_machine(wall_set_by: float) -> None:
    """What is left of a pause is the same there, though its count is another and the wall clock was set."""
    store, here = MemoryStore(), Machine("boot 1", count=5e6, wall=1e9)
    _, ended_at = here.run(store, 100.0, wall_set_by=wall_set_by)
    here.pass_time(20.0)
    there = Machine("boot 2", count=3.0, wall=here.wall)
    assert there.run(store, 50.0)[0] == ended_at + 20.0
    there.pass_time(30.0)
    here.pass_time(80.0)
    assert here.wall == there.wall
    assert Machine("boot 3", count=9.0, wall=here.wall).run(store, 1.0)[0] == ended_at + 100.0


def test_moments_never_go_back() -> None:
    """A machine whose clock has lost its battery begins in 1970: nobody waits for years because of that."""
    store, here = MemoryStore(), Machine("boot 1", count=0.0, wall=1e9)
    _, ended_at = here.run(store, 100.0)
    assert Machine("boot 2", count=3.0, wall=0.0).run(store, 1.0)[0] == ended_at


def test_where_nobody_can_tell_one_start_of_the_machine_from_another_the_wall_counts() -> None:
    store = MemoryStore()
    Machine("", count=5.0, wall=1e9).run(store, 10.0)
    assert Machine("", count=1.0, wall=1e9 + 60.0).run(store, 1.0)[0] == 1e9 + 60.0


def test_a_frontier_that_was_moved_keeps_its_pauses() -> None:
    """A server that asked for peace must not notice that another machine goes on."""
    store, here = MemoryStore(), Machine("boot 1", count=5e6, wall=1e9)
    frontier = Frontier(store, FrontierPolicy())
    frontier.tick(1e9)
    frontier.add([Request("http://a.example/1"), Request("http://a.example/2")], 1e9)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 1e9)
    (visit,) = frontier.visits(1, "h", 1e9)
    (request, other) = visit.hosts[0].requests
    results = [Result(request, status=503, retry_after=5000.0)]
    frontier.report([Report(visit.id, results, [other], is_done=True)], {}, 1e9 + 1.0)
    may_at = frontier.next_at()
    assert may_at is not None
    assert may_at >= 1e9 + 5001.0
    here.run(store, 2.0, wall_set_by=1e6)
    there = Machine("boot 2", count=1.0, wall=here.wall + 3.0)
    now, _ = there.run(store, 1.0)
    again = Frontier(store, FrontierPolicy())
    again.recover(now)
    again.tick(now)
    assert now == 1e9 + 5.0
    assert again.next_at() == may_at
    again.tick(may_at - 0.01)
    assert not again.visits(1, "h", may_at - 0.01)
    again.tick(may_at)
    assert again.visits(1, "h", may_at)


def test_nobody_is_asked_for_a_while_when_the_machine_went_down() -> None:
    """The last writes may be missing, and with them who was asked last."""
    store = MemoryStore()
    assert runs_of(store).begin("boot 1", 0.0, now=10.0, rest=PAUSE) <= 10.0
    assert runs_of(store).begin("boot 1", 0.0, now=20.0, rest=PAUSE) <= 20.0  # only killed
    assert runs_of(store).begin("boot 2", 0.0, now=30.0, rest=PAUSE) == 30.0 + PAUSE


@pytest.mark.parametrize("ends_well", [True, False])
def test_that_rest_is_not_cut_short_by_another_start(ends_well: bool) -> None:
    """Who stops the crawl and starts it again has not waited."""
    store = MemoryStore()
    runs_of(store).begin("boot 1", 0.0, now=10.0, rest=PAUSE)
    after = runs_of(store)
    after.begin("boot 2", 0.0, now=30.0, rest=PAUSE)
    if ends_well:
        after.end(now=0.0)
    assert runs_of(store).begin("boot 2", 0.0, now=40.0, rest=PAUSE) == 30.0 + PAUSE


def test_a_rest_is_never_longer_than_a_pause() -> None:
    """The wall clock was set back by a year while the machine was down."""
    store = MemoryStore()
    runs_of(store).begin("boot 1", 0.0, now=1e9, rest=PAUSE)
    runs_of(store).begin("boot 2", 0.0, now=1e9, rest=PAUSE)
    runs_of(store).end(now=1e9)
    assert runs_of(store).begin("boot 3", 0.0, now=9e8, rest=PAUSE) == 9e8 + PAUSE


def test_a_run_that_ended_well_leaves_no_rest_on_its_machine() -> None:
    """On another one the clock is another, by however little."""
    store = MemoryStore()
    for boot, now, is_rest in [("boot 1", 10.0, False), ("boot 1", 20.0, False), ("boot 2", 30.0, True)]:
        runs = runs_of(store)
        assert (runs.begin(boot, 0.0, now=now, rest=PAUSE) > now) is is_rest
        runs.end(now=now)


def test_everybody_rests_when_ranges_of_networks_are_changed() -> None:
    """Hosts of an address may have been asked one by one, and now take turns."""
    store = MemoryStore()
    network = ("192.0.2.0/24",)
    for ranges, now, is_rest in [(network, 0.0, False), (network, 9.0, False), ((), 20.0, True)]:
        runs = runs_of(store)
        assert (runs.begin("boot 1", 0.0, now=now, rest=PAUSE, ranges=ranges) > now) is is_rest
        runs.end(now=0.0)
