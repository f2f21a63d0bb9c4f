"""Does every shard have at most one holder, whatever happens, and soon one again?"""

import math

import pytest

import simulate_leases as command
from simulated.lease_world import LEASE_SECONDS, LeaseWorld

BATCHES = 4
SEEDS_PER_BATCH = 30
TROUBLE_SECONDS = 120.0


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_two_agents_ever_act_for_one_shard(batch: int) -> None:
    """Joins, leaves, deaths, processes that stand still, cuts, lost and late messages, clocks that differ."""
    for seed in range(batch * SEEDS_PER_BATCH, (batch + 1) * SEEDS_PER_BATCH):
        with LeaseWorld(seed, machines=3, shards=2) as world:
            world.trouble(TROUBLE_SECONDS)
            world.run(TROUBLE_SECONDS)

            held_at = world.wait_until_held(TROUBLE_SECONDS + 2 * LEASE_SECONDS)

            assert world.end() == [], f"seed {seed}"
            assert held_at - TROUBLE_SECONDS < 1.01 * LEASE_SECONDS + 5, f"seed {seed}"


@pytest.mark.parametrize("seed", range(8))
def test_the_shards_of_a_dead_agent_are_held_again_after_a_lease(seed: int) -> None:
    """Not much later: its hosts wait."""
    with LeaseWorld(seed, machines=4, shards=16) as world:
        for number in range(4):
            world.start(number)
        world.run(60.0)
        dead = world.living()[seed % 4]
        orphans = set(dead.held)
        dead.loop.kill()

        held_at = world.wait_until_held(60.0 + 2 * LEASE_SECONDS)

        assert 3 <= len(orphans) <= 5
        assert world.end() == []
        assert held_at - 60.0 < 1.01 * LEASE_SECONDS + 3


@pytest.mark.parametrize("seed", range(8))
def test_an_agent_that_leaves_gives_every_shard_away_without_a_gap_worth_mentioning(seed: int) -> None:
    """Others read its shards while it still serves them; what is left is the tail."""
    with LeaseWorld(seed, machines=4, shards=16) as world:
        for number in range(4):
            world.start(number)
        world.run(60.0)
        world.witness.gaps.clear()
        leaver = world.living()[seed % 4]
        leaver.leave()
        world.run(60.0 + LEASE_SECONDS)

        assert leaver.is_over
        assert leaver.held == set()
        assert len(world.witness.gaps) >= 3
        assert max(ended_at - began_at for _, began_at, ended_at in world.witness.gaps) < 3.5
        assert all(world.certain_of(shard) for shard in range(16))
        assert f"agent.{leaver.machine.name}" not in world.server.keys
        assert world.end() == []


def test_the_command_plays_the_worlds_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--seeds", "5-6"]) == 0
    assert capsys.readouterr().out.startswith("2 worlds, 0 failed")


def test_agents_that_join_get_their_share_and_nothing_else_moves() -> None:
    """A move costs both sides a while of reading; only what must move does."""
    with LeaseWorld(1, machines=4, shards=16) as world:
        world.start(0)
        world.run(20.0)
        first = world.living()[0]
        assert len(first.held) == 16

        for number in range(1, 4):
            world.start(number)
        world.run(90.0)

        assert sorted(len(agent.held) for agent in world.living()) == [4, 4, 4, 4]
        terms = [lease.record.term for lease in first.membership.leases if lease.record]
        assert sorted(terms)[:4] == [1, 1, 1, 1]  # what the first one kept was never given away
        assert sum(term - 1 for term in terms) <= 14
        assert world.end() == []


def test_an_agent_that_stands_still_for_less_than_a_lease_keeps_its_shards() -> None:
    """A pause is no reason to move anything."""
    with LeaseWorld(2, machines=3, shards=9) as world:
        for number in range(3):
            world.start(number)
        world.run(60.0)
        agent = world.living()[1]
        before = set(agent.held)
        agent.loop.freeze()
        world.run(60.0 + 0.7 * LEASE_SECONDS)
        assert not any(agent.membership.is_certain(shard) for shard in before)
        agent.loop.thaw()
        world.run(90.0)

        assert agent.held == before
        assert all(agent.membership.may_begin(shard) for shard in before)
        assert world.end() == []


@pytest.mark.parametrize("away", [25.0, 35.0, 300.0])
def test_nobody_acts_while_the_engine_is_away_and_all_go_on_when_it_is_back(away: float) -> None:
    """When in doubt nobody asks; but doubt alone moves no shard."""
    with LeaseWorld(3, machines=3, shards=9) as world:
        for number in range(3):
            world.start(number)
        world.run(60.0)
        before = [set(agent.held) for agent in world.living()]
        for agent in world.living():
            agent.line.cut()
        world.run(60.0 + 20.0)
        assert not any(world.certain_of(shard) for shard in range(9))
        world.run(60.0 + away)
        for agent in world.living():
            agent.line.mend()

        assert world.wait_until_held(120.0 + away) - (60.0 + away) < 5.0
        assert [set(agent.held) for agent in world.living()] == before
        assert world.end() == []


def test_the_last_one_to_leave_leaves_every_shard_free() -> None:
    """Who starts again tomorrow need not wait for a lease."""
    with LeaseWorld(4, machines=2, shards=8) as world:
        world.start(0)
        world.run(10.0)
        world.living()[0].leave()
        world.run(20.0)
        assert world.living() == []
        world.start(1)

        assert world.wait_until_held(40.0) - 20.0 < 2.0
        assert world.end() == []


def test_a_second_process_under_the_same_name_is_turned_away() -> None:
    """Two machines with one name would take turns at being it."""
    with LeaseWorld(5, machines=1, shards=4) as world:
        world.start(0)
        world.run(30.0)
        second = world.start_double(0)
        world.run(60.0)

        assert second.is_over
        assert second.held == set()
        assert len(world.living()) == 1
        assert math.isfinite(world.wait_until_held(61.0))
        assert len(world.end()) == 1  # AgentNameTaken
