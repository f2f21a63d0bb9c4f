"""How is the database of a crawl changed while no keeper runs?

The directory is claimed meanwhile, so that no keeper can start: be quick. To read it, see `store.readonly`.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.store.rocks import RocksStore

__all__ = ["DATABASE", "claimed"]

DATABASE: Final = Path("state", "frontier")
SMALL_BUFFER_BYTES: Final = 4 << 20


@contextmanager
def claimed(directory: Path) -> Iterator[RocksStore]:
    """Open the database in place of a keeper; CrawlInUse if one is running."""
    crawl = CrawlDirectory(directory)
    crawl.claim([])
    try:
        store = RocksStore(
            directory / DATABASE,
            block_cache_bytes=SMALL_BUFFER_BYTES,
            write_buffer_bytes=SMALL_BUFFER_BYTES,
        )
        with closing(store):
            yield store
    finally:
        crawl.release()
