"""For how long do the hosts of an agent that leaves cleanly get no requests?

One agent gets all URLs as seeds, so that the frontier itself queues them; a second one joins and at first
holds almost nothing. Then the first is told to leave, and the servers of the simulated web record how long
each address got no request: the maximum, also compared with the time just before. Uses three NATS servers,
all on this machine.

example:
    python bench/cluster_leave.py --urls 1000000
"""

import argparse
import contextlib
import itertools
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
from rig import PLAIN, Pace, end_on_sigterm, started, tiptoe_command

from tiptoe.cluster.local_servers import local_servers, servers_address
from tiptoe.errors import CrawlerError
from tiptoe.keeper.running_crawl import ask
from tiptoe.protocol.operator import ShowStatus, StatusReply
from tiptoe.protocol.status import Status
from tiptoe.testing.recorder import Arrival, read_arrivals
from tiptoe.testing.served import SpawnedWeb, spawn_web
from tiptoe.testing.shape import WebShape
from tiptoe.url.address import host_of

SERVERS = 3
HOSTS_PER_ADDRESS = 10
BAR_SECONDS = 15.0
AROUND_SECONDS = 20.0
"""Time that is observed before the agent leaves, and after it has left."""
KNOWN_SHARE = 0.98
FILLING_SECONDS = 1800.0
JOINING_SECONDS = 120.0
LEAVING_SECONDS = 300.0
SECONDS_MAX = 7200.0
WEIGHTS = {"leaves": 100, "stays": 1}


@dataclass(frozen=True, slots=True)
class Leave:
    """What was observed of one leave."""

    queued: int
    filled_seconds: float
    left_seconds: float
    gaps_before: list[float]  # the longest gap of each address, sorted
    gaps: list[float]


def urls_of(web: SpawnedWeb, count: int) -> Iterator[str]:
    """Yield the URLs of `count` pages, of all hosts in turn."""
    simulated = web.web
    found = (simulated.hosts.named(host_of(home)) for home in simulated.homes())
    hosts = [host for host in found if host is not None]
    for number in range(count // len(hosts)):
        for host in hosts:
            yield simulated.graph.url_of(host, number)


def longest_gaps(arrivals: Iterable[Arrival], since: float, until: float) -> list[float]:
    """Return the longest gap between requests of each address that got requests before and after."""
    moments: dict[str, list[float]] = defaultdict(list)
    for arrival in arrivals:
        moments[arrival.address].append(arrival.arrived_at)
    found = []
    for times in moments.values():
        times.sort()
        pairs = [
            (before, after) for before, after in itertools.pairwise(times) if after > since and before < until
        ]
        if pairs:
            found.append(max(after - before for before, after in pairs))
    return sorted(found)


def status_at(out: Path) -> Status | None:
    """Return the status of an agent; None while it does not answer."""
    try:
        return ask(out, ShowStatus(), StatusReply).status
    except CrawlerError:
        return None


def knows_all(out: Path, urls: int) -> bool:
    """Return whether an agent knows nearly all URLs: some may have been requested already."""
    status = status_at(out)
    return status is not None and status.urls >= KNOWN_SHARE * urls


def wait_for(what: str, holds: Callable[[], bool], *, seconds: float) -> None:
    """Wait for a condition, which is checked once per second."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise CrawlerError(f"{what}: not within {seconds:g} s")
        time.sleep(1.0)


def measure(options: argparse.Namespace) -> Leave:
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tiptoe-leave-")))
        servers = stack.enter_context(local_servers(scratch / "nats", SERVERS))
        shape = WebShape(
            hosts=options.hosts, hosts_per_address=HOSTS_PER_ADDRESS, pages_spread=0.0,
            pages_per_host=options.urls // options.hosts, pages_max=options.urls, page_bytes=2_000,
        )  # fmt: skip
        record = scratch / "arrivals.jsonl"
        web = stack.enter_context(spawn_web(shape, record=record, seconds=SECONDS_MAX))
        seeds = scratch / "seeds.txt"
        seeds.write_text("".join(f"{url}\n" for url in urls_of(web, options.urls)))

        def run(name: str) -> psutil.Popen:
            more = [
                *PLAIN, f"cluster.servers={servers_address(servers)}", f"cluster.agent={name}",
                f"cluster.weight={WEIGHTS[name]}",
            ]  # fmt: skip
            command = tiptoe_command(web, seeds, scratch / name, seconds=SECONDS_MAX, pace=Pace(), more=more)
            return stack.enter_context(started(command, errors=scratch / f"{name}.txt"))

        began = time.monotonic()
        leaving = run("leaves")
        wait_for("met", lambda: knows_all(scratch / "leaves", options.urls), seconds=FILLING_SECONDS)
        filled_seconds = time.monotonic() - began
        run("stays")
        wait_for("joined", lambda: status_at(scratch / "stays") is not None, seconds=JOINING_SECONDS)
        time.sleep(AROUND_SECONDS)
        status, asked_at, before = status_at(scratch / "leaves"), time.time(), time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "tiptoe", "cluster", "drain", "leaves", str(scratch / "stays")], check=True
        )
        leaving.wait(LEAVING_SECONDS)
        left_seconds, left_at = time.monotonic() - before, time.time()
        time.sleep(AROUND_SECONDS)
        arrivals = read_arrivals(record)
    return Leave(
        status.queued if status is not None else 0, filled_seconds, left_seconds,
        longest_gaps(arrivals, asked_at - AROUND_SECONDS, asked_at),
        longest_gaps(arrivals, asked_at, left_at + AROUND_SECONDS / 2),
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=1000)
    options = parser.parse_args()
    seen = measure(options)
    print(f"{seen.queued:,} URLs queued, filled in {seen.filled_seconds:.0f} s")
    for name, gaps in (("before", seen.gaps_before), ("while it left", seen.gaps)):
        if gaps:
            median, longest = gaps[len(gaps) // 2], gaps[-1]
            said = f"{len(gaps)} addresses, not asked for {median:.1f} s (median), {longest:.1f} s (longest)"
            print(f"{name}: {said}")
    print(f"left within {seen.left_seconds:.1f} s; allowed without progress: {BAR_SECONDS:g} s")
    return 0 if seen.gaps and seen.gaps[-1] <= BAR_SECONDS else 1


if __name__ == "__main__":
    end_on_sigterm()
    sys.exit(main())
