"""What does a page cost in a crawl on many machines?

The same crawl without a cluster, then with 1, 2, 4, … agents that share it, all on this machine, with three
NATS servers. CPU of everything that is not the simulated web is counted: keepers, harvesters, NATS. Each row
is followed by its ratio to the crawl without a cluster, and to one agent, of the same round; machines are
shared, so several rounds say more than one. With `--against`, each crawl is repeated with another setting
immediately afterwards, and the ratio of the two shows what the setting costs the whole crawl.

With `--hosts`, all agents share one web, so each of eight gets an eighth of the pages. With
`--hosts-per-agent` the web grows with their number, and each has the same amount of work. This is for
machines with fewer cores than agents: processes that wait for a core most of the time neither settle nor show
what a page costs, so there should be so few hosts that cores are idle at times; each host gets about one
request per second. The time that agents were ready to run but got no core is printed as well.

examples:
    python bench/cluster_speed.py --agents 1 2 4 8 --seconds 30 --rounds 2
    python bench/cluster_speed.py --agents 1 8 --hosts-per-agent 40 --seconds 60 --rounds 3
    python bench/cluster_speed.py --agents 2 --rounds 3 --against text.duplicity=false
"""

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
from rig import PLAIN, Pace, cpu_seconds, end_on_sigterm, spent_by, started, tiptoe_command, write_seeds

from tiptoe.cluster.local_servers import local_servers, servers_address
from tiptoe.errors import CrawlerError
from tiptoe.keeper.running_crawl import ask
from tiptoe.protocol.operator import ShowStatus, StatusReply
from tiptoe.testing.served import spawn_web
from tiptoe.testing.shape import WebShape

SERVERS = 3
SECONDS_MAX = 3600.0
SETTLED_REQUESTS = 1.05
"""Maximum requests per page for a crawl to count as settled; at first, most requests are for robots.txt."""

LOOK_SECONDS = 2.0
QUIET_LOOKS = 5
"""Number of samples in a row in which no agent took a shard: a moving shard is read by two agents."""

START_SECONDS = 900.0
"""Maximum time for starting: with fewer cores than agents it takes minutes until each has its part."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What was spent between two samples."""

    pages: int
    seconds: float
    keepers_ms: float  # CPU time per page
    harvesters_ms: float
    servers_ms: float
    starved_ms: float  # per page, while an agent was ready to run and no core was free

    @property
    def ms(self) -> float:
        return self.keepers_ms + self.harvesters_ms + self.servers_ms

    def __str__(self) -> str:
        return (
            f"{self.ms:.3f} ms CPU a page (keepers {self.keepers_ms:.3f}, "
            f"harvesters {self.harvesters_ms:.3f}, "
            f"NATS {self.servers_ms:.3f}; waited for a core {self.starved_ms:.2f}), "
            f"{self.pages / self.seconds:.0f} pages/s"
        )


@dataclass(frozen=True, slots=True)
class Look:
    """What had been done and spent at one moment."""

    moment: float
    pages: int
    keepers_seconds: float
    harvesters_seconds: float
    servers_seconds: float
    starved_seconds: float


def measure(agents: int, options: argparse.Namespace, settings: Sequence[str] = ()) -> Cost:
    """Crawl a fresh web with this number of agents and these settings; 0: without a cluster."""
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = stack.enter_context(local_servers(scratch / "nats", SERVERS)) if agents else []
        hosts = options.hosts_per_agent * max(agents, 1) or options.hosts
        web = stack.enter_context(spawn_web(replace(WebShape.bench(), hosts=hosts)))
        seeds = write_seeds(web, scratch / "seeds.txt", hosts)
        outs = [scratch / f"m{number}" for number in range(max(agents, 1))]
        families = []
        for out in outs:
            more = [*(PLAIN if options.plain else ()), *settings]
            if agents:
                more += [
                    f"cluster.servers={servers_address(servers)}", f"cluster.agent={out.name}",
                    f"cluster.shards={options.shards}",
                ]  # fmt: skip
            command = tiptoe_command(web, seeds, out, seconds=SECONDS_MAX, pace=Pace(), more=more)
            families.append(stack.enter_context(started(command, errors=scratch / f"{out.name}.txt")))
        nats = [psutil.Process(server.pid) for server in servers]
        wait_until_settled(outs, families)
        first = look(outs, families, nats)
        time.sleep(options.seconds)
        last = look(outs, families, nats)
    pages = last.pages - first.pages
    if pages <= 0:
        raise CrawlerError("no page was fetched while it was measured")
    return Cost(
        pages,
        last.moment - first.moment,
        1000 * (last.keepers_seconds - first.keepers_seconds) / pages,
        1000 * (last.harvesters_seconds - first.harvesters_seconds) / pages,
        1000 * (last.servers_seconds - first.servers_seconds) / pages,
        1000 * (last.starved_seconds - first.starved_seconds) / pages,
    )


