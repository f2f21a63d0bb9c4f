"""Mail for shards of an agent that is there goes to it in one request, and is as sure as in the mail logs."""

import asyncio
from collections.abc import Iterator

import msgspec
import pytest

from simulated.agent_world import AgentWorld, SimulatedAgent
from simulated.memory_engine import Broker
from simulated.virtual import Timeline
from tiptoe.cluster.direct_mail import CONFIRM_SECONDS, MESSAGE_BYTES, DirectMail, mail_request
from tiptoe.cluster.neighbour_mail import NeighbourMail
from tiptoe.frontier.mail import ShardMail

EMPTY = msgspec.msgpack.encode([])


def mail_of(sender: int, receiver: int, number: int = 1, payload: bytes = EMPTY) -> list[ShardMail]:
    return [ShardMail(sender, receiver, number, payload)]


class Post:
    """An agent that sends, and one that is only what it answers."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self.loop = self.timeline.loop("sender")
        self.other = self.timeline.loop("receiver")
        broker = Broker(self.timeline.loop("engine"))
        self._engine = broker.connect("receiver")
        self.asked: list[list[ShardMail]] = []
        self.holders = {0: "own", 1: "other", 2: "other", 3: ""}
        nobody = NeighbourMail(lambda shard: None, lambda held, mails: None)
        self.mail = DirectMail(
            broker.connect("sender"), nobody, agent="own", holder_of=lambda shard: self.holders[shard]
        )

    def serve(self, *, refused: tuple[int, ...] = ()) -> None:
        """Answer from now on; shards that are `refused` are not there."""

        async def answer(data: bytes) -> bytes:
            mails = msgspec.msgpack.decode(data, type=list[ShardMail])
            self.asked.append(mails)
            pairs = {(mail.sender, mail.receiver): None for mail in mails if mail.receiver not in refused}
            return msgspec.msgpack.encode(list(pairs))

        async def run() -> None:
            async with self._engine.serve(mail_request("other"), answer):
                await asyncio.Event().wait()

        self.other.create_task(run())

    def deliver(self, *many: list[ShardMail], seconds: float = 10.0) -> list[bool]:
        tasks = [self.loop.create_task(self.mail.deliver(mails)) for mails in many]
        self.loop.create_task(asyncio.sleep(seconds))  # so that time passes, even if nothing happens
        self.timeline.run(until=self.timeline.now + seconds)
        return [task.result() for task in tasks]


@pytest.fixture
def post() -> Iterator[Post]:
    made = Post()
    yield made
    made.loop.kill()
    made.other.kill()


def test_mail_for_all_shards_of_an_agent_is_one_request(post: Post) -> None:
    """Three servers would write a message for each of them."""
    post.serve()
    sent = [mail_of(sender, receiver) for sender in (5, 6) for receiver in (1, 2)]
    assert post.deliver(*sent) == [True] * 4
    assert [len(mails) for mails in post.asked] == [4]


def test_what_is_not_confirmed_has_to_go_by_the_engine(post: Post) -> None:
    post.serve(refused=(2,))
    assert post.deliver(mail_of(5, 1), mail_of(5, 2)) == [True, False]


def test_a_shard_that_nobody_holds_or_that_is_about_to_be_ours_gets_its_mail_by_the_engine(
    post: Post,
) -> None:
    assert post.deliver(mail_of(5, 3), mail_of(5, 0), seconds=0.1) == [False, False]


def test_an_agent_that_is_silent_delays_mail_once_in_a_while(post: Post) -> None:
    """Its shards are held elsewhere soon, and until then their mail is safe in the mail logs."""
    assert post.deliver(mail_of(5, 1), seconds=2 * CONFIRM_SECONDS) == [False]
    post.serve()
    assert post.deliver(mail_of(5, 1)) == [True]


def test_no_second_request_is_sent_while_an_agent_is_silent(post: Post) -> None:
    post.deliver(mail_of(5, 1), seconds=0.5)
    assert post.deliver(mail_of(5, 1, 2), seconds=0.1) == [False]


def test_much_mail_goes_in_several_requests(post: Post) -> None:
    post.serve()
    large = [mail_of(5 + number, 1, payload=bytes(MESSAGE_BYTES // 2)) for number in range(3)]
    assert post.deliver(*large) == [True] * 3
    assert [len(mails) for mails in post.asked] == [2, 1]


# -- between agents ----------------------------------------------------------------


@pytest.fixture
def world() -> Iterator[AgentWorld]:
    made = AgentWorld(11)
    yield made
    made.close()


def both(world: AgentWorld) -> tuple[SimulatedAgent, SimulatedAgent]:
    """Return two agents that share the shards."""
    agents = [world.start(number) for number in (0, 1)]
    world.run(until=90.0)
    one, other = agents
    assert one is not None
    assert other is not None
    assert one.frontier.held
    assert other.frontier.held
    return one, other


def next_mail(sender: SimulatedAgent, receiver: SimulatedAgent, *, skipped: int = 0) -> list[ShardMail]:
    first, held = next(iter(sender.frontier.held)), next(iter(receiver.frontier.held))
    number = held.frontier.received(first.shard) + 1 + skipped
    return mail_of(first.shard, held.shard, number)


def delivered(world: AgentWorld, sender: SimulatedAgent, mails: list[ShardMail]) -> bool:
    task = sender.loop.create_task(sender.agent.runner.mail.deliver(mails))
    world.run(until=world.timeline.now + 5.0)
    return task.result()


def test_mail_between_two_agents_is_taken_once_however_often_it_comes(world: AgentWorld) -> None:
    one, other = both(world)
    mails = next_mail(one, other)
    held = other.frontier.held_shard(mails[0].receiver)
    assert held is not None
    assert delivered(world, one, mails)
    assert held.frontier.received(mails[0].sender) >= mails[0].number
    assert delivered(world, one, mails)


def test_mail_that_is_out_of_turn_is_not_confirmed(world: AgentWorld) -> None:
    """Earlier mail is still on its way through the mail log."""
    one, other = both(world)
    assert not delivered(world, one, next_mail(one, other, skipped=1))


def test_a_shard_that_is_being_given_away_takes_no_mail(world: AgentWorld) -> None:
    one, other = both(world)
    mails = next_mail(one, other)
    held = other.frontier.held_shard(mails[0].receiver)
    assert held is not None
    held.is_closing = True
    assert not delivered(world, one, mails)
