"""Several agents crawl a small web together, as its servers see it."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from simulate_agents import play
from simulated.agent_world import LEASE_SECONDS, AgentWorld, SimulatedAgent

HOUR = 3600.0
HURRY_SECONDS = 5.0
"""For reading the log of a shard that is taken over, and for the next tick after a rest."""
FOUND = (2551,)
"""Seeds that have shown a fault: orders about a host and its address, carried out in one step."""


@contextmanager
def judged(world: AgentWorld) -> Iterator[AgentWorld]:
    """Let something happen; then let the agents crawl to the end, and judge what their servers saw."""
    try:
        yield world
        assert world.run(until=2 * HOUR), f"it never ends: {world.living()}"
        assert world.judge() == []
    finally:
        world.close()


def started(world: AgentWorld, *numbers: int) -> list[SimulatedAgent]:
    agents = [world.start(number) for number in numbers]
    return [agent for agent in agents if agent is not None]


def askers(world: AgentWorld, *, since: float = 0.0) -> set[str]:
    """Return which harvesters have asked for something."""
    return {served.by for served in world.served if served.at >= since}


def test_an_agent_alone_crawls_everything() -> None:
    """And notices that it is done."""
    with judged(AgentWorld(1)) as world:
        started(world, 0)
    assert world.repeated() == 0


def test_agents_share_the_work() -> None:
    """Those that come later get their part; nothing is asked for twice because shards move."""
    with judged(AgentWorld(2)) as world:
        started(world, 0)
        world.run(until=40.0)
        started(world, 1, 2)
    assert len(askers(world)) == 3
    assert world.repeated() == 0


def test_an_agent_that_leaves_hands_everything_over() -> None:
    """In good order: what it has under way is finished or returned, and nothing is asked for twice."""
    with judged(AgentWorld(3)) as world:
        first, _ = started(world, 0, 1)
        world.run(until=60.0)
        first.leave()
        world.run(until=90.0)
        assert first.is_over
    assert world.repeated() == 0


@pytest.mark.parametrize("is_burnt", [False, True], ids=["killed", "burnt"])
def test_the_hosts_of_a_dead_agent_are_asked_again_soon(is_burnt: bool) -> None:
    """Within a lease and ten seconds somebody else has its shards, with or without its disk."""
    with judged(AgentWorld(4, hosts=40)) as world:
        first, second = started(world, 0, 1)
        world.run(until=60.0)
        assert first.frontier.held
        world.begin("burn" if is_burnt else "kill", 0)
        world.run(until=100.0)
        assert len(second.frontier.held) == world.shards
    asked = {one.address for one in world.served if one.by.startswith(first.name) and one.at > 40.0}
    again: dict[str, float] = {}
    for one in world.served:
        if one.address in asked and one.at > 61.0:
            again.setdefault(one.address, one.at)
    # A rest after the takeover is due to those that were being visited, and no more than that.
    assert again
    assert max(again.values()) <= 60.0 + LEASE_SECONDS + world.rules.general_pause + HURRY_SECONDS


def test_a_process_that_stood_still_asks_for_nothing_that_was_taken_over() -> None:
    """It believes to hold its shards when it wakes up."""
    with judged(AgentWorld(5)) as world:
        first, second = started(world, 0, 1)
        world.run(until=60.0)
        first.loop.freeze()
        world.run(until=130.0)
        assert len(second.frontier.held) == world.shards
        first.loop.thaw()


def test_an_agent_that_is_cut_off_stops_by_itself() -> None:
    """Its harvester too, before anybody else may ask."""
    with judged(AgentWorld(6)) as world:
        first, second = started(world, 0, 1)
        world.run(until=60.0)
        first.engine.cut_off()
        world.run(until=90.0)
        silent_since = world.timeline.now
        world.run(until=150.0)
        assert askers(world, since=silent_since) == {second.harvester.name}
        first.engine.join()


@pytest.mark.parametrize("seed", [*range(12), *FOUND])
def test_whatever_happens_every_page_is_asked_for_politely_and_stored_once(seed: int) -> None:
    """Joins, leaves, deaths, burnt disks, standstills, cuts, outages and lost answers at random moments.

    Meanwhile hosts and addresses are blocked and let go, and everything is paused; in some plays the pages or
    bytes are limited.
    """
    assert play(seed) == []
