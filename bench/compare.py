"""How does tiptoe compare with Scrapy and wget on the same web?

One simulated web behind a proxy, the crawlers in turns, several rounds; medians count. The web counts the
pages and judges the manners. Prints a table with the bars that are met or missed, and with --out writes it as
compare.json and compare.svg. Scrapy is installed by name into .bench/ on the first run; wget has to be
installed.

What the figures mean is in docs/discussions/benchmarks.md.

examples:
    python bench/compare.py                                  all three, 3 rounds of 30 s, about 10 minutes
    python bench/compare.py --rounds 1 --seconds 10          a quick look
    python bench/compare.py --only tiptoe,wget --out plots   without Scrapy; table and plot into plots/
    python bench/compare.py --latency                        also: polite hosts that take 100 ms to answer
    python bench/compare.py --scratch /dev/shm               leaving out the disk and its other users
    python bench/compare.py --only latency                   nothing but that
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from compare_crawlers import SCRAPY_TRIES, Starter, install_scrapy, require_wget, scrapy, tiptoe, wget
from compare_latency import measure_latency
from compare_report import Run, figures_of, plot_of, table_of
from compare_window import Window, run_of, tell, watch
from rig import Pace, end_on_sigterm

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

CRAWLERS: Final = ("tiptoe", "scrapy", "wget")
PACE: Final = Pace()
"""The pace that tiptoe keeps, and by which all are judged."""

TRY_WARM_UP_SECONDS: Final = 6.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare; return the exit code: 0 also when a bar is missed, which is a result and not a failure."""
    options = _parser().parse_args(arguments)
    try:
        chosen = _chosen(options.only)
        if options.scratch and not options.scratch.is_dir():
            raise SettingsError(f"--scratch {options.scratch}: no such directory")
        compare(options, chosen)
    except CrawlerError as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def compare(options: argparse.Namespace, chosen: Sequence[str]) -> None:
    """Run everything that was requested; print the table and write the files."""
    about = {
        "web": f"{options.hosts} hosts, pages of 15 kB with 60 links",
        "machine": f"{os.cpu_count()} cores",
    }
    crawlers = [name for name in chosen if name in CRAWLERS]
    starters = _starters(crawlers, options, about)
    runs: list[Run] = []
    for place in range(options.rounds):
        # Each round begins with another crawler, so that none always gets the quiet or the warm machine.
        turn = place % max(len(crawlers), 1)
        for name in [*crawlers[turn:], *crawlers[:turn]]:
            runs.append(_run(name, place, starters[name], options))
            tell(f"round {place + 1}/{options.rounds} {_line(runs[-1])}")
    runs.sort(key=lambda run: (crawlers.index(run.crawler), run.round))
    latency = None
    if options.latency or "latency" in chosen:
        tell(f"latency: {options.polite_hosts} hosts, {options.seconds:g} s")
        window = Window(warm_up=options.warm_up, seconds=options.seconds)
        latency = measure_latency(window, hosts=options.polite_hosts, scratch=options.scratch)
    print(table_of(runs, latency), end="")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        figures = figures_of(runs, latency, about)
        (options.out / "compare.json").write_text(json.dumps(figures, indent=2) + "\n")
        if runs:
            (options.out / "compare.svg").write_text(plot_of(runs, about))
        tell(f"written to {options.out}")


def _starters(
    crawlers: Sequence[str], options: argparse.Namespace, about: dict[str, str]
) -> dict[str, Starter]:
    """Return how each is started; report what is missing before anything runs."""
    starters: dict[str, Starter] = {"tiptoe": tiptoe(PACE)}
    if "wget" in crawlers:
        about["wget"] = require_wget()
        starters["wget"] = wget
    if "scrapy" in crawlers:
        about["scrapy"] = install_scrapy()
        best = _best_try(options)
        about["scrapy"] += f" ({best})"
        starters["scrapy"] = scrapy(SCRAPY_TRIES[best])
    return starters


def _best_try(options: argparse.Namespace) -> str:
    """Return the settings with which Scrapy gets the most pages per CPU second."""
    gains: dict[str, float] = {}
    short = argparse.Namespace(**vars(options) | {"warm_up": TRY_WARM_UP_SECONDS, "seconds": options.tune})
    for name, tried in SCRAPY_TRIES.items() if options.tune else ():
        run = _run("scrapy", 0, scrapy(tried), short)
        gains[name] = run.pages_per_cpu_second
        tell(f"trying {_line(run)} with {name}")
    return max(gains, key=gains.__getitem__) if gains else next(iter(SCRAPY_TRIES))


def _run(name: str, place: int, starter: Starter, options: argparse.Namespace) -> Run:
    shape = replace(WebShape.bench(), hosts=options.hosts)
    window = Window(warm_up=options.warm_up, seconds=options.seconds)
    seen = watch(starter, shape, window, seeds=options.hosts, scratch=options.scratch)
    return run_of(name, place, seen, PACE, SimulatedWeb(shape))


def _line(run: Run) -> str:
    return (
        f"{run.crawler}: {run.pages_per_second:.0f} pages/s, {run.cpu_ms:.2f} ms CPU a page, "
        f"{run.memory_mb:.0f} MB, {run.rude} of {run.judged} requests rude"
    )


def _chosen(only: str) -> list[str]:
    names = [name.strip() for name in only.split(",") if name.strip()]
    unknown = [name for name in names if name not in (*CRAWLERS, "latency")]
    if unknown or not names:
        raise SettingsError(f"--only {only}: choose from {', '.join(CRAWLERS)}, latency")
    return list(dict.fromkeys(names))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=_count, default=3)
    parser.add_argument("--seconds", type=_seconds, default=30.0, help="measured in each run (30)")
    parser.add_argument("--warm-up", type=_seconds, default=15.0, help="before that, not measured (15)")
    parser.add_argument(
        "--tune", type=float, default=8.0, help="seconds for each try of Scrapy's settings; 0: none"
    )
    parser.add_argument("--hosts", type=_count, default=2_500, help="of the web; each is also a seed (2500)")
    parser.add_argument("--only", default=",".join(CRAWLERS), help="some of tiptoe,scrapy,wget,latency")
    parser.add_argument("--latency", action="store_true", help="also measure polite crawling with latency")
    parser.add_argument("--polite-hosts", type=_count, default=300, help="hosts for --latency (300)")
    parser.add_argument("--scratch", type=Path, help="where all crawlers write (the system's directory)")
    parser.add_argument("--out", type=Path, help="write compare.json and compare.svg into this directory")
    return parser


def _count(text: str) -> int:
    if (count := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return count


def _seconds(text: str) -> float:
    if not 1.0 <= (seconds := float(text)) <= 3600.0:
        raise argparse.ArgumentTypeError("from 1 to 3600")
    return seconds


if __name__ == "__main__":
    end_on_sigterm()
    sys.exit(main())
