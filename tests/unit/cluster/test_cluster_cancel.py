"""A task that is cancelled ends, also when the answer that it waits for comes at that moment."""

import asyncio
from typing import cast

import nats.errors
import pytest

from tiptoe.cluster.nats_connection import NatsConnection, honouring_cancel
from tiptoe.cluster.nats_server_link import ServerLink


async def cancelled_with_the_answer(*, is_honoured: bool) -> bool:
    """Cancel a task that waits as the client of NATS does, with its answer; tell whether it has ended."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[None] = loop.create_future()
    waits = asyncio.Event()
    has_gone_on = False

    async def ask() -> None:
        nonlocal has_gone_on
        waits.set()
        waiting = asyncio.wait_for(answer, 10.0)
        await (honouring_cancel(waiting) if is_honoured else waiting)
        has_gone_on = True

    task = loop.create_task(ask())
    await waits.wait()
    await asyncio.sleep(0)
    answer.set_result(None)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return not has_gone_on


def test_a_cancellation_that_comes_with_the_answer_is_honoured() -> None:
    """Else an agent that leaves would wait for it for ever."""
    assert asyncio.run(cancelled_with_the_answer(is_honoured=True))


def test_what_the_client_gives_up_itself_cancels_nobody() -> None:
    """A task of a group that ends as cancelled is not missed: the log of a shard would have ended unseen."""

    async def ask() -> None:
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        answer.cancel()
        with pytest.raises(nats.errors.Error, match="has given up waiting"):
            await honouring_cancel(asyncio.wait_for(answer, 10.0))

    asyncio.run(ask())


def test_an_answer_without_a_cancellation_is_passed_on() -> None:
    async def answer() -> int:
        return 7

    async def ask() -> int:
        return await honouring_cancel(answer())

    assert asyncio.run(ask()) == 7


def test_who_was_cancelled_before_may_still_ask() -> None:
    """As what is told to the engine when a task ends."""

    async def answer() -> int:
        return 7

    async def leave() -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return await honouring_cancel(answer())
        raise AssertionError("nobody has cancelled it")

    async def main() -> int:
        task = asyncio.create_task(leave())
        await asyncio.sleep(0)
        task.cancel()
        return await task

    assert asyncio.run(main()) == 7


def test_time_limits_hold_all_the_same() -> None:
    async def main() -> None:
        async with asyncio.timeout(0.01):
            await honouring_cancel(asyncio.Event().wait())

    with pytest.raises(TimeoutError):
        asyncio.run(main())


class AnswerAtTheLastMoment:
    """A connection, its client and its subscription: whoever is cancelled gets the answer instead."""

    data = b'{"server": {"name": "first", "id": "A"}}'
    headers = None

    def __init__(self) -> None:
        self.waits = asyncio.Event()

    async def client(self) -> "AnswerAtTheLastMoment":
        return self

    def new_inbox(self) -> str:
        return "inbox"

    async def subscribe(self, _subject: str) -> "AnswerAtTheLastMoment":
        return self

    async def publish(self, _subject: str, _data: bytes, *, reply: str) -> None:
        assert reply == "inbox"

    async def next_msg(self, timeout: float) -> "AnswerAtTheLastMoment":  # noqa: ASYNC109 - as the client has it
        self.waits.set()
        try:
            await asyncio.sleep(timeout)
        except asyncio.CancelledError:
            return self
        raise AssertionError("nobody has cancelled it")

    async def unsubscribe(self) -> None:
        return


def test_who_looks_at_the_servers_can_always_be_stopped() -> None:
    """Else the keeper of a server would look at them for ever."""

    async def main() -> bool:
        servers = AnswerAtTheLastMoment()
        looking = asyncio.create_task(ServerLink(cast("NatsConnection", servers)).look(1))
        await servers.waits.wait()
        looking.cancel()
        await asyncio.wait({looking})
        return looking.cancelled()

    assert asyncio.run(main())
