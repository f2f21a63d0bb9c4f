"""How is the database of a crawl opened while no keeper runs?

To write, its directory is claimed, and a keeper has to wait outside: be quick.
To read, nobody is asked.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.store.rocks import RocksStore

__all__ = ["DATABASE", "claimed", "read_only"]

DATABASE: Final = Path("state", "frontier")
SMALL_BUFFER_BYTES: Final = 4 << 20


@contextmanager
def claimed(directory: Path) -> Iterator[RocksStore]:
    """Open the database in a keeper's place; CrawlInUse when there is one."""
    crawl = CrawlDirectory(directory)
    crawl.claim([])
    try:
        store = _open(directory, is_read_only=False)
        try:
            yield store
        finally:
            store.close()
    finally:
        crawl.release()


def read_only(directory: Path) -> RocksStore:
    """Open the database to be read as it is now; to be closed."""
    return _open(directory, is_read_only=True)


def _open(directory: Path, *, is_read_only: bool) -> RocksStore:
    return RocksStore(
        directory / DATABASE,
        block_cache_bytes=SMALL_BUFFER_BYTES,
        write_buffer_bytes=SMALL_BUFFER_BYTES,
        is_read_only=is_read_only,
    )
