"""What one run of a crawl leaves to the next."""

import pytest

from tiptoe.frontier.runs import Runs
from tiptoe.frontier.step import Step
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Store

PAUSE = 300.0


def runs_of(store: Store) -> Runs:
    return Runs(Step(store, hosts_cached_max=9))


@pytest.mark.parametrize("ends_well", [True, False])
def test_moments_are_counted_on_as_long_as_the_machine_runs(ends_well: bool) -> None:
    """A wall clock that was set forward would end every pause and every Retry-After at once."""
    store = MemoryStore()
    runs = runs_of(store)
    assert runs.offset("boot 1") is None
    runs.begin("boot 1", 1000.5, now=0.0, rest=PAUSE)
    if ends_well:
        runs.end()
    assert runs_of(store).offset("boot 1") == 1000.5
    assert runs_of(store).offset("boot 2") is None


def test_where_nobody_can_tell_one_start_of_the_machine_from_another_the_wall_counts() -> None:
    store = MemoryStore()
    runs_of(store).begin("", 1000.5, now=0.0, rest=PAUSE)
    assert runs_of(store).offset("") is None


def test_nobody_is_asked_for_a_while_when_the_machine_went_down() -> None:
    """The last writes may be missing, and with them who was asked last."""
    store = MemoryStore()
    assert runs_of(store).begin("boot 1", 0.0, now=10.0, rest=PAUSE) <= 10.0
    assert runs_of(store).begin("boot 1", 0.0, now=20.0, rest=PAUSE) <= 20.0  # only killed
    assert runs_of(store).begin("boot 2", 0.0, now=30.0, rest=PAUSE) == 30.0 + PAUSE


@pytest.mark.parametrize("ends_well", [True, False])
def test_that_rest_is_not_cut_short_by_another_start(ends_well: bool) -> None:
    """Who stops the crawl and starts it again has not waited."""
    store = MemoryStore()
    runs_of(store).begin("boot 1", 0.0, now=10.0, rest=PAUSE)
    after = runs_of(store)
    after.begin("boot 2", 0.0, now=30.0, rest=PAUSE)
    if ends_well:
        after.end()
    assert runs_of(store).begin("boot 2", 0.0, now=40.0, rest=PAUSE) == 30.0 + PAUSE


def test_a_rest_is_never_longer_than_a_pause() -> None:
    """The wall clock was set back by a year while the machine was down."""
    store = MemoryStore()
    runs_of(store).begin("boot 1", 0.0, now=1e9, rest=PAUSE)
    runs_of(store).begin("boot 2", 0.0, now=1e9, rest=PAUSE)
    runs_of(store).end()
    assert runs_of(store).begin("boot 3", 0.0, now=9e8, rest=PAUSE) == 9e8 + PAUSE


def test_a_run_that_ended_well_leaves_no_rest() -> None:
    store = MemoryStore()
    runs = runs_of(store)
    runs.begin("boot 1", 0.0, now=10.0, rest=PAUSE)
    runs.end()
    assert runs_of(store).begin("boot 2", 0.0, now=20.0, rest=PAUSE) <= 20.0


def test_everybody_rests_when_ranges_of_networks_are_changed() -> None:
    """Hosts of an address may have been asked one by one, and now take turns."""
    store = MemoryStore()
    network = ("192.0.2.0/24",)
    for ranges, now, is_rest in [(network, 0.0, False), (network, 9.0, False), ((), 20.0, True)]:
        runs = runs_of(store)
        assert (runs.begin("boot 1", 0.0, now=now, rest=PAUSE, ranges=ranges) > now) is is_rest
        runs.end()
