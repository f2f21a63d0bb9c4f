"""Requests of several machines, whose clocks differ, are judged by the clocks of the shards."""

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from audit_samples import ADDRESS, BEGIN, HOST, TERMS

from tiptoe.audit.auditor import Audit, audit
from tiptoe.cluster.shard_clock import ClockReading, MachineTime, ShardClock
from tiptoe.protocol.work import ShardTime
from tiptoe.write.logclock import LogClock
from tiptoe.write.logentries import RequestEntry
from tiptoe.write.requestlog import RequestLog

SHARD = 7
OTHER_SHARD = 8


class World:
    """True time, which nobody can see; seconds after BEGIN."""

    def __init__(self) -> None:
        self.now = 0.0


class Machine:
    """An agent's machine: its wall clock is wrong by so much, and it was started at some time."""

    def __init__(self, world: World, directory: Path, *, wall_error: float, started: float) -> None:
        self.world = world
        self.directory = directory
        self.wall_error = wall_error
        self.started = started
        self.boot = f"boot of {directory.name}"
        self.clocks: dict[int, ShardClock] = {}
        self._logs = 0

    def count(self) -> float:
        return self.world.now - self.started

    def wall(self) -> float:
        return BEGIN + self.world.now + self.wall_error

    def time(self) -> MachineTime:
        return MachineTime(self.boot, self.count(), self.wall())

    def begin(self, shard: int) -> None:
        """Hold a shard that nobody had before."""
        self.clocks[shard] = ShardClock.resume(None, 0.0, self.time())

    def take(self, shard: int, before: "Machine", *, heard_ago: float = 0.0) -> None:
        """Hold a shard after another one whose last renewal was heard so long ago."""
        self.world.now -= heard_ago
        reading: ClockReading = before.clocks.pop(shard).reading(before.time())
        heard_at = self.count()
        self.world.now += heard_ago
        self.clocks[shard] = ShardClock.resume(reading, heard_at, self.time())

    def shard_time(self, shard: int) -> ShardTime:
        clock = self.clocks[shard]
        return ShardTime(clock.now(self.count()), clock.offset, self.boot)

    def log(self, shard: int = SHARD, *, boot: str | None = None) -> "Harvest":
        """Return a log of a harvester here, or (with another boot) at another machine."""
        self._logs += 1
        clock = LogClock(self.wall, self.count, boot=self.boot if boot is None else boot)
        name = f"h1-18c3-{self._logs:04d}.s{shard:02d}"
        return Harvest(self, shard, name, RequestLog(self.directory, name, terms=TERMS, clock=clock))


class Harvest:
    """What one harvester asks for one shard."""

    def __init__(self, machine: Machine, shard: int, name: str, log: RequestLog) -> None:
        self.machine = machine
        self.name = f"{machine.directory.name} {name}"
        self.path = machine.directory / "log" / f"requests-{name}.jsonl"
        self.shard = shard
        self.log = log
        self.visits = 0

    def visit(self, at: float, *, host: str = HOST, address: str = ADDRESS, took: float = 0.25) -> None:
        """Make a visit of one request at a true moment."""
        world = self.machine.world
        world.now = at
        self.visits += 1
        self.log.note_time(self.shard, self.machine.shard_time(self.shard))
        self.log.write_robots(f"http://{host}", "rules")
        started_at = self.log.now()
        world.now += took
        self.log.write_request(
            RequestEntry(
                started_at=started_at,
                ended_at=self.log.now(),
                host=host,
                address=address,
                url=f"http://{host}/",
                purpose="page",
                robots="allowed",
                delay=5.0,
                visit=f"{self.name}.{self.visits}",
                harvester="h1",
                status=200,
            )
        )


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(params=[300.0, -300.0], ids=["five minutes ahead", "five minutes behind"])
def pair(world: World, tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Machine, Machine]:
    """Two machines; the wall clock of the first is wrong."""
    first = Machine(world, tmp_path / "first", wall_error=request.param, started=-1000.0)
    second = Machine(world, tmp_path / "second", wall_error=0.0, started=-77_000.0)
    return first, second


def judge(*machines: Machine, missing: Iterable[str] = ()) -> Audit:
    first, *others = [machine.directory for machine in machines]
    return audit(first, members=others, missing=tuple(missing))


def accused(found: Audit) -> set[str]:
    return {violation.rule for violation in found.findings.kept}


def test_a_visit_too_early_by_another_agent_is_found(world: World, pair: tuple[Machine, Machine]) -> None:
    """By their wall clocks 340 seconds lie between the two, or minus 260; in truth it is 40."""
    first, second = pair
    first.begin(SHARD)
    first.log().visit(0.0)
    world.now = 39.0
    second.take(SHARD, first)
    second.log().visit(40.25)

    found = judge(first, second)

    (violation,) = found.findings.kept
    assert (violation.rule, violation.host) == ("POL-4", HOST)
    assert violation.shortfall == pytest.approx(260.0)
    assert [place.file.split("/")[0] for place in violation.lines] == ["first", "second"]


