"""How soon do the hosts of a killed agent get requests again?

Three NATS servers, some agents and a web whose hosts never run out of pages, all on this machine. When every
agent has its part, one is killed with its harvesters, as if its machine had failed. The servers of the web
record when each address that this agent had visited just before got its next request: at most a lease and ten
seconds later.

example:
    python bench/cluster_death.py --agents 3 --lease 30
"""

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil
from cluster_leave import status_at, wait_for
from rig import PLAIN, Pace, end_on_sigterm, started, tiptoe_command, write_seeds

from tiptoe.cluster.local_servers import local_servers, servers_address
from tiptoe.testing.recorder import Arrival, read_arrivals
from tiptoe.testing.served import spawn_web
from tiptoe.testing.shape import WebShape

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # has the reader of request logs

from simulated.proofs import read_requests

SERVERS = 3
HOSTS_PER_ADDRESS = 2
PAGES_PER_HOST = 5000
PACE = Pace(req_delay=1.0, general_pause=1.0, max_reqs=5)
BAR_SECONDS = 10.0
"""Maximum time after the lease."""

BEFORE_SECONDS = 10.0
"""Addresses that the agent visited within this time before its end were due again soon."""

ON_THE_WAY_SECONDS = 1.0
"""A request that arrives within this time after the end of an agent may still be its own."""

SETTLING_SECONDS = 600.0
SECONDS_MAX = 3600.0


@dataclass(frozen=True, slots=True)
class Takeover:
    """What happened to the addresses of a dead agent."""

    asked_again: list[float]  # seconds from its end to the first request to each, sorted
    never: int  # without a request as long as we watched


def takeover(arrivals: Iterable[Arrival], addresses: set[str], killed_at: float) -> Takeover:
    """Return when these addresses got requests again."""
    first: dict[str, float] = {}
    for arrival in arrivals:
        if arrival.address in addresses and arrival.arrived_at > killed_at + ON_THE_WAY_SECONDS:
            first[arrival.address] = min(first.get(arrival.address, float("inf")), arrival.arrived_at)
    return Takeover(sorted(at - killed_at for at in first.values()), len(addresses - first.keys()))


def kill_family(agent: psutil.Popen) -> float:
    """Kill an agent and its harvesters at once; return the moment."""
    family = [agent, *agent.children(recursive=True)]
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    killed_at = time.time()
    psutil.wait_procs(family, timeout=10.0)
    return killed_at


def measure(options: argparse.Namespace, scratch: Path) -> Takeover:
    record = scratch / "arrivals.jsonl"
    with contextlib.ExitStack() as stack:
        servers = stack.enter_context(local_servers(scratch / "nats", SERVERS))
        hosts = HOSTS_PER_ADDRESS * options.addresses
        shape = WebShape(
            hosts=hosts, hosts_per_address=HOSTS_PER_ADDRESS, pages_spread=0.0,
            pages_per_host=PAGES_PER_HOST, pages_max=PAGES_PER_HOST, page_bytes=2_000,
        )  # fmt: skip
        web = stack.enter_context(spawn_web(shape, record=record, seconds=SECONDS_MAX))
        seeds = write_seeds(web, scratch / "seeds.txt", hosts)
        outs = [scratch / f"m{number}" for number in range(options.agents)]
        agents = []
        for out in outs:
            more = [
                *PLAIN, f"cluster.servers={servers_address(servers)}", f"cluster.agent={out.name}",
                f"cluster.lease={options.lease:g}s",
            ]  # fmt: skip
            command = tiptoe_command(web, seeds, out, seconds=SECONDS_MAX, pace=PACE, more=more)
            agents.append(stack.enter_context(started(command, errors=scratch / f"{out.name}.txt")))
        wait_for("every agent asks", lambda: all_ask(outs), seconds=SETTLING_SECONDS)
        time.sleep(BEFORE_SECONDS)
        killed_at = kill_family(agents[0])
        addresses = {
            entry.address
            for path in (outs[0] / "log").glob("requests-*.jsonl")
            for entry in read_requests(path)
            if entry.started_at > killed_at - BEFORE_SECONDS
        }
        time.sleep(options.lease + 3 * BAR_SECONDS)
        for agent in agents[1:]:
            assert agent.poll() is None, "an agent that was to go on has ended"
    return takeover(read_arrivals(record), addresses, killed_at)


def all_ask(outs: list[Path]) -> bool:
    """Return whether every agent has hosts and gets pages."""
    found = [status_at(out) for out in outs]
    return all(one is not None and one.hosts and one.pages > one.hosts for one in found)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agents", type=int, default=3)
    parser.add_argument("--addresses", type=int, default=60)
    parser.add_argument("--lease", type=float, default=30.0, help="in seconds (30)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tiptoe-death-") as scratch:
        seen = measure(options, Path(scratch))
    bar = options.lease + BAR_SECONDS
    times = seen.asked_again
    late = sum(one > bar for one in times) + seen.never
    if times:
        print(
            f"{len(times)} addresses of the dead agent asked again after {times[0]:.1f} s (first), "
            f"{times[len(times) // 2]:.1f} s (median), {times[-1]:.1f} s (last)"
        )
    print(f"never: {seen.never}; later than lease + {BAR_SECONDS:g} s = {bar:g} s: {late}")
    return 0 if times and not late else 1


if __name__ == "__main__":
    end_on_sigterm()
    sys.exit(main())
