"""How many harvesters are enough?"""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from keeper_samples import make_keeper, member_of

from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.scaling import Load, Scaling, wanted_harvesters

shares = st.floats(0, 1)


def load(
    harvesters: int = 2,
    *,
    cpu: float = 0.5,
    visits: float = 0.5,
    machine: float = 0.5,
    has_work: bool = True,
) -> Load:
    return Load(harvesters, cpu, visits, machine, has_work)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (load(), 2),
        (load(cpu=0.95), 3),
        (load(visits=0.95), 3),
        (load(cpu=0.95, has_work=False), 2),  # nothing for one more to do
        (load(cpu=0.95, machine=0.95), 2),  # nothing for it to run on
        (load(4, cpu=0.95), 4),  # one a processor
        (load(cpu=0.1, visits=0.1), 1),
        (load(cpu=0.1, visits=0.9, has_work=False), 2),  # they wait for slow servers
        (load(1, cpu=0.0, visits=0.0), 1),
    ],
)
def test_the_crew_follows_the_load(now: Load, expected: int) -> None:
    """One more while all are busy and the machine is not, one less while they idle (HAR-3)."""
    assert wanted_harvesters(now, processors=4) == expected


@given(st.integers(1, 8), shares, shares, shares, st.booleans())
def test_it_moves_by_one_and_stays_within_bounds(
    harvesters: int, cpu: float, visits: float, machine: float, has_work: bool
) -> None:
    """No figure may empty the supervisor or fill the machine."""
    wanted = wanted_harvesters(Load(harvesters, cpu, visits, machine, has_work), processors=8)
    assert abs(wanted - harvesters) <= 1
    assert 1 <= wanted <= 8


class Hands:
    """A supervisor that only counts."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __len__(self) -> int:
        return len(self.names)

    def add(self) -> None:
        self.names.append(f"h{len(self.names)}")

    def newest(self) -> str | None:
        return self.names[-1] if self.names else None


def scaled(tmp_path: Path, harvesters: int) -> tuple[Keeper, Scaling, Hands]:
    """Return a keeper whose harvesters are only names."""
    keeper, _ = make_keeper(tmp_path)
    keeper.roster.members.clear()
    hands = Hands()
    keeper.plan = replace(keeper.plan, harvesters=harvesters)
    keeper.supervisor = hands  # type: ignore[assignment]
    keeper.dismiss = lambda member: hands.names.remove(member.name)  # type: ignore[method-assign]
    scaling = Scaling(keeper)
    for _ in range(harvesters):
        hands.add()
    return keeper, scaling, hands


def join(keeper: Keeper, hands: Hands) -> None:
    for name in hands.names:
        member = replace(member_of(), incarnation=f"{name}-0001", name=name)
        keeper.roster.members[member.incarnation] = member


def test_the_number_of_harvesters_follows_the_operator(tmp_path: Path) -> None:
    keeper, scaling, hands = scaled(tmp_path, 1)
    keeper.plan = replace(keeper.plan, harvesters=4)
    scaling.adjust()
    assert len(hands) == 4
    keeper.plan = replace(keeper.plan, harvesters=2)
    scaling.adjust()
    assert len(hands) == 4  # none of the new ones has come yet: nobody to tell
    join(keeper, hands)
    scaling.adjust()
    assert hands.names == ["h0", "h1"]


def test_harvesters_that_have_done_their_share_are_not_replaced(tmp_path: Path) -> None:
    """`harvest.batch_count` lets them go; only a change of the number brings others."""
    _, scaling, hands = scaled(tmp_path, 2)
    hands.names.pop()
    scaling.adjust()
    assert len(hands) == 1
