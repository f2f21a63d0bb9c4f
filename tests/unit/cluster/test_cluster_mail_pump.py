"""Mail for shards that other agents hold: how many messages is it, and how soon is it there?"""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from typing import cast

import msgspec
import pytest

from simulated.memory_engine import Broker
from simulated.virtual import Timeline
from tiptoe.cluster.batch_appender import ShardLost
from tiptoe.cluster.far_mail import FarMail, mail_subject
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.mail_pump import BEAT_SECONDS_MIN, MAILS_AT_ONCE, MailPump, beat_seconds, opened_mail
from tiptoe.cluster.neighbour_mail import NeighbourMail
from tiptoe.frontier.mail import ShardMail

SENDER, RECEIVER = 1, 2
EMPTY = msgspec.msgpack.encode([])


class Outbox:
    """As much of a shard that is held as its mail needs; stands for its frontier and its log, too."""

    pending_rows = 0

    def __init__(self, shard: int = SENDER) -> None:
        self.shard = shard
        self.frontier = self.log = self
        self.changed = asyncio.Event()
        self.sent = self.done = 0
        self.is_lost = False

    @property
    def has_mail(self) -> bool:
        return self.sent > self.done

    def write(self, mails: int) -> None:
        self.sent += mails
        self.changed.set()

    def expect_open(self) -> None:
        if self.is_lost:
            raise ShardLost("another agent has it")

    def outgoing(self, *, mails_max: int) -> list[ShardMail]:
        assert not self.is_lost, "what is to be sent has been forgotten with all that was not stored"
        numbers = range(self.done + 1, min(self.sent, self.done + mails_max) + 1)
        return [ShardMail(self.shard, RECEIVER, number, EMPTY) for number in numbers]

    def delivered(self, numbers: Mapping[int, int]) -> None:
        self.done = numbers[RECEIVER]

    def unhurried(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    async def committed(self) -> None:
        pass


class Post:
    """One shard that sends, and the log of another."""

    def __init__(self) -> None:
        self.agents = 1  # that hold something
        self.tasks: list[asyncio.Task[None]] = []
        self.timeline = Timeline()
        self.loop = self.timeline.loop("agent")
        self.broker = Broker(self.timeline.loop("engine"))
        self._engine = self.broker.connect("agent")
        self._nobody = NeighbourMail(lambda shard: None, lambda held, mails: None)
        self._others = FarMail(self._engine)
        self.outbox = self.hold(SENDER)

    def hold(self, shard: int) -> Outbox:
        """Have one more shard of this agent send."""
        outbox = Outbox(shard)
        pump = MailPump(
            self._engine, cast(HeldShard, outbox), receive=lambda held, mails: None,
            neighbours=self._nobody, others=self._others, agents=lambda: self.agents,
        )  # fmt: skip
        self.tasks.append(self.loop.create_task(pump.run()))
        return outbox

    def write_at(self, at: float, mails: int = 1) -> None:
        self.loop.call_at(at, self.outbox.write, mails)

    def messages(self) -> list[list[int]]:
        """Return which mails are in each message so far."""
        subject = mail_subject(RECEIVER)
        return [
            [mail.number for mail in opened_mail(subject, message)]
            for message in self.broker.messages(subject, after=0)
        ]


@pytest.fixture
def post() -> Iterator[Post]:
    made = Post()
    yield made
    made.loop.kill()


def test_mail_of_steps_that_follow_each_other_is_one_message(post: Post) -> None:
    """Each message is stored by all servers, and nearly every step has mail for nearly every shard."""
    for step in range(5):
        post.write_at(1.0 + step * BEAT_SECONDS_MIN / 6)
    post.timeline.run(until=1.0 + BEAT_SECONDS_MIN / 2)
    assert post.messages() == []
    post.timeline.run(until=1.3 + BEAT_SECONDS_MIN)
    assert post.messages() == [[1, 2, 3, 4, 5]]
    assert not post.outbox.has_mail


def test_mail_of_all_shards_of_an_agent_to_one_shard_is_one_message(post: Post) -> None:
    """Else a page would cost the more messages the more agents share its shards."""
    others = [post.hold(shard) for shard in (3, 4, 5)]
    post.write_at(1.1)
    for number, outbox in enumerate(others):
        post.loop.call_at(1.2 + number / 4, outbox.write, 2)
    post.timeline.run(until=1.3 + BEAT_SECONDS_MIN)
    assert post.messages() == [[1, 1, 2, 1, 2, 1, 2]]
    assert not any(outbox.has_mail for outbox in (post.outbox, *others))


def test_the_more_agents_there_are_the_longer_mail_is_gathered(post: Post) -> None:
    """Each has something for nearly every shard of all others: at a fixed beat a hundred would send 20,000
    messages a second, more than three servers can write.
    """
    assert [beat_seconds(agents) for agents in (1, 4, 8, 16, 100)] == [1.0, 1.0, 2.0, 4.0, 4.0]
    post.agents = 8
    for step in range(12):  # more than are sent at once within a second
        post.write_at(2.05 + step * 0.15)
    post.timeline.run(until=4.3)
    assert post.messages() == [list(range(1, 13))]
    assert not post.outbox.has_mail


def test_a_shard_that_is_lost_while_its_mail_waits_for_the_beat_ends_no_agent(post: Post) -> None:
    """On a busy machine the beat comes in the moment between the loss and the end of all that was done for
    the shard; what was to be sent is forgotten then, and whoever holds the shard now sends it.
    """
    post.write_at(1.1)
    post.loop.call_at(1.2, setattr, post.outbox, "is_lost", True)
    post.timeline.run(until=3.0)
    fault = post.tasks[0].exception()
    assert isinstance(fault, BaseExceptionGroup)
    assert fault.subgroup(lambda error: not isinstance(error, (ShardLost, BaseExceptionGroup))) is None
    assert post.messages() == []


def test_mail_waits_for_an_engine_that_is_away(post: Post) -> None:
    """It may be stored twice then, and is read once."""
    post.write_at(1.1)
    post.broker.stop()
    post.timeline.run(until=5.0)
    assert post.outbox.has_mail
    post.broker.start()
    post.timeline.run(until=10.0)
    assert {tuple(message) for message in post.messages()} == {(1,)}
    assert not post.outbox.has_mail


def test_mail_that_has_piled_up_is_not_gathered_any_longer(post: Post) -> None:
    """A host that moves with all its rows is many mails, and is asked by nobody meanwhile."""
    post.write_at(1.0, mails=5 * MAILS_AT_ONCE)
    post.timeline.run(until=1.3 + BEAT_SECONDS_MIN)
    assert [number for message in post.messages() for number in message] == list(
        range(1, 5 * MAILS_AT_ONCE + 1)
    )
