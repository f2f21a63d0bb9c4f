"""How the whole crawl stands, asked from any member."""

from collections.abc import Iterator

import msgspec
import pytest

from cluster_grounds import MemoryGround, serving
from tiptoe.cluster.agent_presence import AgentPresence
from tiptoe.cluster.crawl_agents import KnownAgent, read_agents
from tiptoe.cluster.file_service import AgentNote
from tiptoe.cluster.shard_clock import ClockReading
from tiptoe.cluster.shard_lease import LeaseRecord
from tiptoe.cluster.status_service import ask_statuses, serve_status, whole_status
from tiptoe.protocol.status import Status

CLOCK = ClockReading("", 0.0, 0.0, 0.0)


@pytest.fixture
def ground() -> Iterator[MemoryGround]:
    made = MemoryGround()
    yield made
    made.close()


def test_the_keys_say_who_is_there_and_who_holds_what(ground: MemoryGround) -> None:
    async def main() -> dict[str, KnownAgent]:
        engine = await ground.connect()
        put = engine.put
        await put("agent.one", msgspec.msgpack.encode(AgentPresence("one", "x", 5)))
        await put("member.one", msgspec.msgpack.encode(AgentNote("one")))
        await put("member.gone", msgspec.msgpack.encode(AgentNote("gone", {"logs": 5})))
        await put("member.garbage", b"\xc1")
        for shard, holder in ((11, "one"), (2, "one"), (3, "dead"), (4, "")):
            await put(f"shard.{shard}", msgspec.msgpack.encode(LeaseRecord(holder, "x", 1, 1, CLOCK)))
        return await read_agents(engine)

    agents = ground.run(main())
    assert list(agents) == ["dead", "garbage", "gone", "one"]
    assert agents["one"].shards == [2, 11]
    assert (agents["dead"].shards, agents["dead"].has_left) == ([3], False)
    assert agents["gone"].has_left
    assert agents["gone"].note == AgentNote("gone", {"logs": 5})


def test_who_does_not_answer_is_left_out_in_time(ground: MemoryGround) -> None:
    async def nonsense(data: bytes) -> bytes:
        return b"\xc1"

    async def main() -> tuple[dict[str, Status], float]:
        engine, other = await ground.connect(), await ground.connect()
        async with (
            serving(serve_status(engine, "one", lambda: Status(pages=3))),
            other.serve("agent.mad.status", nonsense),
        ):
            began = ground.loop.time()
            found = await ask_statuses(other, ["one", "mad", "dead"], seconds=2.0)
            return found, ground.loop.time() - began

    found, seconds = ground.run(main())
    assert found == {"one": Status(pages=3)}
    assert seconds <= 2.5


def test_the_whole_is_the_sum_with_a_line_for_each() -> None:
    agents = {
        "dead": KnownAgent("dead", shards=[3]),
        "gone": KnownAgent("gone", note=AgentNote("gone", {})),
        "one": KnownAgent("one", presence=AgentPresence("one", "x", 5), shards=[0, 1]),
        "two": KnownAgent("two", presence=AgentPresence("two", "x", 5, is_leaving=True), shards=[2]),
    }
    statuses = {"one": Status(pages=10, seconds=60.0, harvesters=2), "two": Status(pages=5, seconds=9.0)}
    earlier = whole_status(agents, statuses, shards=4)
    assert (earlier.crawl.pages, earlier.silent, earlier.unheld) == (15, ["dead"], 1)
    assert [(line.name, line.is_there, line.is_leaving) for line in earlier.agents] == [
        ("dead", False, False),
        ("one", True, False),
        ("two", True, True),
    ]

    later = {"one": Status(pages=14, seconds=62.0), "two": Status(pages=300, seconds=11.0)}
    agents["two"].shards = [2, 3]  # another one came, with its pages
    whole = whole_status(agents, later, earlier, shards=4)
    assert {line.name: line.pages_per_minute for line in whole.agents} == {
        "dead": None,
        "one": 120.0,
        "two": None,
    }


def test_moments_are_by_the_clock_of_whoever_asks() -> None:
    """Who reads them has that clock on the wall."""
    agents = {name: KnownAgent(name, shards=[number]) for number, name in enumerate(("one", "two"))}
    statuses = {"one": Status(now=1000.0), "two": Status(now=1300.0)}
    assert whole_status(agents, statuses, shards=2, clock_of="two").crawl.now == 1300.0
    assert whole_status(agents, statuses, shards=2, clock_of="gone").crawl.now == 1000.0
