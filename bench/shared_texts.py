"""What does it cost for all agents of a crawl to know each other's texts?

Complete agents in one process over one engine, and a web that costs nothing: a crawl whose pages have
paragraphs, a tenth of them known. It runs twice: with a shared index of texts, and with each shard knowing
only its own texts. Prints the CPU per page of all agents together, without the simulated harvesters and web.
Over an engine in memory, in virtual time; with `--nats` over a real server, whose CPU is printed as well.
Most of the cost of a page is the harvester's, so the ratio is not that of a crawl: `cluster_speed.py
--against text.duplicity=false` gives an upper bound for the latter.

    python bench/shared_texts.py --agents 4 --pages 40000 --hosts 8000 --nats
"""

import argparse
import asyncio
import contextlib
import io
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil
from frontier_growth import Web
from frontier_turns import own_address
from sizes import crawl_store

from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.cluster_agent import AgentPlan, ClusterAgent
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.engine_options import EngineOptions, open_engine
from tiptoe.cluster.nats_server import NatsServer, ServerOptions
from tiptoe.cluster.shard_clock import MachineTime
from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.cluster.shard_runner import RunnerPlan
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.cluster.text_sharing import UnknownTexts
from tiptoe.compose_member import GATHER_SECONDS
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.process import spare_the_collector
from tiptoe.protocol.work import Purpose, Question, Report, Request, Result, RobotsNote, RobotsState, Visit
from tiptoe.store.partition import PARTITION_BYTES, DividedStore
from tiptoe.text.fingerprint import HASH_BYTES
from tiptoe.url.address import origin_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

TICK_SECONDS, REPORT_SECONDS = 0.02, 0.25
VISITS_MAX = 20
UNSTORED_ROWS_MAX = 500
"""Maximum number of unstored rows per shard that an agent holds, on average: while more wait for the engine,
no visit begins, so that the agent is measured at its own pace. This is a tenth of what a shard allows: rows
that wait a second for the next message to their log must not slow down one of the two crawls, whose ticks
would then cost more per page."""
COPIES = 0.1
WAY_SECONDS = 0.0005  # to the engine in memory, and back
NATS_PORT = 14222
NATS_USER, NATS_PASSWORD = "bench", "of no importance"


WALL = 1.7e9
"""How far the clocks of all machines are ahead of their counts, in seconds."""


def count() -> float:
    """Return the time of the loop, which is virtual with the engine in memory."""
    return asyncio.get_running_loop().time()


class TextCost(NamedTuple):
    """CPU seconds per page."""

    agents: float
    server: float
    pages: int
    seconds: float

    @property
    def total(self) -> float:
        return self.agents + self.server


