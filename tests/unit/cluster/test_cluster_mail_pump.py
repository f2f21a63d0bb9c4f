"""Mail for shards that other agents hold: how many messages is it, and how soon is it there?"""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from typing import cast

import msgspec
import pytest

from simulated.memory_engine import Broker
from simulated.virtual import Timeline
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.mail_pump import GATHER_SECONDS, MAILS_AT_ONCE, MailPump, mail_subject, opened_mail
from tiptoe.cluster.neighbour_mail import NeighbourMail
from tiptoe.frontier.mail import ShardMail

SENDER, RECEIVER = 1, 2
EMPTY = msgspec.msgpack.encode([])


class Outbox:
    """As much of a shard that is held as its mail needs; stands for its frontier and its log, too."""

    shard = SENDER
    pending_rows = 0

    def __init__(self) -> None:
        self.frontier = self.log = self
        self.changed = asyncio.Event()
        self.sent = self.done = 0

    @property
    def has_mail(self) -> bool:
        return self.sent > self.done

    def write(self, mails: int) -> None:
        self.sent += mails
        self.changed.set()

    def outgoing(self, *, mails_max: int) -> list[ShardMail]:
        numbers = range(self.done + 1, min(self.sent, self.done + mails_max) + 1)
        return [ShardMail(SENDER, RECEIVER, number, EMPTY) for number in numbers]

    def delivered(self, numbers: Mapping[int, int]) -> None:
        self.done = numbers[RECEIVER]

    def unhurried(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    async def committed(self) -> None:
        pass


class Post:
    """One shard that sends, and the log of another."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self.loop = self.timeline.loop("agent")
        self.broker = Broker(self.timeline.loop("engine"))
        self.outbox = Outbox()
        engine = self.broker.connect("agent")
        held = cast(HeldShard, self.outbox)
        nobody = NeighbourMail(lambda shard: None, lambda held, mails: None)
        pump = MailPump(engine, held, receive=lambda held, mails: None, neighbours=nobody)
        self.task = self.loop.create_task(pump.run())

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
        post.write_at(1.0 + step * GATHER_SECONDS / 6)
    post.timeline.run(until=1.0 + GATHER_SECONDS / 2)
    assert post.messages() == []
    post.timeline.run(until=1.2 + GATHER_SECONDS)
    assert post.messages() == [[1, 2, 3, 4, 5]]
    assert not post.outbox.has_mail


def test_mail_that_has_piled_up_is_not_gathered_any_longer(post: Post) -> None:
    """A host that moves with all its rows is many mails, and is asked by nobody meanwhile."""
    post.write_at(1.0, mails=5 * MAILS_AT_ONCE)
    post.timeline.run(until=1.3 + GATHER_SECONDS)
    assert [number for message in post.messages() for number in message] == list(
        range(1, 5 * MAILS_AT_ONCE + 1)
    )