def look(outs: list[Path], families: list[psutil.Popen], nats: list[psutil.Process]) -> Look:
    """Take a sample of the crawl."""
    pages = sum(ask(out, ShowStatus(), StatusReply).status.pages for out in outs)
    agents = [spent_by(family) for family in families]
    keepers = sum(cpu_seconds(family) for family in families)
    return Look(
        time.monotonic(),
        pages,
        keepers,
        sum(spent.cpu_seconds for spent in agents) - keepers,
        sum(spent_by(server).cpu_seconds for server in nats),
        sum(spent.starved_seconds for spent in agents),
    )


def wait_until_settled(outs: list[Path], families: list[psutil.Popen]) -> None:
    """Wait until nearly all requests are for pages, every agent has its part, and no shard moves."""
    deadline = time.monotonic() + START_SECONDS
    last: tuple[int, int] | None = None
    moved, looks = -1, 0
    while time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
        for out, family in zip(outs, families, strict=True):
            if family.poll() is not None:
                raise CrawlerError(f"agent {out.name} has ended with {family.returncode}")
        try:
            found = [ask(out, ShowStatus(), StatusReply).status for out in outs]
        except CrawlerError:
            continue
        looks = looks + 1 if (taken := shards_taken(outs)) == moved else 0
        moved = taken
        pages, requests = sum(one.pages for one in found), sum(one.requests for one in found)
        if last is not None and all(one.hosts for one in found) and looks >= QUIET_LOOKS:
            more_pages, more_requests = pages - last[0], requests - last[1]
            if 0 < more_requests <= SETTLED_REQUESTS * more_pages:
                return
        last = pages, requests
    raise CrawlerError(f"the crawl has not settled within {START_SECONDS:g} s")


def shards_taken(outs: list[Path]) -> int:
    """Return how often an agent has taken a shard so far."""
    return sum((out / "log" / "keeper.log").read_text().count(" shard.taken ") for out in outs)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agents", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--seconds", type=float, default=30.0, help="that are measured (30)")
    parser.add_argument("--hosts", type=int, default=3000, help="of the web (3000)")
    parser.add_argument("--hosts-per-agent", type=int, default=0, help="of the web for each agent, instead")
    parser.add_argument("--shards", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="no main text, languages, ratings, comparisons")
    parser.add_argument("--against", metavar="SETTING=VALUE", help="compare with this setting")
    options = parser.parse_args()
    ratios: dict[int, list[tuple[float, float]]] = defaultdict(list)
    against: dict[int, list[float]] = defaultdict(list)
    for place in range(options.rounds):
        costs: dict[int, Cost] = {}
        for agents in [0, *options.agents]:
            costs[agents] = cost = measure(agents, options)
            alone, one = costs[0].ms, costs.get(1, cost).ms
            ratios[agents].append((cost.ms / alone, cost.ms / one))
            print(
                f"round {place + 1}, {f'{agents} agents' if agents else 'no cluster'}: {cost}; "
                f"{cost.ms / alone:.2f} of no cluster, {cost.ms / one:.2f} of one agent",
                flush=True,
            )
            if options.against:
                other = measure(agents, options, [options.against])
                against[agents].append(cost.ms / other.ms)
                print(
                    f"    with {options.against}: {other}; {cost.ms / other.ms:.2f} of that",
                    flush=True,
                )
    for agents, pairs in ratios.items():
        alone, one = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"{agents} agents: median {alone:.2f} of no cluster, {one:.2f} of one agent")
        if against[agents]:
            print(f"    {statistics.median(against[agents]):.2f} of the same with {options.against}")
    return 0


if __name__ == "__main__":
    end_on_sigterm()
    sys.exit(main())
