"""What does a page cost in a crawl on many machines?

The same crawl without a cluster, then with 1, 2, 4, … agents that share it, all on this machine, with three
NATS servers. CPU of everything that is not the simulated web is counted: keepers, harvesters, NATS. Each row
is followed by its ratio to the crawl without a cluster, and to one agent, of the same round; machines are
shared, so several rounds say more than one. With `--against`, each crawl is repeated with another setting
immediately afterwards, and the ratio of the two shows what the setting costs the whole crawl.

examples:
    python bench/cluster_speed.py --agents 1 2 4 8 --seconds 30 --rounds 2
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
from rig import PLAIN, Pace, spent_by, started, tiptoe_command, write_seeds

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

START_SECONDS = 900.0
"""Maximum time for starting: with fewer cores than agents it takes minutes until each has its part."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What was spent between two samples."""

    pages: int
    seconds: float
    agents_ms: float  # CPU time per page
    servers_ms: float

    @property
    def ms(self) -> float:
        return self.agents_ms + self.servers_ms


def measure(agents: int, options: argparse.Namespace, settings: Sequence[str] = ()) -> Cost:
    """Crawl a fresh web with this number of agents and these settings; 0: without a cluster."""
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = stack.enter_context(local_servers(scratch / "nats", SERVERS)) if agents else []
        web = stack.enter_context(spawn_web(replace(WebShape.bench(), hosts=options.hosts)))
        seeds = write_seeds(web, scratch / "seeds.txt", options.hosts)
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
        wait_until_settled(outs)
        first = look(outs, families, nats)
        time.sleep(options.seconds)
        last = look(outs, families, nats)
    pages = last[0] - first[0]
    if pages <= 0:
        raise CrawlerError("no page was fetched while it was measured")
    spent = [1000 * (after - before) / pages for before, after in zip(first[1:3], last[1:3], strict=True)]
    return Cost(pages, last[3] - first[3], *spent)


def look(
    outs: list[Path], families: list[psutil.Popen], nats: list[psutil.Process]
) -> tuple[int, float, float, float]:
    """Return pages, CPU seconds of agents and of servers, and the moment."""
    pages = sum(ask(out, ShowStatus(), StatusReply).status.pages for out in outs)
    ours = sum(spent_by(family).cpu_seconds for family in families)
    return pages, ours, sum(spent_by(server).cpu_seconds for server in nats), time.monotonic()


def wait_until_settled(outs: list[Path]) -> None:
    """Wait until nearly all requests are for pages, and every agent has its part."""
    deadline = time.monotonic() + START_SECONDS
    last: tuple[int, int] | None = None
    while time.monotonic() < deadline:
        time.sleep(2.0)
        try:
            found = [ask(out, ShowStatus(), StatusReply).status for out in outs]
        except CrawlerError:
            continue
        pages, requests = sum(one.pages for one in found), sum(one.requests for one in found)
        if last is not None and all(one.hosts for one in found):
            more_pages, more_requests = pages - last[0], requests - last[1]
            if 0 < more_requests <= SETTLED_REQUESTS * more_pages:
                return
        last = pages, requests
    raise CrawlerError(f"the crawl has not settled within {START_SECONDS:g} s")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agents", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--seconds", type=float, default=30.0, help="that are measured (30)")
    parser.add_argument("--hosts", type=int, default=3000)
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
                f"round {place + 1}, {f'{agents} agents' if agents else 'no cluster'}: {cost.ms:.3f} ms CPU "
                f"a page (agents {cost.agents_ms:.3f}, NATS {cost.servers_ms:.3f}), "
                f"{cost.pages / cost.seconds:.0f} pages/s; "
                f"{cost.ms / alone:.2f} of no cluster, {cost.ms / one:.2f} of one agent",
                flush=True,
            )
            if options.against:
                other = measure(agents, options, [options.against])
                against[agents].append(cost.ms / other.ms)
                print(
                    f"    with {options.against}: {other.ms:.3f} ms; {cost.ms / other.ms:.2f} of that",
                    flush=True,
                )
    for agents, pairs in ratios.items():
        alone, one = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"{agents} agents: median {alone:.2f} of no cluster, {one:.2f} of one agent")
        if against[agents]:
            print(f"    {statistics.median(against[agents]):.2f} of the same with {options.against}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
