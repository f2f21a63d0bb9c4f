"""What may be heard of a step that concerns several shards, and when."""

from collections.abc import Callable
from typing import cast

import pytest

from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.release_queue import ReleaseQueue
from tiptoe.cluster.shard_clock import ShardClock
from tiptoe.cluster.shard_log import ShardLog
from tiptoe.frontier.frontier import Frontier


class PretendedLog:
    """Acknowledges when it is told to."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], object]] = []

    def after_commit(self, act: Callable[[], object]) -> None:
        self.waiting.append(act)

    def acknowledge(self, count: int = 100) -> None:
        now, self.waiting = self.waiting[:count], self.waiting[count:]
        for act in now:
            act()


class Shards:
    """Two shards, and what has gone out."""

    def __init__(self) -> None:
        self.logs = [PretendedLog(), PretendedLog()]
        self.certain = [True, True]
        self.held = [
            HeldShard(
                number, cast(Frontier, None), cast(ShardLog, self.logs[number]), ShardClock(0.0),
                is_certain=lambda number=number: self.certain[number],  # type: ignore[misc]
            )
            for number in range(2)
        ]  # fmt: skip
        self.releases = ReleaseQueue()
        self.told: list[str] = []

    def put(self, said: str, *shards: int) -> None:
        self.releases.put(lambda: self.told.append(said), [self.held[shard] for shard in shards])


@pytest.fixture
def shards() -> Shards:
    return Shards()


def test_what_concerns_nobody_goes_out_at_once(shards: Shards) -> None:
    shards.put("a")
    assert shards.told == ["a"]


def test_a_step_is_heard_of_when_all_its_shards_have_stored_it(shards: Shards) -> None:
    shards.put("a", 0, 1)
    shards.logs[0].acknowledge()
    assert shards.told == []
    shards.logs[1].acknowledge()
    assert shards.told == ["a"]
    assert len(shards.releases) == 0


def test_what_concerns_one_shard_goes_out_in_order(shards: Shards) -> None:
    """Also when an earlier step waits for another shard as well; others do not wait."""
    shards.put("a", 0, 1)
    shards.put("b", 0)
    shards.logs[0].acknowledge()
    assert shards.told == []
    shards.logs[1].acknowledge()
    assert shards.told == ["a", "b"]


def test_a_late_acknowledgement_lets_nothing_out_while_the_shard_is_not_held_for_sure(shards: Shards) -> None:
    """Another agent could have it by now."""
    shards.put("a", 0)
    shards.certain[0] = False
    shards.logs[0].acknowledge()
    shards.put("b", 1)
    shards.logs[1].acknowledge()
    assert shards.told == ["b"]
    shards.certain[0] = True
    shards.releases.flush()
    assert shards.told == ["b", "a"]


def test_a_lost_shard_is_not_waited_for_and_what_concerns_it_alone_is_never_heard_of(shards: Shards) -> None:
    shards.put("a", 0, 1)
    shards.put("b", 0)
    shards.put("c", 1)
    shards.logs[1].acknowledge()
    shards.releases.lose(shards.held[0])
    assert shards.told == ["a", "c"]
    shards.logs[0].acknowledge()
    assert shards.told == ["a", "c"]


def test_all_that_waited_for_a_lost_shard_goes_out_in_order(shards: Shards) -> None:
    """Also what it had stored, and could not let out because it was not held for sure."""
    shards.certain[0] = False
    shards.put("a", 0, 1)
    shards.put("b", 0, 1)
    for log in shards.logs:
        log.acknowledge()
    assert shards.told == []
    shards.releases.lose(shards.held[0])
    assert shards.told == ["a", "b"]


def test_an_order_is_heard_although_all_its_shards_are_lost(shards: Shards) -> None:
    """Else harvesters that were held would wait for ever to hear that they may go on."""
    shards.releases.put(lambda: shards.told.append("go on"), shards.held, or_lost=True)
    shards.releases.lose(shards.held[0])
    assert shards.told == []
    shards.releases.lose(shards.held[1])
    assert shards.told == ["go on"]
    shards.logs[1].acknowledge()
    assert shards.told == ["go on"]


def test_what_goes_out_may_lead_to_more(shards: Shards) -> None:
    """In the order of the steps all the same."""

    def tell() -> None:
        shards.told.append("a")
        shards.put("c", 0)

    shards.releases.put(tell, [shards.held[0]])
    shards.put("b", 0)
    shards.logs[0].acknowledge()
    shards.logs[0].acknowledge()
    assert shards.told == ["a", "b", "c"]
