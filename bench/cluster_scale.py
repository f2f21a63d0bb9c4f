"""Do a hundred agents crawl a hundred times as fast as one?

In virtual time: every agent has its membership, logs, mail and frontiers as in a real crawl, over an engine
in memory; only harvesters and web are simulated. One agent crawls its part of the hosts, in several worlds,
then many crawl all of them, each with room for the same number of visits. Page requests are counted over the
same number of seconds, from some time after all seeds are stored. All hosts are known from the beginning;
agents look up and visit as many as they have room for.

example:
    python bench/cluster_scale.py --agents 100 --hosts-per-agent 10000 --shards-per-agent 1

This one, with a million hosts, takes six minutes of CPU and 3.1 GB.
"""

import argparse
import gc
import resource
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from tiptoe.cluster.assignment import Contender, assign
from tiptoe.url.address import host_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # simulates agents in virtual time

from simulated.agent_web import SmallWeb
from simulated.agent_world import BRIEF, AgentWorld, Capacity, SimulatedAgent

SETTLE_SECONDS = 30.0
"""Time between storing all seeds and the measurement."""

LOG_BYTES = 4 << 20
"""Maximum size of a shard's log; beyond it a snapshot replaces it, as all logs are in memory here."""

SOW_SECONDS_MAX = 600.0
LOOK_SECONDS = 1.0
ONES = 8
"""Number of worlds with one agent: in a single one, a few visits more or less would show."""


class WideWeb(SmallWeb):
    """A web with a seed on every host, and four hosts at an address."""

    def address_of(self, host: str) -> str:
        number = int(host[1:].split(".")[0]) // 4
        return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"

    def seeds(self) -> list[str]:
        return [f"http://h{host}.example/p0" for host in range(self.hosts)]


class WideWorld(AgentWorld):
    """Agents that begin when each has its part of the shards, with the seeds whose home shards it holds.

    In a real crawl each would have all seeds and send most of them on, which would be N * N times as many.
    """

    def __init__(self, agents: int, options: argparse.Namespace, seed: int) -> None:
        self._agents = agents
        super().__init__(
            seed, machines=agents, shards=options.shards_per_agent * agents,
            web=WideWeb(seed, agents * options.hosts_per_agent),
            capacity=Capacity(
                visits=options.visits, lookups=4 * options.visits, log_bytes=LOG_BYTES, message_bytes=500_000
            ),
        )  # fmt: skip
        self.rules, self.delay_max = BRIEF, 0.02
        self._seeds: dict[int, list[str]] = defaultdict(list)
        for url in self.web.seeds():
            self._seeds[self.plan.home(host_of(url))].append(url)

    def may_sow(self) -> bool:
        held = [len(life.frontier.held) for life in self.lives]
        return len(held) == self._agents and all(held) and sum(held) == self.shards

    def seeds_of(self, agent: SimulatedAgent) -> list[str]:
        return [url for held in agent.frontier.held for url in self._seeds.pop(held.shard, [])]

    @property
    def is_seeded(self) -> bool:
        """Whether every agent has stored its seeds, and none are left over."""
        return not self._seeds and all(life.has_sown for life in self.lives)


class SharedAssignment:
    """What `assign` says, computed once for all agents that see the same.

    Each agent of a real crawl has a processor of its own for it; here a hundred of them have one, and ask
    hundreds of times until each has its shards.
    """

    def __init__(self) -> None:
        self._said: dict[tuple[object, ...], dict[int, str]] = {}

    def __call__(
        self, labels: Sequence[str], contenders: Collection[Contender], holders: Mapping[int, str]
    ) -> dict[int, str]:
        seen = (tuple(labels), tuple(contenders), tuple(holders.items()))
        if seen not in self._said:
            self._said[seen] = assign(labels, contenders, holders)
        return self._said[seen]


@dataclass(frozen=True)
class Pace:
    """The combined speed of some agents."""

    agents: int
    pages: int
    seconds: float
    cpu_seconds: float
    memory_bytes: int  # peak of this process

    @property
    def rate(self) -> float:
        """Pages per second."""
        return self.pages / self.seconds


@patch("tiptoe.cluster.membership.assign", SharedAssignment())
def measure(agents: int, options: argparse.Namespace, seed: int) -> Pace:
    """Crawl a world with this number of agents."""
    began = time.process_time()
    world = WideWorld(agents, options, seed)
    for number in range(agents):
        world.start(number)
    try:
        sow(world)
        gc.freeze()  # millions of rows that stay, to be looked through again and again
        world.run(until=world.timeline.now + SETTLE_SECONDS)
        first = world.timeline.now
        world.run(until=first + options.seconds)
        pages = sum(
            first <= one.at < first + options.seconds and not one.url.endswith("robots.txt")
            for one in world.served
        )
    finally:
        world.close()
        gc.unfreeze()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Pace(agents, pages, options.seconds, time.process_time() - began, memory)


def sow(world: AgentWorld) -> None:
    """Wait until all seeds are stored and every agent holds something."""
    while world.timeline.now < SOW_SECONDS_MAX:
        world.run(until=world.timeline.now + LOOK_SECONDS)
        if world.is_seeded:
            return
    raise SystemExit(f"cluster_scale: not sown within {SOW_SECONDS_MAX:g} s")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--hosts-per-agent", type=int, default=10_000)
    parser.add_argument("--shards-per-agent", type=int, default=2)
    parser.add_argument("--visits", type=int, default=20, help="of an agent, at once (20)")
    parser.add_argument("--seconds", type=float, default=30.0, help="of virtual time that are counted (30)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    ones = [measure(1, options, options.seed + number) for number in range(ONES)]
    one = statistics.mean(pace.rate for pace in ones)
    for pace in (ones[0], measure(options.agents, options, options.seed)):
        print(
            f"{pace.agents} agents: {pace.rate:,.1f} pages/s, {pace.rate / (pace.agents * one):.3f} of "
            f"{pace.agents} times one ({pace.cpu_seconds:.0f} s of CPU, {pace.memory_bytes / 1e9:.1f} GB)",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
