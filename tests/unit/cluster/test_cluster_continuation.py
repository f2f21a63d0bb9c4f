"""What a crawl on many machines does when nothing is left to request."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest

from simulated.agent_world import AgentWorld
from tiptoe.cluster.crawl_end import Continuation, CrawlEnd, EndRecord, IdleShard, continuation_of
from tiptoe.cluster.crawl_ending import CONTINUED_KEY
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.protocol.operator import Reconfigure
from tiptoe.protocol.status import Cause
from tiptoe.url.wish import read_wish

HOUR = 3600.0


def shards(*, requests: int = 9, rounds: int = 0, can_loop: bool = True) -> list[IdleShard]:
    """Two idle shards, of which the second has nothing to visit again."""
    first = IdleShard(0, 1, 1, requests=requests, rounds=rounds, can_loop=can_loop)
    return [first, IdleShard(1, 1, 1, rounds=rounds)]


@contextmanager
def played(on_end: str, seed: int = 1) -> Iterator[AgentWorld]:
    """Let three agents begin a crawl; at the end, tell them to quit, and judge what they did."""
    world = AgentWorld(seed, on_end=on_end)
    try:
        for number in range(3):
            world.start(number)
        yield world
        assert world.operator.give(Reconfigure({"crawl.on_end": "quit"})).is_complete
        assert world.run(until=12 * HOUR), f"it never ends: {world.living()}"
        assert world.rudeness() == []
    finally:
        world.close()


def run_until_continued(world: AgentWorld, times: int) -> None:
    """Crawl until every living agent has heard so often that the crawl goes on."""
    is_over = world.timeline.run(
        until=12 * HOUR, is_over=lambda: all(life.continued >= times for life in world.living())
    )
    assert is_over, f"it has not gone on {times} times"
    assert not world.has_ended


def asked(world: AgentWorld) -> Counter[str]:
    return Counter(one.url for one in world.served if not one.url.endswith("robots.txt"))


def test_each_round_visits_every_page_once_more() -> None:
    """Whichever agents hold the shards, and although nothing is due."""
    with played("loop") as world:
        run_until_continued(world, 2)
        assert set(asked(world).values()) == {2}
    assert asked(world) == dict.fromkeys(world.web.pages(), 3)
    rounds = {held.frontier.rounds.number for life in world.lives for held in life.frontier.held}
    assert rounds <= {2}


def test_a_round_goes_on_when_an_agent_dies() -> None:
    """With its disk: the others know from the logs how far its shards had come."""
    with played("loop", seed=4) as world:
        run_until_continued(world, 1)
        world.run(until=world.timeline.now + 40.0)
        world.begin("burn", 0)
    assert asked(world).keys() == world.web.pages()
    assert min(asked(world).values()) == 2
    again = [url for url, times in asked(world).items() if times > 2]
    assert len(again) < 20  # under way when it died


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_a_round_leaves_nothing_out(seed: int) -> None:
    """Deaths, burnt disks, standstills, cuts, lost answers, blocks and pauses, while rounds begin and end."""
    world = AgentWorld(seed, on_end="loop")
    began_at: dict[int, float] = {}
    try:
        world.trouble(until=900.0)
        # A round in which all hosts are blocked is empty, and the last.
        is_over = world.timeline.run(
            until=12 * HOUR, is_over=lambda: note_round(world, began_at) >= 3 or world.has_ended
        )
        assert is_over
        assert world.rudeness() == []
        banned = {ban.target for ban in world.operator.bans}
        wishes = [read_wish(target) for target in world.operator.wished]
        moments: dict[str, list[float]] = {}
        for served in world.served:
            is_forgotten = any(wish.covers(served.url) for wish in wishes)
            if not is_forgotten and served.host not in banned and served.address not in banned:
                moments.setdefault(served.url, []).append(served.at)
        missed = [
            (url, number)
            for url, asked_at in moments.items()
            for number in range(1, max(began_at))
            if not url.endswith("robots.txt") and asked_at[0] < began_at[number]
            and not any(began_at[number] <= at <= began_at[number + 1] for at in asked_at)
        ]  # fmt: skip
        assert missed == []
    finally:
        world.close()


def note_round(world: AgentWorld, began_at: dict[int, float]) -> int:
    """Note when the crawl came to its present round, and return the number of that."""
    number = round_of(world)
    began_at.setdefault(number, world.timeline.now)
    return number


def round_of(world: AgentWorld) -> int:
    """Return the round that the crawl is in, as its agents are told."""
    found = world.broker.get(CONTINUED_KEY)
    if found is None or found.value is None:
        return 0
    return msgspec.msgpack.decode(found.value, type=Continuation).rounds


def test_rounds_are_counted_once_however_many_shards_there_are() -> None:
    with played("loop") as world:
        run_until_continued(world, 1)
        rounds = sum(
            held.frontier.counters.totals.rounds for life in world.living() for held in life.frontier.held
        )
    assert rounds == 1


def test_an_idle_crawl_goes_on_until_it_is_told_otherwise() -> None:
    """And says for what it waits."""
    with played("idle") as world:
        run_until_continued(world, 1)
        world.run(until=world.timeline.now + HOUR / 4)
        assert not world.has_ended
        assert {life.continued for life in world.living()} == {1}
        causes = {reason.cause for life in world.living() for reason in life.frontier.waiting(0.0).reasons}
        assert Cause.IDLE in causes
    assert world.judge() == []


@pytest.mark.parametrize("on_end", ["quit", "watch"])
def test_others_end(on_end: str) -> None:
    assert continuation_of(shards(), on_end, Continuation()) is None


def test_a_round_in_which_there_is_nothing_to_visit_is_the_last() -> None:
    assert continuation_of(shards(can_loop=False), "loop", Continuation(1, 5, 1)) is None


def test_the_next_round_is_one_that_no_shard_has_begun() -> None:
    """Shards that come from a crawl on one machine have had rounds of which the key knows nothing."""
    assert continuation_of(shards(rounds=3), "loop", Continuation()) == Continuation(1, 9, 4)
    assert continuation_of(shards(rounds=4), "loop", Continuation(1, 9, 4)) == Continuation(2, 9, 5)


def test_a_crawl_that_goes_on_idling_is_told_nothing_new() -> None:
    """The operator's command is run once for each end, not every few seconds."""
    begun = continuation_of(shards(), "idle", Continuation())
    assert begun == Continuation(1, 9, 0)
    assert continuation_of(shards(), "idle", begun) == begun
    assert continuation_of(shards(requests=11), "idle", begun) == Continuation(2, 11, 0)


def test_a_finished_crawl_goes_on_if_that_is_wanted_since() -> None:
    policy = FrontierPolicy()
    assert EndRecord(CrawlEnd.FINISHED, on_end="quit").holds(policy, 0.0, "quit")
    assert not EndRecord(CrawlEnd.FINISHED, on_end="quit").holds(policy, 0.0, "loop")
    assert not EndRecord(CrawlEnd.FINISHED).holds(policy, 0.0, "idle")


def test_a_loop_that_had_nothing_to_visit_has_ended_for_all() -> None:
    """Otherwise each agent would have to find that out again."""
    assert EndRecord(CrawlEnd.FINISHED, on_end="loop").holds(FrontierPolicy(), 0.0, "loop")
