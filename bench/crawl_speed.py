"""How fast is a whole crawl, and what does a page cost?

The simulated web runs behind its proxy in a process of its own; pages have about
16 kB and 60 links; there are enough hosts that politeness does not bind. Everything
is on: parse, text, languages, ratings, comparison with all other texts, WARC, frontier; with `--plain` texts
are not judged. Prints pages per second and CPU by process, and, measured in the
same minutes, the time for parsing one such page: machines are shared, so compare runs by the ratio of the
two.

`--against` measures the cost of a setting: it crawls with and without it in turns, several times each, every
second pair in reverse order. It compares the CPU time per page of keeper and harvesters together; the ratio
is taken within each pair, since a slow minute is slow for both.

examples:
    python bench/crawl_speed.py --seconds 40 --harvesters 1
    python bench/crawl_speed.py --against text.duplicity=false --rounds 6
    python bench/crawl_speed.py --set text.duplicity=false --against text.detect_language=false
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crawl_window import WARM_UP_SECONDS, Window, watch
from rig import PLAIN, Pace, parse_seconds, tiptoe_command, write_seeds

from tiptoe.errors import CrawlerError
from tiptoe.settings.layers import Settings
from tiptoe.testing.served import spawn_web
from tiptoe.testing.shape import WebShape


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl, and the time for parsing one of its pages in the same minute."""

    window: Window
    parse_seconds: float

    @property
    def parses(self) -> float:
        """The cost of a page, in units of parsing it once."""
        return self.window.ours_ms / 1000 / self.parse_seconds


def main() -> int:
    options = _parser().parse_args()
    own = [*(PLAIN if options.plain else ()), *options.set]
    try:
        if options.against:
            compare(options, own, [*own, *options.against])
        else:
            print_table(crawl(options, own))
    except CrawlerError as error:
        print(f"crawl_speed: {error}", file=sys.stderr)
        return 1
    return 0


def crawl(options: argparse.Namespace, settings: Sequence[str]) -> Run:
    """Crawl a fresh web with these settings."""
    with tempfile.TemporaryDirectory() as scratch:
        out = options.keep or Path(scratch) / "crawl"
        with spawn_web(replace(WebShape.bench(), hosts=options.hosts)) as web:
            seeds = write_seeds(web, Path(scratch) / "seeds.txt", options.seeds)
            command = tiptoe_command(
                web, seeds, out, seconds=options.seconds, pace=Pace(), harvesters=options.harvesters,
                more=settings,
            )  # fmt: skip
            page = web.web.respond("h000001-en.example", "/").body
            parses: list[float] = []
            window = watch(
                subprocess.Popen(command), web.pid, out,
                is_to_settle=options.seeds >= options.hosts,
                on_look=lambda: parses.append(parse_seconds(page)),
            )  # fmt: skip
    return Run(window, statistics.median(parses))


def print_table(run: Run) -> None:
    window = run.window
    harvested = window.spent["harvesters"]
    share = window.ms("keeper") / window.ours_ms
    print(f"{window.pages} pages in {window.seconds:.1f} s: {window.pages_per_second:.0f} pages/s")
    print(f"  per harvester core: {window.pages / harvested:.0f} pages/s (bar 1000)")
    print(f"  tiptoe: {window.ours_ms:.3f} ms CPU a page (bar 1.3)")
    print(f"  harvesters {window.ms('harvesters'):.3f}, keeper {window.ms('keeper'):.3f} ms")
    print(f"  keeper's share: {share:.1%} (bar 20 %); harvesters busy {harvested / window.seconds:.2f} cores")
    parse = f"{run.parse_seconds * 1e6:.0f} us"
    print(f"  parsing such a page takes {parse} now: a whole page costs {run.parses:.1f} parses")
    memory = f"{window.memory_bytes / 1e6:.0f} MB"
    print(f"  simulated web: {window.ms('web'):.3f} ms CPU a page; keeper's memory {memory}")


def compare(options: argparse.Namespace, own: Sequence[str], other: Sequence[str]) -> None:
    """Crawl with both settings in turns and print what the difference costs."""
    Settings.load(None, dict(setting.partition("=")[::2] for setting in other))  # report mistakes at once
    pairs: list[tuple[Run, Run]] = []
    for place in range(options.rounds):
        if place % 2:  # so that neither always runs after the other
            second, first = crawl(options, other), crawl(options, own)
        else:
            first, second = crawl(options, own), crawl(options, other)
        pairs.append((first, second))
        print(
            f"round {place + 1}/{options.rounds}: {first.window.ours_ms:.3f} ms CPU a page, "
            f"with {' '.join(options.against)} {second.window.ours_ms:.3f}",
            flush=True,
        )
    print_comparison(pairs, " ".join(options.against))


def print_comparison(pairs: Sequence[tuple[Run, Run]], changed: str) -> None:
    """Print medians and, in brackets, the extremes of all rounds."""
    print("median (lowest to highest)")
    for name, runs in zip(("as it is", changed), zip(*pairs, strict=True), strict=True):
        windows = [run.window for run in runs]
        cpu = spread_of([window.ours_ms for window in windows], ".3f")
        keeper = statistics.median(window.ms("keeper") for window in windows)
        speed = spread_of([window.pages_per_second for window in windows], ".0f")
        print(f"  {name}: {cpu} ms CPU a page, of which the keeper {keeper:.3f}; {speed} pages/s")
    ratios = [first.window.ours_ms / second.window.ours_ms for first, second in pairs]
    saved = [1 - 1 / ratio for ratio in ratios]
    print(f"ratio of CPU within a round: {spread_of(ratios, '.3f')}")
    print(f"so {changed} saves of the CPU a page: {spread_of(saved, '.1%')}")


def spread_of(values: Sequence[float], form: str) -> str:
    """Return the median and, in brackets, the extremes."""
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seconds",
        type=int,
        default=40,
        help=f"of each crawl; the first {WARM_UP_SECONDS} do not count (40)",
    )
    parser.add_argument("--hosts", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, default=5_000)
    parser.add_argument("--harvesters", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="no main text, languages, ratings, comparisons")
    parser.add_argument("--set", action="append", default=[], help="further settings")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--keep", type=Path, help="crawl into this directory and keep it")
    only.add_argument(
        "--against", action="append", default=[], metavar="SETTING=VALUE", help="compare with this setting"
    )
    parser.add_argument("--rounds", type=int, default=4, help="pairs of crawls for --against (4)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