class Played:
    """Counts the CPU time of the simulated harvesters and web."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.pages = 0

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        began = time.process_time()
        yield
        self.seconds += time.process_time() - began


class Harvester:
    """The keeper's loop and a harvester of one agent, which gets every page at once."""

    def __init__(
        self, frontier: ShardedFrontier, web: Web, played: Played, *, paragraphs: int, shares: bool
    ) -> None:
        self.frontier = frontier
        self._web = web
        self._played = played
        self._paragraphs = paragraphs
        self._shares = shares
        self._rng = random.Random(id(frontier))
        self._under_way: set[int] = set()
        self._number = 0
        self._questions: list[Question] = []
        self._asked: dict[int, tuple[Report, Result]] = {}
        self._open: dict[int, int] = {}  # visit -> pages without an answer
        self._reports: list[Report] = []

    async def run(self) -> None:
        next_report = 0.0
        while True:
            self._hand_out()
            self._ask()
            if count() >= next_report:
                next_report = count() + REPORT_SECONDS
                self._report()
            await asyncio.sleep(TICK_SECONDS)

    def _hand_out(self) -> None:
        frontier, now = self.frontier, WALL + count()
        frontier.tick(now)
        if frontier.wants_hosts() and (names := frontier.new_hosts(200)):
            frontier.resolved_all([(name, own_address(name), "") for name in names], now)
        unstored = sum(held.log.pending_rows for held in frontier.held)
        if unstored > UNSTORED_ROWS_MAX * len(frontier.held):
            return
        while len(self._under_way) < VISITS_MAX and (visits := frontier.visits(10, "h0-1-0001", now)):
            self._under_way.update(visit.id for visit in visits)
            frontier.after_commit(partial(self._begin, visits))

    def revoke(self, shard: int, visits: Iterable[int]) -> None:
        """Forget these visits, whose shard has gone."""
        self._under_way.difference_update(visits)

    def _begin(self, visits: list[Visit]) -> None:
        with self._played.aside():
            for visit in visits:
                report = Report(visit.id, [], is_done=True, wants_more=False)
                for work in visit.hosts:
                    for origin in {origin_of(request.url) for request in work.requests} - set(work.robots):
                        rules = Request(f"{origin}/robots.txt", Purpose.ROBOTS)
                        note = RobotsNote(RobotsState.RULES)
                        report.results.append(Result(rules, status=404, robots=note))
                    for request in work.requests:
                        self._get(report, request)
                if not self._open.get(visit.id):
                    self._reports.append(report)

    def _get(self, report: Report, request: Request) -> None:
        self._number += 1
        hashes = [self._rng.randbytes(HASH_BYTES)]
        for _ in range(self._paragraphs):
            is_copy = self._rng.random() < COPIES
            hashes.append(
                self._rng.randrange(20_000).to_bytes(HASH_BYTES) if is_copy else self._rng.randbytes(8)
            )
        result = self._web.answer(request, 0.0)
        self._asked[self._number] = report, msgspec.structs.replace(result, fingerprint=b"".join(hashes))
        self._open[report.visit] = self._open.get(report.visit, 0) + 1
        self._questions.append(Question(self._number, request.url, b"".join(hashes)))

    def _ask(self) -> None:
        while self._questions:
            some, self._questions = self._questions[:100], self._questions[100:]
            if self._shares:
                self.frontier.claim_paragraphs(some, self._answered)
            else:
                self._ask_own(some)

    def _ask_own(self, questions: list[Question]) -> None:
        """Ask only the shard of each page."""
        held = {one.shard: one for one in self.frontier.held}
        shards: dict[int, list[Question]] = {}
        for question in questions:
            shards.setdefault(self.frontier.pages_of(question.url)[0], []).append(question)
        answers: dict[int, bytes] = {}
        for shard, some in shards.items():
            if shard in held:
                held[shard].frontier.claim_paragraphs(some, answers.update)
            else:
                answers.update((question.number, b"") for question in some)
        self._answered(answers)

    def _answered(self, marks: dict[int, bytes]) -> None:
        with self._played.aside():
            for number in marks:
                report, result = self._asked.pop(number)
                report.results.append(result)
                self._open[report.visit] -= 1
                if not self._open[report.visit]:
                    del self._open[report.visit]
                    self._reports.append(report)

    def _report(self) -> None:
        reports, self._reports = self._reports, []
        if reports:
            self.frontier.report(reports, {}, WALL + count())
            self._under_way.difference_update(report.visit for report in reports)
            self._played.pages += sum(len(report.results) for report in reports)


async def going(tasks: list[asyncio.Task[None]]) -> None:
    """Let the agents continue for a moment; raise the error that ended one of them, if any."""
    await asyncio.sleep(0.1)
    for task in tasks:
        if task.done():
            task.result()


async def settled(frontiers: list[ShardedFrontier], shards: int, tasks: list[asyncio.Task[None]]) -> None:
    """Wait until every agent has its share of the shards."""
    while sum(len(one.held) for one in frontiers) < shards or min(
        len(one.held) for one in frontiers
    ) < shards // (2 * len(frontiers)):
        await going(tasks)


