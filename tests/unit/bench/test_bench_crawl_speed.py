"""Does the bench of a whole crawl measure what it says?"""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCH = Path(__file__).parents[3] / "bench"


@pytest.fixture
def bench() -> Iterator[ModuleType]:
    """Benchmarks are scripts beside each other, as `python bench/crawl_speed.py` finds them."""
    sys.path.insert(0, str(BENCH))
    yield importlib.import_module("crawl_speed")
    sys.path.remove(str(BENCH))


def sample(bench: ModuleType, at: float, pages: int, harvested: float, harvesters: int = 2) -> Any:
    spent = {"keeper": at / 10, "web": at, "harvesters": harvested}
    return bench.Sample(at, pages, spent, 50_000_000, harvesters)


def test_a_harvester_that_has_left_is_not_taken_for_one_that_cost_nothing(
    bench: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its time would be missing at the end, and a page would have cost less than nothing."""
    whole = [sample(bench, 0.0, 0, 10.0), sample(bench, 10.0, 10_000, 20.0)]
    measured = bench.with_everybody([*whole, sample(bench, 11.0, 10_100, 11.0, harvesters=1)])
    assert measured == whole
    bench.print_table(measured[0], measured[-1], 0.001)
    printed = capsys.readouterr().out
    assert "10000 pages in 10.0 s: 1000 pages/s" in printed
    assert "per harvester core: 1000 pages/s" in printed
    assert "harvesters 1.000, keeper 0.100 ms" in printed


def test_no_samples_are_no_samples(bench: ModuleType) -> None:
    assert bench.with_everybody([]) == []
