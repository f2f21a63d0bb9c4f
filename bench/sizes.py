"""How is the same thing measured in several sizes?

Each time in a fresh process, so that memory is what this size needs, and over a store like that of a crawl.
Small sizes are fast, so several rounds are run, and the median counts.
"""

import argparse
import contextlib
import multiprocessing
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from tiptoe.settings.layers import Settings
from tiptoe.store.rocks import RocksStore

SIZES = (100_000, 1_000_000, 10_000_000)
ROUNDS_MAX = 5

Cost = TypeVar("Cost", bound=tuple[object, ...])


def wanted_sizes(description: str | None, least: int) -> list[int]:
    """Return the sizes given on the command line, the smallest first."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    if min(options.sizes) < least:
        parser.error(f"--sizes: at least {least}, which is one host")
    return sorted(options.sizes)


def middle_cost(measure: Callable[[int], Cost], size: int) -> Cost:
    """Return the median of measurements, more for smaller sizes; costs compare by their first part."""
    fresh = multiprocessing.get_context("spawn")
    costs = []
    for _ in range(min(ROUNDS_MAX, max(1, 1_000_000 // size)) | 1):
        with fresh.Pool(1) as pool:
            costs.append(pool.apply(measure, (size,)))
    return sorted(costs)[len(costs) // 2]


@contextlib.contextmanager
def crawl_store(prefix_bytes: int = 0) -> Iterator[RocksStore]:
    """Open an empty store with the memory that a crawl gives it, while the `with` lasts."""
    sizes = Settings().frontier
    with tempfile.TemporaryDirectory() as scratch:
        store = RocksStore(
            Path(scratch) / "db",
            block_cache_bytes=sizes.block_cache,
            write_buffer_bytes=sizes.write_buffer,
            prefix_bytes=prefix_bytes,
        )
        try:
            yield store
        finally:
            store.close()  # otherwise it may write files into the folder being removed
