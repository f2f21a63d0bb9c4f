"""Agents that are played from a beginning to the end of their crawl."""

from collections.abc import Iterator
from contextlib import contextmanager

from simulated.agent_world import AgentWorld, SimulatedAgent

__all__ = ["HOUR", "busy_host", "played"]

HOUR = 3600.0


@contextmanager
def played(world: AgentWorld, *agents: int) -> Iterator[list[SimulatedAgent]]:
    """Let something happen to agents; then let them crawl to the end, and judge what their servers saw."""
    try:
        yield [agent for number in agents if (agent := world.start(number)) is not None]
        assert world.run(until=2 * HOUR), f"it never ends: {world.living()}"
        assert world.judge() == []
    finally:
        world.close()


def busy_host(world: AgentWorld) -> str:
    """Crawl until there is a host that is being asked, and has more; return it."""
    while world.timeline.now < HOUR:
        for life in world.living():
            for host in life.frontier.visited_hosts():
                if (record := life.frontier.host(host)) is not None and record.queued:
                    return host
        world.run(until=world.timeline.now + 5.0)
    raise AssertionError("nobody has more than is asked for")
