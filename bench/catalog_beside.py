"""How much does building a catalog while crawling cost the crawl?

The same crawl of the simulated web, up to a number of pages, with and without `--catalog` in turns. Prints
the CPU time per page of all processes from beginning to end, which includes starting and finishing the
catalog, and the ratio of the two; the bar is 1.10. On a shared machine one run may be slow and the next fast,
so the CPU time of the catalog process relative to the rest of the same crawl is printed as well; it varies
less.

Pages of the simulated web are mostly text; of real ones, text is a twentieth. `--data` crawls the pages of a
folder, as `real_pages.py` does.

    python bench/catalog_beside.py --pages 20000 --rounds 3
    python bench/catalog_beside.py --data DATA --pages 5000 --hosts 1000
"""

import argparse
import contextlib
import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
from real_pages import host_name, stock_of
from rig import PLAIN, Pace, tiptoe_command, write_seeds
from stored_web import StoredWeb, serve_stored

from tiptoe.cli.exits import Exit
from tiptoe.errors import CrawlerError
from tiptoe.testing.served import SpawnedWeb, spawn_web
from tiptoe.testing.shape import WebShape

LOOK_SECONDS = 0.1
COMPANION = ("catalog", "build")
STOCK_FACTOR = 1.5
"""Number of real pages to prepare for each wanted one."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one crawl took, in CPU seconds except for the wall clock."""

    texts: int
    crawl: float  # keeper, harvesters and segmenter
    catalog: float
    clock: float

    @property
    def page_ms(self) -> float:
        """CPU milliseconds of all processes, for each text of the corpus."""
        return (self.crawl + self.catalog) / self.texts * 1000

    @property
    def share(self) -> float:
        """CPU time of the catalog relative to the rest of the same crawl."""
        return self.catalog / self.crawl

    def __str__(self) -> str:
        beside = f"; the catalog {self.share:.1%} of the rest" if self.catalog else ""
        return f"{self.page_ms:.3f} ms CPU a page ({self.texts} in {self.clock:.0f} s{beside})"


def main() -> int:
    options = _parser().parse_args()
    pairs: list[tuple[Spent, Spent]] = []
    try:
        for place in range(options.rounds):
            order = (False, True) if place % 2 == 0 else (True, False)
            done = {with_catalog: crawl(options, with_catalog=with_catalog) for with_catalog in order}
            pairs.append((done[False], done[True]))
            print(f"round {place + 1}/{options.rounds}: without {done[False]}; with {done[True]}", flush=True)
    except CrawlerError as error:
        print(f"catalog_beside: {error}", file=sys.stderr)
        return 1
    print("median (lowest to highest)")
    print(f"  CPU a page with and without: {spread([with_.page_ms / bare.page_ms for bare, with_ in pairs])}")
    print(f"  CPU of the catalog beside the rest: {spread([1 + with_.share for _, with_ in pairs])}")
    return 0


def crawl(options: argparse.Namespace, *, with_catalog: bool) -> Spent:
    """Crawl a fresh web."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "crawl")
        more = [
            f"crawl.max_pages={options.pages}", f"catalog.enabled={str(with_catalog).lower()}",
            *(PLAIN if options.plain else ()), *options.set,
        ]  # fmt: skip
        seeds = Path(scratch, "seeds.txt")
        with served(options, seeds) as web:
            command = tiptoe_command(web, seeds, out, seconds=options.seconds, pace=Pace(), more=more)
            began_at = time.monotonic()
            crawl_seconds, catalog_seconds = _watched(command)
        texts = sum(_lines(path) for path in (out / "corpus").glob("*.jsonl*"))
        if not texts:
            raise CrawlerError("the crawl has brought no text, so there is nothing to measure")
        return Spent(texts, crawl_seconds - catalog_seconds, catalog_seconds, time.monotonic() - began_at)


@contextlib.contextmanager
def served(options: argparse.Namespace, seeds: Path) -> Iterator[SpawnedWeb | StoredWeb]:
    """Serve real pages, if given, or simulated ones; write their seeds."""
    if options.data is None:
        with spawn_web(replace(WebShape.bench(), hosts=options.hosts)) as simulated:
            write_seeds(simulated, seeds, options.hosts)
            yield simulated
        return
    wanted = int(options.pages * STOCK_FACTOR)
    with serve_stored(
        functools.partial(stock_of, options.data, wanted=wanted, hosts=options.hosts)
    ) as stored:
        seeds.write_text("".join(f"http://{host_name(index)}/\n" for index in range(options.hosts)))
        yield stored


def _watched(command: Sequence[str]) -> tuple[float, float]:
    """Run a crawl; return the CPU seconds of all its processes, and of its catalog alone."""
    crawler = subprocess.Popen(command)
    family = psutil.Process(crawler.pid)
    catalog: psutil.Process | None = None
    catalog_seconds = 0.0
    while True:
        # The kernel's final figures include all children that the process waited for.
        pid, status, used = os.wait4(crawler.pid, os.WNOHANG)
        if pid:
            break
        with contextlib.suppress(psutil.Error):
            if catalog is None or not catalog.is_running():
                catalog = next((one for one in family.children() if _is_catalog(one)), None)
            if catalog is not None:
                spent = catalog.cpu_times()
                catalog_seconds = max(catalog_seconds, spent.user + spent.system)
        time.sleep(LOOK_SECONDS)
    if os.waitstatus_to_exitcode(status) not in (Exit.DONE, Exit.LIMIT):
        raise CrawlerError(f"the crawl failed ({status}); its own message says why")
    return used.ru_utime + used.ru_stime, catalog_seconds


def _is_catalog(process: psutil.Process) -> bool:
    words = process.cmdline()
    return all(word in words for word in COMPANION)


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def spread(ratios: Sequence[float]) -> str:
    return f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=20_000, help="of each crawl (20000)")
    parser.add_argument("--seconds", type=int, default=900, help="it may take at most (900)")
    parser.add_argument("--hosts", type=int, default=5_000)
    parser.add_argument("--data", type=Path, help="a folder with real pages")
    parser.add_argument("--rounds", type=int, default=3, help="pairs of crawls (3)")
    parser.add_argument("--plain", action="store_true", help="no main text, languages, ratings, comparisons")
    parser.add_argument("--set", action="append", default=[], help="further settings")
    return parser


if __name__ == "__main__":
    sys.exit(main())