def test_two_agents_that_ask_a_host_at_once_are_found(world: World, pair: tuple[Machine, Machine]) -> None:
    first, second = pair
    first.begin(SHARD)
    first.log().visit(0.0)
    world.now = 0.1
    second.take(SHARD, first)
    second.log().visit(0.125)

    assert accused(judge(first, second)) == {"POL-1", "POL-4"}


def test_a_visit_after_the_rest_by_another_agent_is_fine(world: World, pair: tuple[Machine, Machine]) -> None:
    """By their wall clocks there would be ten seconds, or ten minutes."""
    first, second = pair
    first.begin(SHARD)
    first.log().visit(0.0)
    world.now = 250.0
    second.take(SHARD, first)
    second.log().visit(310.0)

    found = judge(first, second)

    assert (found.findings.count, found.findings.unjudged, found.figures.requests) == (0, 0, 2)
    assert found.figures.pauses.shortest == pytest.approx(309.75)


@pytest.mark.parametrize("at", [40.25, 310.0], ids=["too early", "in time"])
def test_by_wall_clocks_alone_the_judgement_would_be_wrong(
    world: World, pair: tuple[Machine, Machine], at: float
) -> None:
    """The lines about clocks make the difference; a test that passes without them would prove nothing."""
    first, second = pair
    first.begin(SHARD)
    first.log().visit(0.0)
    world.now = 39.0
    second.take(SHARD, first)
    second.log().visit(at)
    by_shard = judge(first, second).figures.pauses.shortest
    assert by_shard == pytest.approx(at - 0.25)

    for path in (path for machine in pair for path in (machine.directory / "log").iterdir()):
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(line for line in lines if b'"kind":"clock"' not in line))

    by_wall = judge(first, second).figures.pauses.shortest
    assert by_wall is not None
    assert by_shard is not None
    assert abs(by_wall - by_shard) > 200.0


def test_what_is_lost_of_time_in_taking_over_counts_as_it_was_decided_by(
    world: World, pair: tuple[Machine, Machine]
) -> None:
    """Who takes over counts a little short, so the shard waits longer than it says; it is judged by that."""
    first, second = pair
    first.begin(SHARD)
    first.log().visit(0.0)
    world.now = 100.0
    second.take(SHARD, first, heard_ago=30.0)
    log = second.log()
    by_the_shard = second.clocks[SHARD]
    due = 300.25 + BEGIN + first.wall_error  # by the clock of the shard
    log.visit(due - by_the_shard.offset + second.started)

    found = judge(first, second)

    assert world.now > 300.5  # 0.6 s later than by true time
    assert (found.findings.count, found.findings.unjudged) == (0, 0)


def test_a_shard_that_comes_back_has_another_clock_in_the_same_log(
    world: World, pair: tuple[Machine, Machine]
) -> None:
    first, second = pair
    first.begin(SHARD)
    log = first.log()
    log.visit(0.0)
    world.now = 250.0
    second.take(SHARD, first, heard_ago=30.0)
    second.log().visit(400.0)
    world.now = 500.0
    first.take(SHARD, second, heard_ago=30.0)
    log.visit(705.0)
    log.visit(1300.0)

    found = judge(first, second)

    assert (found.findings.count, found.findings.unjudged) == (0, 0)
    log.visit(1400.0)
    assert accused(judge(first, second)) == {"POL-4"}


def test_a_request_cut_off_by_a_death_is_put_where_it_began(
    world: World, pair: tuple[Machine, Machine]
) -> None:
    first, second = pair
    first.begin(SHARD)
    log = first.log()
    log.visit(0.0)
    world.now = 400.0
    log.log.begin(log.log.now(), 99, HOST, ADDRESS, "page", f"http://{HOST}/x")
    second.take(SHARD, first)
    second.log().visit(450.0)
    dead = first.directory.with_name("dead")  # nobody holds the lock of a copy, as after a death
    shutil.copytree(first.directory, dead)

    found = audit(dead, members=[second.directory])

    assert found.figures.cut_off == 1
    (violation,) = found.findings.kept
    assert violation.shortfall == pytest.approx(250.0)


