"""What a harvester holds, and how it is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.visits import COUNT_BITS, SHARD_BITS, shard_of_visit, visit_id
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore

shards = st.integers(0, (1 << SHARD_BITS) - 1)
counts = st.integers(1, (1 << COUNT_BITS) - 1)


@given(shards, counts, shards, counts)
def test_visits_of_two_shards_never_have_the_same_id(shard: int, count: int, other: int, number: int) -> None:
    """A harvester may hold visits of several shards; one id for two would settle the wrong one."""
    assert (visit_id(shard, count) == visit_id(other, number)) == ((shard, count) == (other, number))
    assert 0 < visit_id(shard, count) < 1 << 63
    assert shard_of_visit(visit_id(shard, count)) == shard


def test_in_a_crawl_without_shards_visits_are_counted_from_one() -> None:
    """They stand in the request log and are read by people."""
    assert [visit_id(0, count) for count in (1, 2, 3)] == [1, 2, 3]


@pytest.mark.parametrize(("shard", "count"), [(1 << SHARD_BITS, 1), (-1, 1), (0, 1 << COUNT_BITS), (0, 0)])
def test_ids_that_would_run_into_each_other_are_refused(shard: int, count: int) -> None:
    with pytest.raises(AssertionError, match="out of range"):
        visit_id(shard, count)


def first_visit(store: MemoryStore, shard: int, host: str) -> int:
    frontier = Frontier(store, FrontierPolicy(), shard=shard)
    frontier.recover(0.0)
    frontier.tick(0.0)
    frontier.add([Request(f"http://{host}/")], 0.0)
    frontier.resolved_all([(host, f"192.0.2.{len(host)}", "")], 0.0)
    (visit,) = frontier.visits(1, "h", 1000.0)
    return visit.id


def test_a_shard_goes_on_counting_wherever_its_tables_are_opened() -> None:
    """Ids that were given out by the agent that held it before are not given out again."""
    tables, others = MemoryStore(), MemoryStore()
    ids = [first_visit(tables, 7, "a.example"), first_visit(tables, 7, "bb.example")]
    ids.append(first_visit(others, 8, "a.example"))
    assert ids == [visit_id(7, 1), visit_id(7, 2), visit_id(8, 1)]
