"""Everything goes wrong at once, and the crawl is whole in the end."""

import os
from pathlib import Path

import pytest
from journey_chaos import SECONDS_PER_FAULT, run_chaos
from journey_faults import Kind, draw_plan

SEEDS = [25, 69]
FAULTS = 8

ASKED = os.environ.get("TIPTOE_CHAOS_SEED", "")
"""One more seed to try; `PYTHONPATH=tests python tests/journeys/journey_chaos.py --help` runs longer ones."""


@pytest.mark.journey
@pytest.mark.parametrize("seed", [*SEEDS, *([int(ASKED)] if ASKED else [])])
def test_nothing_is_lost_and_nothing_twice_whatever_happens(tmp_path: Path, seed: int) -> None:
    """Processes are killed and stopped, disks are full and slow, lines and answers break off."""
    assert run_chaos(tmp_path, seed, FAULTS * SECONDS_PER_FAULT, print) == []


def test_a_seed_gives_the_same_plan_every_time() -> None:
    """Otherwise nobody could repeat a run that went wrong."""
    assert draw_plan(5, 20) == draw_plan(5, 20)
    assert draw_plan(5, 20) != draw_plan(6, 20)
    assert draw_plan(5, 20).faults[:10] == draw_plan(5, 10).faults


def test_the_seeds_show_every_kind_of_fault_and_both_ways_to_share_the_work() -> None:
    plans = [draw_plan(seed, FAULTS) for seed in SEEDS]
    assert {fault.kind for plan in plans for fault in plan.faults} == set(Kind)
    assert {plan.shares_disk for plan in plans} == {True, False}
