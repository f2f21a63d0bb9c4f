"""Mail among shards that one agent holds goes without the engine, and is as sure."""

from collections.abc import Iterator

import msgspec
import pytest

from simulated.agent_world import AgentWorld, SimulatedAgent
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.neighbour_mail import NeighbourMail
from tiptoe.frontier.mail import ShardMail

EMPTY = msgspec.msgpack.encode([])


@pytest.fixture
def world() -> Iterator[AgentWorld]:
    made = AgentWorld(11)
    yield made
    made.close()


def alone(world: AgentWorld) -> SimulatedAgent:
    agent = world.start(0)
    assert agent is not None
    world.run(until=60.0)
    return agent


def test_an_agent_that_holds_all_shards_sends_nothing_through_the_engine(world: AgentWorld) -> None:
    """Three servers would store what never leaves the process."""
    agent = alone(world)
    held = list(agent.frontier.held)
    assert sum(one.frontier.received(other.shard) for one in held for other in held) > 0
    assert [subject for subject in world.broker.log_subjects() if subject.startswith("mail.")] == []


class Post:
    """The shards of an agent, some of which cannot be given anything."""

    def __init__(self, agent: SimulatedAgent) -> None:
        self.agent = agent
        self.away: set[int] = set()
        self.given: list[list[ShardMail]] = []
        self.mail = NeighbourMail(self.neighbour, self.receive)

    def neighbour(self, shard: int) -> HeldShard | None:
        found = {held.shard: held for held in self.agent.frontier.held if held.shard not in self.away}
        return found.get(shard)

    def receive(self, held: HeldShard, mails: list[ShardMail]) -> None:
        self.given.append(mails)
        held.frontier.receive(mails, 1e9)


def next_mail(agent: SimulatedAgent, sender: int, receiver: int, *, skipped: int = 0) -> ShardMail:
    held = next(held for held in agent.frontier.held if held.shard == receiver)
    return ShardMail(sender, receiver, held.frontier.received(sender) + 1 + skipped, EMPTY)


def test_mail_of_several_senders_is_taken_in_one_step(world: AgentWorld) -> None:
    agent = alone(world)
    post = Post(agent)
    sent = [agent.loop.create_task(post.mail.deliver([next_mail(agent, sender, 0)])) for sender in (1, 2, 3)]
    world.run(until=62.0)
    assert [task.result() for task in sent] == [True] * 3
    assert [len(mails) for mails in post.given] == [3]


def test_what_is_out_of_turn_has_to_go_by_the_engine(world: AgentWorld) -> None:
    """Earlier mail is still on its way there."""
    agent = alone(world)
    post = Post(agent)
    sent = agent.loop.create_task(post.mail.deliver([next_mail(agent, 1, 0, skipped=1)]))
    world.run(until=62.0)
    assert sent.result() is False


def test_a_shard_that_goes_away_meanwhile_gets_its_mail_by_the_engine(world: AgentWorld) -> None:
    agent = alone(world)
    post = Post(agent)
    sent = agent.loop.create_task(post.mail.deliver([next_mail(agent, 1, 0)]))
    world.run(until=60.05)
    post.away = {0}
    world.run(until=62.0)
    assert sent.result() is False
    assert post.given == []
    at_once = agent.loop.create_task(post.mail.deliver([next_mail(agent, 1, 0)]))
    world.run(until=62.01)
    assert at_once.result() is False
