"""Does everybody get its share, and does nothing move that need not?"""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.cluster.assignment import UNLABELLED, Contender, assign

NAMES = [f"agent-{number}" for number in range(12)]
contenders = st.lists(
    st.builds(
        Contender,
        name=st.sampled_from(NAMES),
        weight=st.integers(1, 5),
        takes=st.frozensets(st.sampled_from([UNLABELLED, "sk", "campus"]), min_size=1),
    ),
    min_size=1,
    unique_by=lambda contender: contender.name,
)
labels = st.lists(st.sampled_from([UNLABELLED, UNLABELLED, "sk", "campus"]), max_size=70)


def agents(count: int) -> list[Contender]:
    return [Contender(name) for name in NAMES[:count]]


def loads(assigned: dict[int, str]) -> list[int]:
    return sorted(Counter(assigned.values()).values())


def moved(before: dict[int, str], after: dict[int, str]) -> set[int]:
    return {shard for shard in before if before[shard] != after[shard]}


@pytest.mark.parametrize("count", range(1, 11))
def test_loads_differ_by_one_at_most(count: int) -> None:
    """The crawl is as slow as its fullest agent."""
    shares = loads(assign([UNLABELLED] * 64, agents(count), {}))

    assert sum(shares) == 64
    assert len(shares) == count
    assert shares[-1] - shares[0] <= 1


@pytest.mark.parametrize("count", range(1, 10))
def test_one_that_joins_gets_its_share_and_nothing_else_moves(count: int) -> None:
    """Every move is a shard that does not crawl for a moment."""
    before = assign([UNLABELLED] * 64, agents(count), {})
    after = assign([UNLABELLED] * 64, agents(count + 1), before)

    assert len(moved(before, after)) == 64 // (count + 1)
    assert {after[shard] for shard in moved(before, after)} == {NAMES[count]}


@pytest.mark.parametrize("count", range(2, 11))
def test_of_one_that_leaves_only_its_own_shards_move(count: int) -> None:
    """What others hold has nothing to do with it."""
    before = assign([UNLABELLED] * 64, agents(count), {})
    after = assign([UNLABELLED] * 64, agents(count - 1), before)

    assert moved(before, after) == {shard for shard, name in before.items() if name == NAMES[count - 1]}
    assert loads(after)[-1] - loads(after)[0] <= 1


def test_after_a_restart_of_all_everybody_finds_its_shards() -> None:
    """Their rows are on its disk."""
    first = assign([UNLABELLED] * 64, agents(5), {})
    assert assign([UNLABELLED] * 64, agents(5), {}) == first
    assert assign([UNLABELLED] * 64, agents(5), first) == first


def test_an_agent_of_twice_the_weight_takes_twice_as_much() -> None:
    """Machines differ."""
    assigned = assign([UNLABELLED] * 60, [Contender("small"), Contender("large", weight=2)], {})
    assert Counter(assigned.values()) == {"small": 20, "large": 40}


def test_a_label_goes_to_those_who_take_it_and_to_others_only_without_them() -> None:
    """An affinity is a wish; that hosts are crawled at all is more."""
    plan = [UNLABELLED] * 12 + ["sk"] * 4
    here = Contender("here", takes=frozenset({"sk"}))
    both = [*agents(2), here]

    apart = assign(plan, both, {})
    assert {apart[shard] for shard in range(12, 16)} == {"here"}
    assert {apart[shard] for shard in range(12)} == {NAMES[0], NAMES[1]}

    without = assign(plan, agents(2), apart)
    assert {without[shard] for shard in range(12, 16)} == {NAMES[0], NAMES[1]}
    assert moved(apart, without) == set(range(12, 16))

    assert assign(plan, both, without) == apart
    assert set(assign(plan, [here], {}).values()) == {"here"}


@given(labels, contenders, st.dictionaries(st.integers(0, 69), st.sampled_from([*NAMES, ""])))
def test_shares_are_fair_whoever_held_what_before(
    plan: list[str], among: list[Contender], holders: dict[int, str]
) -> None:
    """However odd the past: everything is assigned, to those who may, within one of a fair share."""
    assigned = assign(plan, among, holders)

    assert set(assigned) == set(range(len(plan)))
    for label in set(plan):
        takers = [one for one in among if label in one.takes] or among
        total = sum(one.weight for one in takers)
        shards = [shard for shard, its in enumerate(plan) if its == label]
        held = Counter(assigned[shard] for shard in shards)
        assert set(held) <= {one.name for one in takers}
        for one in takers:
            assert abs(held[one.name] - len(shards) * one.weight / total) < 1
    assert assign(plan, list(reversed(among)), holders) == assigned
    assert assign(plan, among, assigned) == assigned  # it has arrived


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from([UNLABELLED, UNLABELLED, "sk"]), max_size=24),
    contenders,
    st.dictionaries(st.integers(0, 23), st.sampled_from([*NAMES, ""])),
    st.randoms(),
)
def test_moves_made_one_by_one_in_any_order_move_no_shard_twice(
    plan: list[str], among: list[Contender], holders: dict[int, str], chance: Random
) -> None:
    """Agents decide anew after every move: each must bring them nearer to where nothing is left to move."""
    now = {shard: holders.get(shard, "") for shard in range(len(plan))}
    misplaced = {shard: name for shard, name in assign(plan, among, now).items() if now[shard] != name}
    while misplaced:
        shard = chance.choice(sorted(misplaced))
        now[shard] = misplaced[shard]
        left = {shard: name for shard, name in assign(plan, among, now).items() if now[shard] != name}
        assert set(left) <= set(misplaced) - {shard}
        misplaced = left


def test_without_agents_nothing_is_assigned() -> None:
    assert assign([UNLABELLED] * 3, [], {0: "gone"}) == {}