def test_a_host_that_moved_between_shards_of_one_machine_is_judged_exactly(
    world: World, pair: tuple[Machine, Machine]
) -> None:
    """The clock of one shard has fallen behind that of the other, the machine has counted all the same."""
    first, second = pair
    first.begin(SHARD)
    first.begin(OTHER_SHARD)
    world.now = 50.0
    second.take(SHARD, first, heard_ago=30.0)
    second.take(OTHER_SHARD, first)
    second.log(SHARD).visit(100.0)
    second.log(OTHER_SHARD).visit(105.5, address="192.0.2.9")
    assert judge(second).findings.count == 0

    second.log(SHARD).visit(500.0)
    second.log(OTHER_SHARD).visit(505.0, address="192.0.2.9")  # 4.75 s after the answer

    found = judge(second)
    assert accused(found) == {"POL-1"}
    assert found.findings.kept[0].shortfall == pytest.approx(0.25)


def test_a_host_that_moved_between_machines_is_judged_if_a_shard_has_moved_too(
    world: World, pair: tuple[Machine, Machine]
) -> None:
    first, second = pair
    third = 9
    for shard in (SHARD, third):
        first.begin(shard)
    second.begin(OTHER_SHARD)
    first.log(third).visit(0.0, host="b.example", address="192.0.2.3")
    world.now = 100.0
    second.take(third, first)
    second.log(third).visit(400.0, host="b.example", address="192.0.2.3")
    first.log(SHARD).visit(1000.0)
    second.log(OTHER_SHARD).visit(1030.0, address="192.0.2.9")
    found = judge(first, second)
    assert (found.findings.count, found.findings.unjudged) == (0, 0)

    first.log(SHARD).visit(2000.0)
    second.log(OTHER_SHARD).visit(2006.0, address="192.0.2.9")  # within what nobody can say
    found = judge(first, second)
    assert (found.findings.count, found.findings.unjudged) == (0, 1)

    first.log(SHARD).visit(3000.0, host="c.example", address="192.0.2.4", took=20.0)
    second.log(OTHER_SHARD).visit(3005.0, host="c.example", address="192.0.2.9")
    assert accused(judge(first, second)) == {"POL-1"}


def test_a_host_on_machines_whose_clocks_nobody_can_compare_is_not_judged(
    world: World, pair: tuple[Machine, Machine]
) -> None:
    first, second = pair
    first.begin(SHARD)
    second.begin(OTHER_SHARD)
    first.log(SHARD).visit(0.0)
    second.log(OTHER_SHARD).visit(301.0, address="192.0.2.9")

    found = judge(first, second)

    assert (found.findings.count, found.findings.unjudged) == (0, 1)


def test_a_harvester_elsewhere_leaves_a_second_in_doubt(world: World, pair: tuple[Machine, Machine]) -> None:
    """It knows the clock of the shard only as it was when a message left."""
    first, _ = pair
    first.begin(SHARD)
    first.log().visit(0.0)
    first.log(boot="elsewhere").visit(299.75)
    found = judge(first)
    assert (found.findings.count, found.findings.unjudged) == (0, 1)

    first.log(boot="elsewhere").visit(500.0)
    assert accused(judge(first)) == {"POL-4"}


def test_without_the_log_of_an_agent_nobody_is_accused_for_what_may_stand_there(
    world: World, pair: tuple[Machine, Machine]
) -> None:
    first, second = pair
    first.begin(SHARD)
    first.log().visit(0.0)
    world.now = 250.0
    second.take(SHARD, first)
    log = second.log()
    log.log.write_robots = lambda *words: None  # type: ignore[method-assign]  # the other one has read it
    log.visit(400.0)
    assert judge(first, second).findings.count == 0
    assert accused(judge(second)) == {"POL-5"}

    found = judge(second, missing=["first"])

    assert (found.findings.count, found.findings.unjudged) == (0, 1)


def test_a_log_that_was_gathered_counts_once(world: World, pair: tuple[Machine, Machine]) -> None:
    """A copy may be behind; the longer one is read."""
    first, second = pair
    first.begin(SHARD)
    log = first.log()
    log.visit(0.0)
    copy = second.directory / "log" / log.path.name
    copy.parent.mkdir(parents=True)
    copy.write_bytes(log.path.read_bytes())
    log.visit(600.0)

    for order in ((first, second), (second, first)):
        found = judge(*order)
        assert (found.figures.requests, found.findings.count) == (2, 0)


def test_what_was_written_since_the_others_were_copied_is_left_for_the_next_time(
    world: World, pair: tuple[Machine, Machine]
) -> None:
    """It may rest on what the others have written since; rules that they have read, for instance."""
    first, second = pair
    first.begin(SHARD)
    log = first.log()
    log.visit(0.0)
    sizes = {log.path: log.path.stat().st_size}
    log.visit(600.0)
    first.log().visit(1200.0)
    second.directory.mkdir()

    found = audit(first.directory, members=[second.directory], limits=sizes)

    assert found.figures.requests == 1
