"""Can the engine in memory be as unkind as a network?"""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from cluster_grounds import MemoryGround
from simulated.memory_engine import Broker, Fate, MemoryEngine
from simulated.virtual import Timeline
from tiptoe.cluster.engine import EngineUnavailable, KeyChange, LogMessage, NoResponse, OutOfDate


@pytest.fixture
def ground() -> Iterator[MemoryGround]:
    made = MemoryGround()
    yield made
    made.close()


def first_then_none(operation: str, fate: Fate) -> Callable[[str, str], Fate]:
    """Return trouble that meets an operation once."""
    left = [fate]
    return lambda met, name: left.pop() if met == operation and left else Fate()


async def echo(data: bytes) -> bytes:
    return data


def test_an_answer_can_be_lost_after_the_deed(ground: MemoryGround) -> None:
    async def main() -> None:
        engine = ground.broker.connect("a", trouble=first_then_none("append", Fate(is_answered=False)))
        with pytest.raises(EngineUnavailable):
            await engine.append("log.1", b"x", expected=0)
        assert ground.timeline.now == 5.0
        with pytest.raises(OutOfDate):
            await engine.append("log.1", b"x", expected=0)
        last = await engine.last("log.1")
        assert last is not None
        assert last.data == b"x"

    ground.run(main())


def test_a_question_can_be_lost_before_the_deed(ground: MemoryGround) -> None:
    async def main() -> None:
        engine = ground.broker.connect("a", trouble=first_then_none("append", Fate(is_done=False)))
        with pytest.raises(EngineUnavailable):
            await engine.append("log.1", b"x", expected=0)
        assert await engine.append("log.1", b"x", expected=0) == 1

    ground.run(main())


def test_what_was_given_up_can_still_be_done_later(ground: MemoryGround) -> None:
    """One look at the log does not settle it: only an append that fences it off does."""

    async def main() -> None:
        engine = ground.broker.connect("a", trouble=first_then_none("append", Fate(before=8.0)))
        with pytest.raises(EngineUnavailable):
            await engine.append("log.1", b"x", expected=0)
        assert await engine.last("log.1") is None
        await asyncio.sleep(4)
        assert await engine.last("log.1") is not None

    ground.run(main())


def test_a_delay_is_waited_for(ground: MemoryGround) -> None:
    async def main() -> None:
        engine = ground.broker.connect("a", trouble=lambda operation, name: Fate(before=1.0, after=2.0))
        await engine.put("crawl", b"x")
        assert ground.timeline.now == 3.0

    ground.run(main())


def test_who_is_cut_off_hears_nothing_until_it_is_joined_again(ground: MemoryGround) -> None:
    async def main() -> None:
        engine, other = ground.broker.connect("a"), ground.broker.connect("b")
        gone = await other.put("agent.x", b"1")
        told: list[KeyChange | None] = []
        mail: list[LogMessage | None] = []

        async def watch() -> None:
            async with engine.watch("agent") as changes:
                while True:
                    told.append(await anext(changes))

        async def follow() -> None:
            async with engine.follow("mail.1") as messages:
                while True:
                    mail.append(await anext(messages))

        listening = [asyncio.create_task(watch()), asyncio.create_task(follow())]
        await asyncio.sleep(1)
        assert (told, mail) == ([KeyChange("agent.x", b"1", gone), None], [None])
        engine.cut_off()
        await other.delete("agent.x", revision=gone)
        stays = await other.put("agent.y", b"2")
        sequence = await other.append("mail.1", b"for a")
        with pytest.raises(EngineUnavailable):
            await engine.get("agent.y")
        await asyncio.sleep(60)
        assert (len(told), len(mail)) == (2, 1)
        engine.join()
        await asyncio.sleep(1)
        assert told[2:] == [KeyChange("agent.y", b"2", stays), None]
        assert mail[1:] == [LogMessage(sequence, b"for a"), None]
        for task in listening:
            task.cancel()
        await asyncio.wait(listening)

    ground.run(main())


def test_who_serves_and_is_cut_off_answers_nobody(ground: MemoryGround) -> None:
    async def main() -> None:
        engine, other = ground.broker.connect("a"), ground.broker.connect("b")
        async with other.serve("agent.b", echo):
            other.cut_off()
            with pytest.raises(NoResponse):
                await engine.request("agent.b", b"x", seconds=2)
            other.join()
            assert await engine.request("agent.b", b"x", seconds=2) == b"x"
            engine.cut_off()
            with pytest.raises(NoResponse):
                await engine.request("agent.b", b"x", seconds=2)

    ground.run(main())


def test_who_watches_can_be_told_late_and_anew(ground: MemoryGround) -> None:
    async def main() -> None:
        other = ground.broker.connect("b")
        engine = ground.broker.connect("a", trouble=first_then_none("watch", Fate(before=3, is_done=False)))
        first = await other.put("agent.x", b"1")
        async with engine.watch("agent") as changes:
            assert [await anext(changes), await anext(changes)] == [KeyChange("agent.x", b"1", first), None]
            second = await other.put("agent.y", b"1")
            anew = [await anext(changes) for _ in range(3)]
            assert anew == [KeyChange("agent.x", b"1", first), KeyChange("agent.y", b"1", second), None]
            assert ground.timeline.now == 3.0

    ground.run(main())


def test_what_a_dead_process_has_sent_still_arrives_and_nobody_hears_of_it() -> None:
    timeline = Timeline()
    broker = Broker(timeline.loop("broker"))
    dying, living = timeline.loop("dying"), timeline.loop("living")
    member: MemoryEngine = broker.connect("dying", trouble=lambda operation, name: Fate(before=2.0))
    witness = broker.connect("living")

    async def last_words() -> None:
        async with member.serve("agent.dying", echo):
            await member.append("log.1", b"last words")

    async def listen() -> bytes:
        async with witness.follow("log.1") as messages:
            async for message in messages:
                if message is not None:
                    with pytest.raises(NoResponse):
                        await witness.request("agent.dying", b"are you there", seconds=1)
                    return message.data
        raise AssertionError

    dying.create_task(last_words())
    heard = living.create_task(listen())
    dying.on_death = member.vanish
    living.call_later(1.0, dying.kill)
    assert timeline.run(until=100.0, is_over=heard.done)
    assert heard.result() == b"last words"
    assert dying.faults == living.faults == []
