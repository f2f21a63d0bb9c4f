"""Limits of a whole crawl, kept by several agents together."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from simulated.agent_web import PAGE_BYTES
from simulated.agent_world import AgentWorld
from simulated.memory_engine import Fate
from tiptoe.cluster.crawl_end import CrawlEnd, EndRecord, IdleShard, end_of
from tiptoe.cluster.quota_keeper import QUOTA_KEY
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.keeper.ending import ending_of
from tiptoe.observe.stops import Stop
from tiptoe.protocol.operator import Reconfigure

HOUR = 3600.0


@contextmanager
def played(world: AgentWorld, agents: int = 3) -> Iterator[AgentWorld]:
    """Let agents crawl to the end; judge what they did."""
    try:
        for number in range(agents):
            world.start(number)
        yield world
        assert world.run(until=2 * HOUR), f"it never ends: {world.living()}"
        assert world.judge() == []
    finally:
        world.close()


def ends_of(world: AgentWorld) -> set[CrawlEnd]:
    """Let everybody hear of the end; return what they take for its reason."""
    world.timeline.run(until=world.timeline.now + 5.0)
    return {life.frontier.ending for life in world.lives if life.frontier.ending is not None}


@pytest.mark.parametrize("pages_max", [1, 2, 40, 70])
def test_a_crawl_ends_with_as_many_pages_as_were_wanted(pages_max: int) -> None:
    """Exactly, however small the limit is beside the number of shards."""
    with played(AgentWorld(2, shards=8, pages_max=pages_max)) as world:
        pass
    assert world.stored()[0] == pages_max
    assert ends_of(world) == {CrawlEnd.PAGES}


def test_a_limit_that_is_never_reached_keeps_nothing_from_being_found() -> None:
    """Shards that have nothing to do hold no part of it that others lack."""
    total = len(AgentWorld(3).web.pages())
    with played(AgentWorld(3, shards=8, pages_max=total + 1)) as world:
        pass
    assert world.stored()[0] == total
    assert ends_of(world) == {CrawlEnd.FINISHED}


def test_a_shard_that_was_just_taken_has_no_part_of_a_limit() -> None:
    """Before the book is read nobody knows what others have."""
    world = AgentWorld(2, pages_max=30)
    try:
        agent = world.start(0)
        assert agent is not None
        assert world.timeline.run(until=60.0, is_over=lambda: bool(agent.frontier.held))
        assert [held.frontier.limits.room() for held in agent.frontier.held] == [0]
    finally:
        world.close()


def test_less_is_used_at_once_and_more_only_when_it_is_written() -> None:
    """What is lost on its way to the book is never used by two."""
    world = AgentWorld(2, pages_max=1000)
    try:
        agent = world.start(0)
        assert agent is not None
        world.run(until=20.0)
        before = world.broker.get(QUOTA_KEY)
        assert before is not None
        assert {held.frontier.limits.room() for held in agent.frontier.held} != {0}
        agent.engine.trouble = lambda operation, name: Fate(
            before=0.01, is_done=(operation, name) != ("put", QUOTA_KEY)
        )
        for pages_max in (1, 5000):
            agent.frontier.reconfigure(replace(agent.frontier.policy, pages_max=pages_max))
            world.run(until=world.timeline.now + 10.0)
            assert {held.frontier.limits.room() for held in agent.frontier.held} == {0}
        assert world.broker.get(QUOTA_KEY) == before
    finally:
        world.close()


def test_keepers_know_why_it_is_over() -> None:
    with played(AgentWorld(2, pages_max=30)) as world:
        pass
    endings = {
        ending_of(life.frontier, is_late=False, are_packets_done=False)
        for life in world.lives
        if life.frontier.ending is not None
    }
    assert endings == {Stop.PAGE_LIMIT}


def test_quotas_of_the_dead_are_used_by_others() -> None:
    with played(AgentWorld(4, shards=8, pages_max=60)) as world:
        world.run(until=45.0)
        world.begin("burn", 0)
        world.run(until=50.0)
        world.begin("kill", 1)
    assert world.stored()[0] == 60


def test_bytes_are_limited_within_one_per_cent() -> None:
    """Nobody knows beforehand how many a page has; what is under way counts as what others had."""
    limit = 300 * PAGE_BYTES
    with played(AgentWorld(5, shards=4, hosts=60, bytes_max=limit)) as world:
        pass
    assert len(world.web.pages()) > 400
    assert limit <= world.stored()[1] <= 1.01 * limit
    assert ends_of(world) == {CrawlEnd.BYTES}


@pytest.mark.parametrize(("before", "after"), [(20, 60), (60, 20), (0, 50), (30, 0)])
def test_a_limit_can_be_changed_while_the_crawl_runs(before: int, after: int) -> None:
    """To more, to less, to one where there was none and back."""
    with played(AgentWorld(6, shards=4, pages_max=before)) as world:
        world.run(until=25.0)
        assert world.operator.give(Reconfigure({"crawl.max_pages": str(after)})).is_complete
        world.pages_max = after
    pages, _ = world.stored()
    assert pages == (after or len(world.web.pages()))


def test_a_crawl_that_had_enough_goes_on_when_more_is_wanted() -> None:
    with played(AgentWorld(2, pages_max=20)) as world:
        assert world.run(until=HOUR)
        world.timeline.run(until=world.timeline.now + 60.0)
        assert world.living() == []
        world.has_ended = False
        world.pages_max = 50
        world.start(0)
        world.start(1)
    assert world.stored()[0] == 50


def test_time_is_counted_by_whoever_holds_the_first_shard() -> None:
    """It goes on when that dies, and everybody hears of the end at once."""
    with played(AgentWorld(7, shards=2, hosts=80, seconds_max=400.0)) as world:
        world.run(until=100.0)
        world.begin("kill", next(one.number for one in world.living() if 0 in shards_of(one.frontier.held)))
    took = world.timeline.now - min(served.at for served in world.served)
    assert ends_of(world) == {CrawlEnd.TIME}
    assert took == pytest.approx(400.0, rel=0.02)  # by a machine whose clock may be one per cent off
    assert all(
        life.frontier.is_late and not life.frontier.is_finished() for life in world.lives if life.has_ended
    )


def shards_of(held: object) -> set[int]:
    return {one.shard for one in held}  # type: ignore[attr-defined]


def test_shares_of_a_limit_are_no_end_while_others_have_some_left() -> None:
    policy = FrontierPolicy(pages_max=10)
    full = IdleShard(0, 1, 1, pages=4, is_held_back=True)
    assert end_of([full, IdleShard(1, 1, 1, pages=5)], policy) is None
    assert end_of([full, IdleShard(1, 1, 1, pages=6)], policy) == EndRecord(CrawlEnd.PAGES, 10, 10)
    assert end_of([IdleShard(0, 1, 1, pages=4)], policy) == EndRecord(CrawlEnd.FINISHED, 0.0, 4)
    assert end_of([IdleShard(0, 1, 1, body_bytes=7)], FrontierPolicy(bytes_max=7)) == EndRecord(
        CrawlEnd.BYTES, 7
    )


def test_an_end_holds_while_no_more_is_wanted() -> None:
    reached = EndRecord(CrawlEnd.PAGES, 10)
    assert reached.holds(FrontierPolicy(pages_max=10), 0.0, "quit")
    assert reached.holds(FrontierPolicy(pages_max=9), 0.0, "quit")
    assert not reached.holds(FrontierPolicy(pages_max=11), 0.0, "quit")
    assert not reached.holds(FrontierPolicy(), 0.0, "quit")
    assert not EndRecord(CrawlEnd.TIME, 60.0).holds(FrontierPolicy(), 61.0, "quit")
    assert EndRecord(CrawlEnd.FINISHED).holds(FrontierPolicy(), 0.0, "quit")
