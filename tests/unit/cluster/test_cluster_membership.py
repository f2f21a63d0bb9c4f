"""Does an agent take part as it should, whatever it meets in the engine?"""

import asyncio
from collections.abc import Iterator

import msgspec
import pytest

from simulated.lease_engine import KeyLine
from simulated.lease_world import LEASE_SECONDS, LeaseWorld, PretendedAgent
from tiptoe.cluster.agent_presence import AgentPresence
from tiptoe.cluster.shard_clock import ShardClock
from tiptoe.cluster.shard_lease import LeaseRecord


@pytest.fixture
def world() -> Iterator[LeaseWorld]:
    with LeaseWorld(1, machines=2, shards=4) as world:
        yield world


def put(world: LeaseWorld, key: str, value: bytes) -> None:
    """Change a key from outside, whatever it holds."""
    there = world.server.get(key)
    world.server.put(key, value, there.revision if there else 0)


def started(world: LeaseWorld, number: int = 0) -> PretendedAgent:
    agent = world.start(number)
    assert agent is not None
    return agent


def test_the_first_agent_takes_every_shard_at_once(world: LeaseWorld) -> None:
    agent = started(world)
    world.run(2.0)

    assert agent.held == {0, 1, 2, 3}
    assert all(agent.membership.may_begin(shard) for shard in range(4))
    assert world.end() == []


def test_what_cannot_be_read_is_left_alone_for_a_lease(world: LeaseWorld) -> None:
    """It may be the lease of a later version, or rubbish; nobody has to die of either."""
    put(world, "shard.2", b"\xff rubbish")
    put(world, "shard.x", b"")
    put(world, "shard.01", b"")
    put(world, "shard.99", b"")
    put(world, "agent.other", b"\xc1")
    agent = started(world)
    world.run(LEASE_SECONDS - 1)
    assert agent.held == {0, 1, 3}

    world.run(LEASE_SECONDS + 15)
    assert agent.held == {0, 1, 2, 3}
    assert world.end() == []


def test_a_shard_that_is_taken_away_is_dropped_at_once(world: LeaseWorld) -> None:
    agent = started(world)
    world.run(2.0)
    record = agent.membership.leases[1].record
    assert record is not None
    thief = msgspec.structs.replace(record, holder="thief", incarnation="thief-1", term=2)
    put(world, "shard.1", msgspec.msgpack.encode(thief))
    world.run(4.0)

    assert agent.held == {0, 2, 3}
    assert not agent.membership.is_certain(1)


def test_who_has_no_room_gives_its_shards_to_who_has_and_gets_some_again(world: LeaseWorld) -> None:
    """A machine whose disk is full would hold its part of the crawl up for ever."""
    full, other = started(world), started(world, 1)
    world.run(90.0)
    assert len(full.held) == len(other.held) == 2
    full.membership.announce_room(False)
    world.run(150.0)
    assert (full.held, other.held) == (set(), {0, 1, 2, 3})
    full.membership.announce_room(True)
    world.run(210.0)
    assert len(full.held) == len(other.held) == 2
    assert world.end() == []


def test_who_has_no_room_keeps_its_shards_if_nobody_has_any(world: LeaseWorld) -> None:
    """To move them around would help nobody."""
    both = started(world), started(world, 1)
    world.run(90.0)
    before = [set(agent.held) for agent in both]
    for agent in both:
        agent.membership.announce_room(False)
    world.run(180.0)
    assert [agent.held for agent in both] == before
    assert world.end() == []


def test_an_agent_says_that_it_is_there_with_every_beat(world: LeaseWorld) -> None:
    agent = started(world)
    world.run(31.0)
    change = world.server.get(f"agent.{agent.machine.name}")
    assert change is not None
    assert change.value is not None
    presence = msgspec.msgpack.decode(change.value, type=AgentPresence)
    assert presence.name == agent.machine.name
    assert 4 <= presence.beats <= 6


def test_an_agent_that_leaves_while_the_engine_is_away_gives_up_after_a_lease(world: LeaseWorld) -> None:
    """It could not tell anybody; the others will see its leases grow old."""
    agent = started(world)
    world.run(20.0)
    agent.line.cut()
    agent.leave()
    world.run(20.0 + LEASE_SECONDS + 10)

    assert agent.is_over
    assert agent.held == set()
    assert world.end() == []


