"""Does the comparison with other crawlers count right?"""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from tiptoe.testing.recorder import Arrival
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

BENCH = Path(__file__).parents[3] / "bench"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", autouse=True)
def bench_can_be_imported() -> Iterator[None]:
    """Benchmarks are scripts beside each other, as `python bench/compare.py` finds them."""
    sys.path.insert(0, str(BENCH))
    yield
    sys.path.remove(str(BENCH))


def report() -> ModuleType:
    return importlib.import_module("compare_report")


def run(crawler: str, pages: int, cpu: float, *, place: int = 0, **more: Any) -> Any:
    values = {"seconds": 10.0, "requests": pages, "web_cpu_seconds": 1.0, "memory_bytes": 5_000_000}
    values |= {"judged": pages, "rude": 0}
    return report().Run(crawler=crawler, round=place, pages=pages, cpu_seconds=cpu, **values | more)


def polite(pages: int) -> Any:
    return report().LatencyRun(
        hosts=100, delay_seconds=1.0, latency_seconds=0.25, seconds=10.0, pages=pages, best_pages=800.0,
        late_mean_seconds=0.002, late_p99_seconds=0.02, starved_share=0.0, rude=0,
    )  # fmt: skip


def test_ratios_are_taken_within_rounds() -> None:
    """A slow minute of the machine slows both: only their ratio in that minute means something."""
    runs = [run("tiptoe", 1000, 1.0), run("wget", 1000, 0.5)]
    runs += [run("tiptoe", 1000, 9.0, place=1), run("wget", 1000, 4.5, place=1)]
    runs += [run("wget", 1000, 100.0, place=2)]
    assert report().ratio_to(runs, "wget", lambda one: one.cpu_ms) == 2.0


def test_bars_are_met_or_missed_as_measured() -> None:
    runs = [run("tiptoe", 1200, 1.0), run("scrapy", 100, 1.0), run("wget", 1200, 0.5)]
    bars = report().bars_of(runs, polite(759))
    assert [bar.is_met for bar in bars] == [True, False, False]
    assert [round(bar.measured, 3) for bar in bars] == [12.0, 2.0, 0.949]
    assert report().bars_of([], polite(760))[0].is_met


def test_bars_need_both_sides() -> None:
    """A run without Scrapy says nothing about Scrapy."""
    assert report().bars_of([run("tiptoe", 1000, 1.0)]) == []
    assert report().bars_of([run("wget", 1000, 1.0), run("scrapy", 1000, 1.0)]) == []


def test_the_table_has_medians_ratios_and_verdicts() -> None:
    runs = [run("tiptoe", 1000, 1.0, place=place, rude=0) for place in range(3)]
    runs += [run("wget", pages, 0.5, place=place, rude=pages) for place, pages in enumerate((500, 700, 900))]
    table = report().table_of(runs, polite(790)).splitlines()
    assert table[3].split()[:4] == ["|", "wget", "|", "70"]
    assert any(line.startswith("| tiptoe / wget |") for line in table)
    assert [line.split()[0] for line in table[-2:]] == ["met", "met"]
    assert "  98.8% of hosts / (pause + answer), the best that the pause allows" in table


def test_a_crawler_that_got_nothing_is_shown_and_divides_nothing_by_zero() -> None:
    runs = [run("tiptoe", 1000, 1.0), run("scrapy", 0, 0.0)]
    assert "inf" in report().table_of(runs)
    assert report().plot_of(runs, {})


def test_the_plot_is_well_formed_whatever_versions_call_themselves() -> None:
    runs = [run("tiptoe", 1000, 1.0), run("wget", 500, 0.5, rude=500)]
    plot = ElementTree.fromstring(report().plot_of(runs, {"wget": "<b>&wget"}))
    widths = [float(bar.get("width", "0")) for bar in plot.findall(f"{SVG}rect")[1:]]
    assert widths[:2] == [400.0, 200.0]
    assert [text.text for text in plot.findall(f"{SVG}text")][-1] == "<b>&wget"


def test_figures_can_be_written_as_json() -> None:
    figures = report().figures_of([run("tiptoe", 1000, 1.0)], polite(790), {"machine": "2 cores"})
    assert json.loads(json.dumps(figures)) == figures
    assert figures["latency"]["share_of_best"] == pytest.approx(0.9875)


def test_a_ratio_that_is_none_is_null_in_json() -> None:
    """`Infinity` is not JSON; readers in other languages stop at it."""
    figures = report().figures_of([run("tiptoe", 1000, 1.0), run("scrapy", 0, 0.0)], None, {})
    assert figures["ratios"]["scrapy"]["pages/s"] is None
    assert [bar["measured"] for bar in figures["bars"]] == [None]


def arrival(at: float, host: str, *, seconds: float = 0.1) -> Arrival:
    return Arrival(at, at + seconds, host, "198.18.0.1", "GET", "/", 200, "bot (+https://example.org)", 1)


def test_lateness_counts_from_the_end_of_the_pause_of_the_same_host() -> None:
    latency = importlib.import_module("compare_latency")
    seen = [arrival(0.0, "a.example"), arrival(0.5, "b.example"), arrival(1.125, "a.example", seconds=0.25)]
    seen.append(arrival(2.5, "a.example"))
    assert latency.lateness(seen, 1.0) == pytest.approx([0.025, 0.125])
    assert latency.answer_seconds(seen) == pytest.approx([0.15, 0.1])


def test_a_request_is_rude_once_however_many_rules_it_breaks() -> None:
    window, rig = importlib.import_module("compare_window"), importlib.import_module("rig")
    seen = [arrival(0.0, "a.example"), arrival(0.05, "a.example")]  # no robots.txt, no pause, two at once
    assert window.rude_requests(seen, rig.Pace(), SimulatedWeb(WebShape.tiny())) == 2
