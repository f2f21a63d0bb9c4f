"""How fast is a whole crawl, and what does a page cost?

The simulated web stands behind its proxy in a process of its own; pages have about
16 kB and 60 links; there are enough hosts that politeness does not bind. Everything
is on: parse, text, languages, ratings, comparison with all other texts, WARC, frontier; with `--plain` texts
are not judged. Prints pages a second and CPU by process, and in the same minutes the
time that parsing one such page takes alone: machines are shared, so compare runs by the ratio of the two.

    python bench/crawl_speed.py --seconds 40 --harvesters 1
"""

import argparse
import statistics
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import psutil
from rig import PLAIN, Pace, cpu_seconds, parse_seconds, tiptoe_command, write_seeds

from tiptoe.testing.served import SpawnedWeb, spawn_web
from tiptoe.testing.shape import WebShape

WARM_UP_SECONDS = 15
"""Before that, names are looked up and most requests are for robots.txt."""


class Sample(NamedTuple):
    """What was seen at one moment."""

    at: float
    pages: int
    spent: dict[str, float]  # CPU seconds
    memory_bytes: int
    harvesters: int  # processes whose time is in `spent`


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--hosts", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, default=5_000)
    parser.add_argument("--harvesters", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="crawl into this directory and keep it")
    parser.add_argument("--plain", action="store_true", help="no languages, ratings and comparisons of texts")
    parser.add_argument("--set", action="append", default=[], help="further settings")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = options.keep or Path(scratch) / "crawl"
        with spawn_web(replace(WebShape.bench(), hosts=options.hosts)) as web:
            seeds = write_seeds(web, Path(scratch) / "seeds.txt", options.seeds)
            command = tiptoe_command(
                web, seeds, out, seconds=options.seconds, pace=Pace(), harvesters=options.harvesters,
                more=[*(PLAIN if options.plain else ()), *options.set],
            )  # fmt: skip
            measure(subprocess.Popen(command), web, out)


def measure(crawl: subprocess.Popen[bytes], web: SpawnedWeb, out: Path) -> None:
    """Watch the processes until the crawl ends; print what a page cost after the warm-up."""
    from tiptoe.cli.control import ask
    from tiptoe.errors import CrawlerError
    from tiptoe.keeper.protocol import Command

    keeper = psutil.Process(crawl.pid)
    samples: list[Sample] = []
    page = web.web.respond("h000001-en.example", "/").body
    parses: list[float] = []
    while crawl.poll() is None:
        time.sleep(1.0)
        parses.append(parse_seconds(page))
        try:
            figures = ask(out, Command("status"))
            spent = {"keeper": cpu_seconds(keeper), "web": cpu_seconds(psutil.Process(web.pid))}
            harvesters = keeper.children()
            spent["harvesters"] = sum(cpu_seconds(child) for child in harvesters)
            memory = keeper.memory_info().rss
        except (CrawlerError, psutil.Error, OSError):
            continue
        pages = int(str(figures["pages"]))
        samples.append(Sample(time.monotonic(), pages, spent, memory, len(harvesters)))
    measured = with_everybody(samples[WARM_UP_SECONDS:])
    if len(measured) < 2:
        raise SystemExit(f"too short to measure: let it run for more than {WARM_UP_SECONDS + 2} seconds")
    print_table(measured[0], measured[-1], statistics.median(parses[WARM_UP_SECONDS:]))


def with_everybody(samples: list[Sample]) -> list[Sample]:
    """Return the samples in which no harvester is missing: when the crawl ends they go one by one."""
    most = max((sample.harvesters for sample in samples), default=0)
    return [sample for sample in samples if sample.harvesters == most]


def print_table(first: Sample, last: Sample, parse: float) -> None:
    seconds, pages = last.at - first.at, last.pages - first.pages
    spent = {name: last.spent[name] - first.spent[name] for name in last.spent}
    cost = {name: used / pages * 1000 for name, used in spent.items()}
    ours = cost["keeper"] + cost["harvesters"]
    harvested = spent["harvesters"]
    busy = harvested / seconds
    print(f"{pages} pages in {seconds:.1f} s: {pages / seconds:.0f} pages/s")
    print(f"  per harvester core: {pages / harvested:.0f} pages/s (bar 1000)")
    print(f"  tiptoe: {ours:.3f} ms CPU a page (bar 1.3)")
    print(f"  harvesters {cost['harvesters']:.3f}, keeper {cost['keeper']:.3f} ms")
    print(f"  keeper's share: {cost['keeper'] / ours:.1%} (bar 20 %); harvesters busy {busy:.2f} cores")
    ratio = ours / 1000 / parse
    print(f"  parsing such a page takes {parse * 1e6:.0f} us now: a whole page costs {ratio:.1f} parses")
    print(
        f"  simulated web: {cost['web']:.3f} ms CPU a page; keeper's memory {last.memory_bytes / 1e6:.0f} MB"
    )


if __name__ == "__main__":
    main()
