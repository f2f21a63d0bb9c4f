"""How a run begins and ends, without harvesters."""

import asyncio
import io
import time
from pathlib import Path

import pytest

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.lone_requests import LoneRequest, Moment, note_request, read_requests
from tiptoe.keeper.plan import KeeperPlan, SessionPlan
from tiptoe.keeper.session import Session
from tiptoe.keeper.single_machine import SingleMachine
from tiptoe.keeper.supervisor import Supervisor
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.run_figures import read_runs, write_figures
from tiptoe.observe.stops import Stop
from tiptoe.protocol.status import Status
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore
from tiptoe.write.logclock import machine_boot, machine_count
from tiptoe.write.logentries import Terms
from tiptoe.write.requestlog import RequestLog

TERMS = Terms(
    user_agent="tiptoe/0.1.0 (+https://example.org/bot)", agent="tiptoe",
    req_delay=5.0, max_hosts=2, max_reqs=3, general_pause=300.0, slow_factor=2.0, delay_max=60.0,
    retry_after_max=3600.0, backoff_first=60.0, robots_expiry=86_400.0,
)  # fmt: skip


def run(path: Path, plan: SessionPlan) -> Session:
    """Run a crawl that has nothing to ask for."""
    directory = CrawlDirectory(path)
    directory.claim(["http://a.example/"])
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    log = EventLog.at(path / "log" / "keeper.log", "keeper")
    crawl = SingleMachine(directory, frontier, plan, log)
    session = Session(directory, crawl, KeeperPlan(directory=path, settings={}), plan, log)
    session.keeper.supervisor = Supervisor(["true"], EventLog("keeper", io.StringIO()))
    try:
        asyncio.run(session.run())
    finally:
        directory.release()
    assert session.keeper.figures.stopped_because is Stop.FINISHED
    return session


def orders(path: Path) -> list[str]:
    """Return what the operator said, as the request logs have it."""
    logs = sorted((path / "log").glob("requests-*.jsonl"))
    return [line for log in logs for line in log.read_text().splitlines() if '"kind":"order"' in line]


@pytest.mark.parametrize(
    ("holds", "count"), [(["operator"], 1), (["disk"], 1), (["line"], 0), ([], 0)]
)  # fmt: skip
def test_a_pause_that_ended_with_its_run_is_seen_to_end(tmp_path: Path, holds: list[str], count: int) -> None:
    """Else a report says that nobody is to be asked, and then lists requests. Harvesters know of no line."""
    log = RequestLog(tmp_path, "h1-0001", terms=TERMS)
    log.write_robots("http://a.example", "rules")
    log.close()
    (tmp_path / "crawl.json").write_text('{"seeds": ["http://a.example/"], "is_seeded": false}')
    (tmp_path / "state" / "frontier").mkdir(parents=True)
    (tmp_path / "state" / "frontier" / "CURRENT").touch()
    write_figures(tmp_path, Status(started_at=1.0, now=2.0, holds=holds))
    run(tmp_path, SessionPlan(seeds=[]))
    assert [line.partition('"order":')[2] for line in orders(tmp_path)] == ['"go_on"}'] * count


def test_how_a_run_ended_is_known_to_the_next(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    write_figures(tmp_path, Status(started_at=1.0, now=2.0, holds=["operator"]))
    last = read_runs(tmp_path).last
    assert last is not None
    assert last.holds == ["operator"]


def test_a_run_can_be_stopped_while_its_seeds_are_queued_and_the_next_queues_them_all(tmp_path: Path) -> None:
    """A million of them take half a minute, in which somebody notices that they are the wrong ones."""
    seeds = [f"http://h{number}.example/" for number in range(5_000)]
    directory = CrawlDirectory(tmp_path)
    is_remembered: list[bool] = []
    plan = SessionPlan(seeds=directory.claim(seeds), remember=lambda: is_remembered.append(True))
    log = EventLog("keeper", io.StringIO())
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    crawl = SingleMachine(directory, frontier, plan, log)
    session = Session(directory, crawl, KeeperPlan(directory=tmp_path, settings={}), plan, log)
    session.keeper.supervisor = Supervisor(["true"], EventLog("keeper", io.StringIO()))
    asyncio.run(session.run(lambda keeper: keeper.stop(Stop.INTERRUPTED)))
    directory.release()
    assert 0 < frontier.counters.totals.urls < len(seeds)
    assert session.keeper.figures.stopped_because is Stop.INTERRUPTED
    assert not is_remembered
    assert directory.claim([]) == seeds
    directory.release()


def test_a_downlist_is_noted_in_the_log(tmp_path: Path) -> None:
    """A crawl in the background has no other place to say so before it ends."""
    run(tmp_path / "crawl", SessionPlan(seeds=[], downloaded=["http://b.example/", "http://c.example/"]))
    assert "downlist.taken addresses=2" in (tmp_path / "crawl" / "log" / "keeper.log").read_text()


def test_a_run_lets_an_address_rest_that_somebody_has_asked_before_it(tmp_path: Path) -> None:
    """A page was fetched to try filters; its server must not see the crawl a moment later."""
    path = tmp_path / "crawl"
    (path / "state").mkdir(parents=True)
    asked = Moment(time.time(), machine_count(), machine_boot())
    note_request(path, LoneRequest("a.example", "192.0.2.1", asked, 300.0))
    crawl = run(path, SessionPlan(seeds=[])).keeper
    frontier, now = crawl.frontier, crawl.clock.now()
    frontier.add([Request("http://a.example/")], now)
    frontier.new_hosts(1)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], now)
    for wait, visits in ((290.0, 0), (301.0, 1)):
        frontier.tick(now + wait)
        assert len(frontier.visits(1, "h-1", now + wait)) == visits
    assert read_requests(path) == []
