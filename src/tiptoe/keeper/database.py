"""How is the database of a crawl written to while no keeper runs?

Its directory is claimed, and a keeper has to wait outside: be quick. To read it, see `store.readonly`.
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
    """Open the database in a keeper's place; CrawlInUse when there is one."""
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