async def play(
    engines: list[Engine], stores: list[DividedStore], options: argparse.Namespace,
    server: psutil.Process | None, *, shares: bool,
) -> TextCost:  # fmt: skip
    """Crawl with one agent per engine; return the cost of the second half of the pages."""
    web, played = Web(options.hosts, seed=1), Played()
    harvesters: list[Harvester] = []
    tasks: list[asyncio.Task[None]] = []
    for number, (engine, store) in enumerate(zip(engines, stores, strict=True)):
        frontier = ShardedFrontier(
            FrontierPolicy(
                politeness=Politeness(req_delay=0.01, general_pause=0.01, max_reqs=10), reads_tdmrep=False
            ),
            shards=options.shards, plan=ShardLabels(options.shards), offset=WALL,
            shard_of_file=lambda name: None,
        )  # fmt: skip
        harvester = Harvester(frontier, web, played, paragraphs=options.paragraphs, shares=shares)
        name = f"a{number}"
        agent = ClusterAgent(
            engine, store, frontier,
            AgentPlan(
                agent=name, incarnation=f"{name}-1", labels=[UNLABELLED] * options.shards,
                runner=RunnerPlan(agent=name, grace_seconds=1.0, gather_seconds=GATHER_SECONDS),
            ),
            EventLog(name, io.StringIO()),
            machine_time=lambda: MachineTime("boot", count(), WALL + count()),
            end_visits=lambda hosts: None, revoke=harvester.revoke, ended=lambda: None,
        )  # fmt: skip
        if not shares:
            frontier.texts = UnknownTexts()
        harvesters.append(harvester)
        tasks.append(asyncio.create_task(agent.run()))
    await settled([harvester.frontier for harvester in harvesters], options.shards, tasks)
    for number, harvester in enumerate(harvesters):
        names = range(number, options.hosts, len(harvesters))
        seeds = [Request(f"http://h{host}.example/section-0/page-0.html") for host in names]
        harvester.frontier.add(seeds, WALL + count())
        tasks.append(asyncio.create_task(harvester.run()))
    spare_the_collector()
    while played.pages < options.pages // 2:
        await going(tasks)
    began = time.process_time(), played.seconds, played.pages, cpu_of(server), count()
    while played.pages < options.pages:
        await going(tasks)
    pages = played.pages - began[2]
    agents = time.process_time() - began[0] - (played.seconds - began[1])
    cost = TextCost(agents / pages, (cpu_of(server) - began[3]) / pages, pages, count() - began[4])
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return cost


def cpu_of(process: psutil.Process | None) -> float:
    """Return the CPU time of another process."""
    return sum(process.cpu_times()[:2]) if process is not None else 0.0


@contextlib.asynccontextmanager
async def engines_of(
    options: argparse.Namespace,
) -> AsyncIterator[tuple[list[Engine], psutil.Process | None]]:
    """Yield one engine for each agent, all of the same crawl."""
    if not options.nats:
        from simulated.memory_engine import Broker, Fate

        broker = Broker(asyncio.get_running_loop())
        way = Fate(before=WAY_SECONDS, after=WAY_SECONDS)
        names = [f"a{number}" for number in range(options.agents)]
        yield [broker.connect(name, trouble=lambda operation, about: way) for name in names], None
        return
    with tempfile.TemporaryDirectory() as scratch:
        server = NatsServer(
            ServerOptions(
                name="bench", directory=Path(scratch), port=NATS_PORT, user=NATS_USER, password=NATS_PASSWORD
            )
        )
        server.start()
        try:
            address = (f"nats://127.0.0.1:{NATS_PORT}",)
            made = EngineOptions(
                crawl="bench", servers=address, replicas=1, user=NATS_USER, password=NATS_PASSWORD
            )
            engines = [await open_engine(made) for _ in range(options.agents)]
            yield engines, psutil.Process(server.pid)
            for engine in engines:
                await engine.close()
        finally:
            server.kill()


def measure(options: argparse.Namespace, *, shares: bool) -> TextCost:
    """Simulate one crawl."""

    async def crawl() -> TextCost:
        async with engines_of(options) as (engines, server):
            with contextlib.ExitStack() as stack:
                stores = [stack.enter_context(crawl_store(PARTITION_BYTES)) for _ in engines]
                return await play(engines, list(stores), options, server, shares=shares)

    if options.nats:
        return asyncio.run(crawl())
    from simulated.virtual import run_virtual

    return run_virtual(crawl())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--hosts", type=int, default=3000)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--paragraphs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nats", action="store_true", help="over a real server instead of one in memory")
    options = parser.parse_args()
    print(f"{'':>10} {'us/page':>9} {'server us':>10} {'pages/s':>9}", flush=True)
    ratios = []
    for _ in range(options.rounds):
        costs = {shares: measure(options, shares=shares) for shares in (False, True)}
        for shares, cost in costs.items():
            print(
                f"{'shared' if shares else 'apart':>10} {cost.agents * 1e6:>9.1f} {cost.server * 1e6:>10.1f} "
                f"{cost.pages / cost.seconds:>9.0f}",
                flush=True,
            )
        ratios.append(costs[True].total / costs[False].total)
    print(f"sharing costs {100 * (sorted(ratios)[len(ratios) // 2] - 1):+.1f} % (bar 15)")


if __name__ == "__main__":
    main()
