"""Is what has a label crawled by the agents that take it, as its servers see it?"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from simulated.agent_harvester import Served
from simulated.agent_web import SmallWeb
from simulated.agent_world import LEASE_SECONDS, AgentWorld, SimulatedAgent
from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.shard_labels import LabelRule

HOUR = 3600.0
SEED, HOSTS, SHARDS = 21, 40, 8
LABEL = "sk"
TAKEN_SECONDS = LEASE_SECONDS + 10.0


def labelled_addresses() -> list[str]:
    """Return half of the addresses of the web."""
    web = SmallWeb(SEED, HOSTS)
    return sorted({web.address_of(f"h{host}.example") for host in range(HOSTS)})[::2]


def by_network() -> LabelRule:
    return LabelRule(LABEL, networks=tuple(f"{address}/32" for address in labelled_addresses()))


def by_name() -> LabelRule:
    """Return a rule for the names at these addresses: none of them is shared with another name."""
    web, addresses = SmallWeb(SEED, HOSTS), labelled_addresses()
    names = (f"h{host}.example" for host in range(HOSTS))
    return LabelRule(LABEL, suffixes=tuple(name for name in names if web.address_of(name) in addresses))


@contextmanager
def judged(rule: LabelRule) -> Iterator[AgentWorld]:
    """Let agents crawl of which the second takes what has the label; judge what servers saw."""
    world = AgentWorld(
        SEED, machines=3, shards=SHARDS, hosts=HOSTS, labels=[rule], takes={1: (LABEL,), 2: (UNLABELLED,)}
    )
    try:
        yield world
        assert world.run(until=2 * HOUR), f"it never ends: {world.living()}"
        assert world.judge() == []
    finally:
        world.close()


def started(world: AgentWorld, number: int) -> SimulatedAgent:
    agent = world.start(number)
    assert agent is not None
    return agent


def labels_held(world: AgentWorld, agent: SimulatedAgent) -> set[str]:
    return {world.plan.labels[held.shard] for held in agent.frontier.held}


def asked(world: AgentWorld, since: float, until: float, *, is_labelled: bool) -> list[Served]:
    addresses = labelled_addresses()
    return [
        served
        for served in world.served
        if since <= served.at < until and (served.address in addresses) == is_labelled
    ]


def askers(requests: list[Served]) -> set[str]:
    """Return which agents have made some requests."""
    return {served.by.removesuffix(".h") for served in requests}


@pytest.mark.parametrize("rule", [by_network(), by_name()], ids=["network", "name"])
def test_what_has_a_label_is_crawled_by_who_takes_it_taken_over_and_given_back(rule: LabelRule) -> None:
    """The whole story: two agents, the labelled one dies, others do its work, it comes back."""
    with judged(rule) as world:
        plain, labelled = started(world, 0), started(world, 1)
        world.run(until=TAKEN_SECONDS)
        assert labels_held(world, labelled) == {LABEL}
        assert labels_held(world, plain) == {UNLABELLED}

        world.run(until=120.0)
        theirs = asked(world, TAKEN_SECONDS, 120.0, is_labelled=True)
        assert askers(theirs) == {labelled.name}
        assert askers(asked(world, TAKEN_SECONDS, 120.0, is_labelled=False)) == {plain.name}

        labelled.kill()
        world.run(until=120.0 + TAKEN_SECONDS)
        assert labels_held(world, plain) == {LABEL, UNLABELLED}, "with nobody to take it, others do"
        world.run(until=240.0)
        taken = asked(world, 120.0 + TAKEN_SECONDS, 240.0, is_labelled=True)
        assert askers(taken) == {plain.name}

        again = started(world, 1)
        world.run(until=240.0 + TAKEN_SECONDS)
        assert labels_held(world, again) == {LABEL}, "given back"
        assert labels_held(world, plain) == {UNLABELLED}
        world.run(until=360.0)
        given_back = asked(world, 240.0 + TAKEN_SECONDS, 360.0, is_labelled=True)
        assert askers(given_back) == {again.name}


def test_agents_without_labels_share_what_has_none_and_nothing_else() -> None:
    with judged(by_name()) as world:
        agents = [started(world, number) for number in range(3)]
        world.run(until=2 * TAKEN_SECONDS)
        assert [labels_held(world, agent) for agent in agents] == [{UNLABELLED}, {LABEL}, {UNLABELLED}]


def test_an_agent_with_a_label_alone_crawls_everything() -> None:
    """A label says what it prefers; nothing is left undone for want of others."""
    with judged(by_name()) as world:
        alone = started(world, 1)
        world.run(until=TAKEN_SECONDS)
        assert labels_held(world, alone) == {LABEL, UNLABELLED}
