"""What the logs of all agents say together is what their servers saw, whatever their clocks say."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from simulated.agent_harvester import Served
from simulated.agent_world import AgentWorld, SimulatedAgent
from simulated.lease_world import Machine
from tiptoe.audit.auditor import Audit, audit
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.protocol.work import ShardTime, Visit
from tiptoe.url.address import origin_of
from tiptoe.write.logclock import LogClock
from tiptoe.write.logentries import ClockEntry, Opening, RequestEntry, RobotsEntry, Terms

HOUR = 3600.0
PACES_DIFFER = 0.985
"""The simulated harvesters count pauses within a visit by true time, and the logs by machines whose pace is
off by up to one per cent."""


class LoggedWorld(AgentWorld):
    """Agents whose requests can be written down as their harvesters would."""

    def __init__(self, seed: int, *, machines: int, shards: int, hosts: int) -> None:
        super().__init__(seed, machines=machines, shards=shards, hosts=hosts)
        self.times: dict[int, ShardTime] = {}  # by visit
        self.machine_of: dict[str, Machine] = {}  # by harvester

    def start(self, number: int) -> SimulatedAgent | None:
        agent = super().start(number)
        if agent is not None:
            self.machine_of[agent.harvester.name] = agent.machine
            visits = agent.frontier.visits

            def noted(wanted: int, harvester: str, now: float) -> list[Visit]:
                found = visits(wanted, harvester, now)
                self.times |= {visit.id: visit.time for visit in found if visit.time is not None}
                return found

            agent.frontier.visits = noted  # type: ignore[method-assign]
        return agent

    @property
    def terms(self) -> Terms:
        rules = self.rules
        return Terms(
            user_agent="tiptoe (+https://example.org/)", agent="tiptoe", max_hosts=rules.max_hosts,
            req_delay=rules.req_delay * PACES_DIFFER, max_reqs=rules.max_reqs, slow_factor=0.0,
            general_pause=rules.general_pause, delay_max=rules.delay_max, robots_expiry=rules.robots_expiry,
            retry_after_max=rules.retry_after_max, backoff_first=rules.backoff_first,
        )  # fmt: skip

    def write_logs(self, folder: Path, served: list[Served]) -> list[Path]:
        """Write the logs of all harvesters, each machine's in a directory; return these."""
        by_file: defaultdict[tuple[str, int], list[Served]] = defaultdict(list)
        for one in served:
            by_file[one.by, shard_of_visit(one.visit)].append(one)
        for (harvester, shard), some in by_file.items():
            machine = self.machine_of[harvester]
            path = folder / machine.name / "log" / f"requests-{harvester}-{id(some):x}.s{shard:02d}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = self._lines(machine, shard, sorted(some, key=lambda one: one.ended_at))
            path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
        return sorted(folder.iterdir())

    def _lines(self, machine: Machine, shard: int, served: list[Served]) -> Iterator[msgspec.Struct]:
        """Yield what a harvester on a machine writes that has asked for this."""
        began_at = min(one.at for one in served) - 1.0
        now = machine.time(began_at)
        clock = LogClock(lambda: now.wall, lambda: now.count, boot=machine.name)
        yield Opening(
            opened_at=clock.opened_at,
            counted=clock.counted,
            boot=machine.name,
            harvester="h",
            terms=self.terms,
        )
        offset: float | None = None
        for one in served:
            time = self.times[one.visit]
            started_at, ended_at = (machine.count(at) + clock.offset for at in (one.at, one.ended_at))
            if time.offset != offset:
                offset = time.offset
                yield ClockEntry(since=started_at, shard=shard, ahead=offset - clock.offset)
            is_rules = one.url.endswith("/robots.txt")
            yield RequestEntry(
                started_at=started_at, ended_at=ended_at, host=one.host, address=one.address, url=one.url,
                purpose="robots" if is_rules else "page", robots="exempt", delay=0.0, visit=str(one.visit),
                harvester="h", status=200,
            )  # fmt: skip
            if is_rules:
                yield RobotsEntry(read_at=ended_at, origin=origin_of(one.url), state="rules")


def judge(directories: list[Path]) -> Audit:
    return audit(directories[0], members=directories[1:])


@pytest.fixture(scope="module", params=range(6))
def world(request: pytest.FixtureRequest) -> Iterator[LoggedWorld]:
    """A crawl that has come to its end through deaths, standstills, cuts and hand-overs."""
    seed = 100 + request.param
    made = LoggedWorld(seed, machines=2 + seed % 3, shards=(2, 4, 8)[seed % 3], hosts=12 + seed % 12)
    made.trouble(300.0)
    assert made.run(until=2 * HOUR)
    assert made.judge() == []
    yield made
    made.close()


def test_an_audit_of_all_logs_finds_nothing_where_there_is_nothing(
    world: LoggedWorld, tmp_path: Path
) -> None:
    """Wall clocks are up to ten minutes apart, counts go at different paces, and shards move all the time."""
    directories = world.write_logs(tmp_path, world.served)
    assert len(directories) > 1
    found = judge(directories)
    assert found.figures.requests == len(world.served)
    assert found.findings.kept == []


def test_an_audit_of_all_logs_finds_a_visit_that_another_agent_makes_too_early(
    world: LoggedWorld, tmp_path: Path
) -> None:
    """Of each address that two machines have visited one after the other, the later falls into the rest."""
    early: list[Served] = []
    last: dict[str, Served] = {}
    moved_hosts: set[str] = set()
    for one in sorted(world.served, key=lambda one: one.at):
        before = last.get(one.address)
        last[one.address] = one
        if before is None or before.visit == one.visit or one.host in moved_hosts:
            continue
        if world.machine_of[before.by] is not world.machine_of[one.by]:
            moved_hosts.add(one.host)
            at = before.ended_at + world.rules.general_pause / 2
            early.append(replace(one, at=at, ended_at=at + one.ended_at - one.at))
    assert early, "no address was visited by two machines"
    directories = world.write_logs(tmp_path, world.served)
    for one in early:
        world.write_logs(tmp_path, [one])
    accused = {
        violation.address for violation in judge(directories).findings.kept if violation.rule == "POL-4"
    }
    assert accused >= {one.address for one in early}
