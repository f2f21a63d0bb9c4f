"""How many harvesters are enough?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.keeper.scaling import Load, wanted_harvesters

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