def test_who_leaves_waits_as_long_as_the_next_holder_gets_on() -> None:
    """A shard that is given away before it was read is crawled by nobody until then."""
    with LeaseWorld(1, machines=2, shards=48) as world:
        leaves, stays = started(world), started(world, 1)
        unread: list[int] = []
        ready_at: dict[int, float] = {}

        def prepare(shard: int) -> None:
            ready_at[shard] = stays.followed[shard] = stays.loop.time() + LEASE_SECONDS
            stays.loop.call_later(LEASE_SECONDS, stays.membership.look_again)

        def take(shard: int, term: int, clock: ShardClock, *, was_outlasted: bool) -> None:
            if stays.loop.time() < ready_at.get(shard, 0.0):
                unread.append(shard)
            PretendedAgent.take(stays, shard, term, clock, was_outlasted=was_outlasted)

        world.run(120.0)
        assert len(leaves.held) == 24
        stays.prepare, stays.take = prepare, take  # type: ignore[method-assign]
        leaves.leave()
        world.run(450.0)
        assert leaves.is_over
        assert stays.held == set(range(48))
        assert unread == []
        assert world.end() == []


def test_a_fault_of_what_looks_after_shards_ends_the_membership_and_drops_all(
    world: LeaseWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever cannot take a shard must not hold its lease."""

    async def fails(shard: int) -> None:
        await asyncio.sleep(0)
        raise OSError(f"no room for {shard}")

    agent = started(world)
    world.run(2.0)
    monkeypatch.setattr(agent, "release", fails)
    agent.leave()
    world.run(4.0)

    assert agent.task.done()
    assert isinstance(agent.task.exception(), OSError)
    assert agent.held == set()


def test_a_restarted_agent_waits_for_its_own_leases_and_has_its_shards_again(world: LeaseWorld) -> None:
    started(world)
    world.run(20.0)
    world.living()[0].loop.kill()
    again = started(world)
    world.run(20.0 + LEASE_SECONDS - 6)
    assert again.held == set()
    assert world.wait_until_held(20.0 + LEASE_SECONDS + 5) < 20.0 + LEASE_SECONDS + 2
    assert again.held == {0, 1, 2, 3}
    assert world.end() == []


def test_labelled_shards_are_held_by_those_who_take_them_and_by_others_when_these_are_dead() -> None:
    """Affinity, as long as there is somebody to have it."""
    with LeaseWorld(2, machines=3, labels=["", "", "", "", "sk", "sk"], takes={2: ("sk",)}) as world:
        agents = [started(world, number) for number in range(3)]
        world.run(60.0)
        assert agents[2].held == {4, 5}
        assert agents[0].held | agents[1].held == {0, 1, 2, 3}

        agents[2].loop.kill()
        world.run(60.0 + LEASE_SECONDS + 5)
        assert agents[0].held | agents[1].held == set(range(6))

        back = started(world, 2)
        world.run(160.0)
        assert back.held == {4, 5}
        assert world.end() == []


def test_a_lease_names_its_holder_and_says_what_time_it_is(world: LeaseWorld) -> None:
    agent = started(world)
    world.run(12.0)
    change = world.server.get("shard.0")
    assert change is not None
    assert change.value is not None
    record = msgspec.msgpack.decode(change.value, type=LeaseRecord)
    assert (record.holder, record.term, record.given_to) == (agent.machine.name, 1, "")
    assert record.clock.boot == agent.machine.name
    assert abs(record.clock.moment + record.clock.wall_ahead - agent.machine.time(10.0).wall) < 3


def test_the_world_can_cut_a_line(world: LeaseWorld) -> None:
    """A rehearsal without its troubles would prove nothing."""
    agent = started(world)
    world.run(10.0)
    assert isinstance(agent.line, KeyLine)
    agent.line.cut()
    world.run(40.0)
    assert agent.held == {0, 1, 2, 3}
    assert not any(agent.membership.is_certain(shard) for shard in range(4))
