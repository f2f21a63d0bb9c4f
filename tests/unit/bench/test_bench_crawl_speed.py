"""Does the bench of a whole crawl measure what it says?"""

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tiptoe.errors import CrawlerError

BENCH = Path(__file__).parents[3] / "bench"


@pytest.fixture
def bench() -> Iterator[ModuleType]:
    """Benchmarks are scripts beside each other, as `python bench/crawl_speed.py` finds them."""
    sys.path.insert(0, str(BENCH))
    yield importlib.import_module("crawl_speed")
    sys.path.remove(str(BENCH))


@pytest.fixture
def window(bench: ModuleType) -> ModuleType:
    return importlib.import_module("crawl_window")


def sample(window: ModuleType, at: float, pages: int, harvested: float, harvesters: int = 2) -> Any:
    spent = {"keeper": at / 10, "web": at, "harvesters": harvested}
    return window.Sample(at, pages, spent, 50_000_000, harvesters)


def run(bench: ModuleType, window: ModuleType, cpu_ms: float) -> Any:
    """Return a crawl of a thousand pages in ten seconds, a tenth of whose cost is the keeper's."""
    first, last = (
        window.Sample(at, pages, {"keeper": 0.1 * cpu, "harvesters": 0.9 * cpu, "web": 0.0}, 0, 1)
        for at, pages, cpu in ((0.0, 0, 0.0), (10.0, 1000, cpu_ms))
    )
    return bench.Run(window.Window.between(first, last), 0.001)


def test_a_harvester_that_has_left_is_not_taken_for_one_that_cost_nothing(
    bench: ModuleType, window: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its time would be missing at the end, and a page would have cost less than nothing."""
    whole = [sample(window, 0.0, 0, 10.0), sample(window, 10.0, 10_000, 20.0)]
    measured = window.with_everybody([*whole, sample(window, 11.0, 10_100, 11.0, harvesters=1)])
    assert measured == whole
    bench.print_table(bench.Run(window.Window.between(measured[0], measured[-1]), 0.001))
    printed = capsys.readouterr().out
    assert "10000 pages in 10.0 s: 1000 pages/s" in printed
    assert "per harvester core: 1000 pages/s" in printed
    assert "harvesters 1.000, keeper 0.100 ms" in printed


def test_no_samples_are_no_samples(window: ModuleType) -> None:
    assert window.with_everybody([]) == []


def test_a_setting_is_judged_within_rounds(
    bench: ModuleType, window: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """A minute that was slow for both says nothing about the setting."""
    pairs = [
        (run(bench, window, 1.1), run(bench, window, 1.0)),
        (run(bench, window, 2.2), run(bench, window, 2.0)),
        (run(bench, window, 1.2), run(bench, window, 1.0)),
    ]
    bench.print_comparison(pairs, "text.duplicity=false")
    printed = capsys.readouterr().out
    assert "1.200 (1.100 to 2.200)" in printed
    assert "1.000 (1.000 to 2.000)" in printed
    assert "ratio of CPU within a round: 1.100 (1.100 to 1.200)" in printed
    assert "so text.duplicity=false saves of the CPU a page: 9.1% (9.1% to 16.7%)" in printed


def test_what_a_window_leaves_out_is_counted_from_its_beginning(window: ModuleType) -> None:
    before = sample(window, 0.0, 100, 1.0)._replace(discards={"duplicate": 5}, requests=300, body_bytes=10)
    after = sample(window, 5.0, 200, 2.0)._replace(
        discards={"duplicate": 7, "noindex": 1}, requests=450, body_bytes=90
    )
    seen = window.Window.between(before, after)
    assert (seen.pages, seen.requests, seen.body_bytes) == (100, 150, 80)
    assert seen.discards == {"duplicate": 2, "noindex": 1}


class EndedCrawl:
    """A crawl that has ended before anybody looks."""

    returncode = 0

    def wait(self) -> int:
        return self.returncode


def test_a_crawl_that_lost_a_harvester_is_not_measured(
    window: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one begins at zero: what the first has spent would be taken away again."""
    samples = [sample(window, 0.0, 0, 10.0), sample(window, 9.0, 900, 1.0)._replace(lost_harvesters=1)]
    monkeypatch.setattr(window, "_looks", lambda *_: iter(samples))
    with pytest.raises(CrawlerError, match="a harvester was lost"):
        window.watch(EndedCrawl(), os.getpid(), Path("crawl"))


def test_a_crawl_that_failed_is_not_measured(window: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = EndedCrawl()
    failed.returncode = 2
    monkeypatch.setattr(window, "_looks", lambda *_: iter(()))
    with pytest.raises(CrawlerError, match="exit code 2"):
        window.watch(failed, os.getpid(), Path("crawl"))


def test_rules_read_late_are_not_part_of_what_a_page_costs(window: ModuleType) -> None:
    """On a busy machine hosts are still telling their rules when the warm-up is over."""
    moments = [(0.0, 0, 900), (1.0, 100, 1400), (2.0, 600, 1910), (3.0, 1100, 2410)]
    seen = [sample(window, at, pages, at)._replace(requests=requests) for at, pages, requests in moments]
    assert window.when_settled(seen) == seen[1:]
    assert window.when_settled(seen[:2]) == []
