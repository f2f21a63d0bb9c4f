"""Who can be said to be lost, and who is still at work?"""

from collections.abc import Iterator

import msgspec
import pytest

from cluster_grounds import MemoryGround, serving
from tiptoe.cluster.agent_presence import AgentPresence
from tiptoe.cluster.crawl_agents import agents_at_work
from tiptoe.cluster.crawl_ending import ENDED_KEY
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.file_service import AgentNote
from tiptoe.cluster.lost_members import note_lost
from tiptoe.cluster.shard_clock import ClockReading
from tiptoe.cluster.shard_lease import LeaseRecord
from tiptoe.cluster.status_service import serve_status
from tiptoe.errors import SettingsError
from tiptoe.protocol.status import Status

LEASE_SECONDS = 30.0


@pytest.fixture
def ground() -> Iterator[MemoryGround]:
    made = MemoryGround()
    yield made
    made.close()


async def has_taken_part(ground: MemoryGround, *names: str) -> Engine:
    engine = await ground.connect()
    for name in names:
        await engine.put(f"member.{name}", msgspec.msgpack.encode(AgentNote(name)))
    return engine


async def left_by_the_dead(engine: Engine, name: str) -> None:
    """Put the keys that an agent leaves behind that was killed."""
    lease = LeaseRecord(name, f"{name}-1", 1, 1, ClockReading("", 0.0, 0.0, 0.0))
    await engine.put("shard.0", msgspec.msgpack.encode(lease))
    await engine.put(f"agent.{name}", msgspec.msgpack.encode(AgentPresence(name, f"{name}-1", 7)))


def test_a_crawl_that_had_ended_goes_on_when_a_member_is_lost(ground: MemoryGround) -> None:
    """A disk may burn after the last page: else whoever starts again is told that nothing is left."""

    async def main() -> bool:
        engine = await has_taken_part(ground, "blue", "red")
        await engine.put(ENDED_KEY, b"")
        await note_lost(engine, "blue")
        await note_lost(engine, "blue")  # does no harm
        return await engine.get(ENDED_KEY) is None and await engine.get("lost.blue") is not None

    assert ground.run(main())


@pytest.mark.parametrize(("name", "said"), [("blu", "only blue, red"), ("a b", "cannot be the name")])
def test_nobody_is_lost_who_never_took_part(ground: MemoryGround, name: str, said: str) -> None:
    """Who mistypes a name would believe that its pages are asked for again."""

    async def main() -> None:
        await note_lost(await has_taken_part(ground, "blue", "red"), name)

    with pytest.raises(SettingsError, match=said):
        ground.run(main())


def test_a_member_that_answers_is_not_lost_although_it_holds_nothing(ground: MemoryGround) -> None:
    """It may be about to get its part, and would write what counts as lost."""

    async def main() -> None:
        engine = await has_taken_part(ground, "blue")
        async with serving(serve_status(await ground.connect(), "blue", Status)):
            await note_lost(engine, "blue")

    with pytest.raises(SettingsError, match="answers, so it is not lost"):
        ground.run(main())


def test_agents_that_died_are_not_at_work(ground: MemoryGround) -> None:
    """A crawl whose only machine was killed could never be removed from the servers."""

    async def main() -> list[str]:
        engine = await ground.connect()
        await left_by_the_dead(engine, "blue")
        return await agents_at_work(engine, LEASE_SECONDS)

    assert ground.run(main()) == []


def test_agents_that_renew_what_they_hold_are_at_work(ground: MemoryGround) -> None:
    async def main() -> list[str]:
        engine = await ground.connect()
        await left_by_the_dead(engine, "blue")

        async def renew(seconds: float) -> None:
            found = await engine.get("shard.0")
            assert found is not None
            assert found.value is not None
            assert seconds == LEASE_SECONDS
            await engine.put("shard.0", found.value, revision=found.revision)

        return await agents_at_work(engine, LEASE_SECONDS, renew)

    assert ground.run(main()) == ["blue"]
