"""How does an operator order that something be forgotten?

In a directory in which no other process works: it is claimed, files are repaired as at the start of a crawl,
and then the wish is carried out. One that was interrupted is finished first.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from tiptoe.convert.progress import held
from tiptoe.errors import CrawlerError, CrawlInUse, SettingsError
from tiptoe.forget.catalog_pages import expect_free_catalog
from tiptoe.forget.conversions import settle_conversions
from tiptoe.forget.forgetting import CrawlAtRest, Forgetting, survey
from tiptoe.forget.journal import Forgotten, Journal, load_journal, records_of
from tiptoe.forget.ledger import DatabaseLedger
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.wishes import NotedWish, note_wish
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.output_repair import OutputRepair
from tiptoe.observe.crawl_marker import no_crawl
from tiptoe.observe.operator_log import log_order
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Store, Writes
from tiptoe.url.wish import Wish
from tiptoe.write.archive import Advance

__all__ = ["ForgetOrders", "finish_forgetting", "note_again"]

BUFFER_BYTES: Final = 16 << 20


def finish_forgetting(directory: Path, *, database: str, chars_min: int) -> Forgotten | None:
    """Finish an interrupted wish in a directory that is claimed; None: there was none."""
    journal = load_journal(directory)
    return None if journal is None else _carry_out(directory, journal, database, chars_min)


def note_again(directory: Path, store: Store) -> int:
    """Note every recorded wish in a database that may have lost some; return how many there are."""
    batch, lines = Writes(), records_of(directory)
    for line in lines:
        wished_at = datetime.fromisoformat(line.wished_at).timestamp()
        note_wish(batch, NotedWish(line.target, line.reason, wished_at))
    store.write(batch)
    return len(lines)


def _carry_out(
    directory: Path, journal: Journal, database: str, chars_min: int,
    advance: Advance = lambda count: None, step: Callable[[], object] = lambda: None,
) -> Forgotten:  # fmt: skip
    with _opened(directory) as store:
        place = CrawlAtRest(directory, database, advance, step)
        ledger = DatabaseLedger(store, journal, chars_min=chars_min, step=step)
        forgetting = Forgetting(place, ledger, journal, now=time.time())
        line = forgetting.run()
        store.purge()
    forgetting.conclude(line)
    return line


def _opened(directory: Path) -> "closing[RocksStore]":
    buffers = {"block_cache_bytes": BUFFER_BYTES, "write_buffer_bytes": BUFFER_BYTES}
    return closing(RocksStore(directory / DATABASE, **buffers))


@dataclass(frozen=True, slots=True)
class ForgetOrders:
    """The orders for one crawl; `database` and `chars_min` are settings of it."""

    directory: Path
    database: str = ""
    chars_min: int = 0
    tell: Callable[[str], object] = lambda line: None
    advance: Advance = lambda count: None

    def forget(self, wish: Wish, reason: str) -> Forgotten:
        """Carry out a wish, after finishing an interrupted one."""
        with self._claimed():
            expect_free_catalog(self.directory)
            self._finish()
            self._mend()
            journal = self._survey(wish)
            journal.reason, journal.wished_at, journal.files = reason, time.time(), {}
            journal.save(self.directory)
            line = _carry_out(self.directory, journal, self.database, self.chars_min, self.advance)
        log_order(self.directory, "forget", wish.host)
        return line

    def survey(self, wish: Wish) -> Journal:
        """Return what would be forgotten."""
        with self._claimed():
            return self._survey(wish)

    def resume(self) -> Forgotten | None:
        """Finish an interrupted wish; None: there was none."""
        with self._claimed():
            return self._finish()

    def _finish(self) -> Forgotten | None:
        line = finish_forgetting(self.directory, database=self.database, chars_min=self.chars_min)
        if line is not None:
            self.tell(f"{line.target}, which somebody was interrupted over, is forgotten")
        return line

    def _survey(self, wish: Wish) -> Journal:
        with _opened(self.directory) as store:
            return survey(CrawlAtRest(self.directory, self.database, self.advance), wish, store)

    def _mend(self) -> None:
        """Repair all files, so that each ends at its mark and has its final name."""
        with _opened(self.directory) as store:
            frontier = Frontier(store, FrontierPolicy())
            for line in OutputRepair(self.directory, frontier, now=time.time()).run():
                self.tell(line)
        settle_conversions(self.directory, self.tell)

    @contextmanager
    def _claimed(self) -> Iterator[None]:
        crawl = CrawlDirectory(self.directory)
        if not (self.directory / DATABASE).is_dir():
            raise SettingsError(
                f"{no_crawl(self.directory)}; what `tiptoe read` has written is forgotten by reading its "
                "sources again without it"
            )
        try:
            crawl.claim([])
        except CrawlInUse as error:
            raise CrawlerError(
                f"{error}; nothing can be forgotten while a crawl runs: `tiptoe block HOST {self.directory}` "
                "leaves the host alone from this moment on"
            ) from error
        try:
            with held(self.directory):
                yield
        finally:
            crawl.release()
