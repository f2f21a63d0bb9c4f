"""How does a crawl get over a damaged database?

    copy what can be read ─▶ let its tables agree ─▶ pages that only the files know
        ─▶ the copy takes the place of the damaged one, which stays beside it

Killed before the last step, nothing has happened; after it, all of it has.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.frontier.filemarks import FileMark, FileMarks
from tiptoe.frontier.holdings import LISTED, Holding, Item
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.reconciling import Reconciled, reconcile
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.output_lines import index_files, whole_lines
from tiptoe.store.rocks import RocksStore
from tiptoe.store.salvage import Salvaged, salvage
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import page_key
from tiptoe.write.archive import Advance
from tiptoe.write.cdxj import parse_line
from tiptoe.write.contents import damage_in
from tiptoe.write.output_kinds import CORPUS, harvester_kind, open_names
from tiptoe.write.recovery import path_of

__all__ = ["Rescue", "check_database", "rescue"]

BUFFER_BYTES: Final = 16 << 20
BATCH_PAGES: Final = 1000


@dataclass(slots=True)
class Rescue:
    """What was saved of a database, and what was not."""

    tables: dict[Table, Salvaged]
    reconciled: Reconciled
    pages_restored: int = 0  # which the database had lost, and the files know
    set_aside: Path = field(default_factory=Path)  # the damaged one


def check_database(path: Path, advance: Advance = lambda count: None) -> None:
    """Read every row of a database; DamagedDatabase says what is wrong."""
    store = RocksStore(path, block_cache_bytes=BUFFER_BYTES, write_buffer_bytes=BUFFER_BYTES)
    try:
        for table in Table:
            for _ in store.scan(table):
                advance(1)
    finally:
        store.close()


def rescue(
    directory: Path, path: Path, *, encoding: str, now: float, advance: Advance = lambda count: None
) -> Rescue:
    """Put a sound database in the place of a damaged one, with everything that can be read of that."""
    copy = path.with_name(f"{path.name}.new")
    tables = salvage(path, copy, buffer_bytes=BUFFER_BYTES, advance=advance)
    store = RocksStore(copy, block_cache_bytes=BUFFER_BYTES, write_buffer_bytes=BUFFER_BYTES)
    try:
        restored = _restore_pages(store, directory)
        reconciled = reconcile(store, now)
        _adopt_files(store, directory, encoding)
    finally:
        store.close()
    aside = _free_name(path)
    path.rename(aside)
    copy.rename(path)
    return Rescue(tables, reconciled, restored, aside)


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside


def _adopt_files(store: RocksStore, directory: Path, encoding: str) -> None:
    """Give open files a mark whose marks were lost: else all of them would count as never acknowledged."""
    marks, batch = FileMarks(store), Writes()
    known = marks.all()
    for name in open_names(directory):
        file = path_of(directory, name)
        if name in known or file is None:
            continue
        size = file.stat().st_size
        damage = damage_in(file, harvester_kind(name), size, encoding=encoding)
        whole = damage[-1][0] if damage and damage[-1][1] == size else size
        marks.put(batch, name, FileMark(whole))
    store.write(batch)


# -- pages -------------------------------------------------------------------

_page = msgspec.msgpack.Decoder(PageRecord).decode
_holding = msgspec.msgpack.Decoder(Holding).decode
_encode = msgspec.msgpack.Encoder().encode

NAMELESS: Final = ""
"""URL in the record of a page that is known by its key alone."""


def _restore_pages(store: RocksStore, directory: Path) -> int:
    """Make records anew for pages that lie in the files, so that they are not asked for once more."""
    nameless = 0
    for _, stored in store.scan(Table.HOLDING):
        items = list(_holding(stored).items())
        known = store.get_many(Table.PAGE, [item.key for item in items])
        batch = Writes()
        for item, row in zip(items, known, strict=True):
            page = _page(row) if row else None
            if page is None or page.url == NAMELESS:
                batch.put(Table.PAGE, item.key, _encode(_stub(item, page)))
                nameless += page is None
        store.write(batch)
    if not nameless:
        return 0
    restored = _name_pages(store, _urls(directory))
    batch = Writes()
    for key, stored in store.scan(Table.PAGE):
        if stored and _page(stored).url == NAMELESS:
            batch.delete(Table.PAGE, key)
    store.write(batch)
    return restored


def _stub(item: Item, before: PageRecord | None) -> PageRecord:
    page = before or PageRecord(NAMELESS, status=200, outcome="no_text", visits=1, is_counted=True)
    if item.version:
        page.outcome = "ok"
    elif item.signs & LISTED:
        page.outcome = "stored_aside"
    page.version = max(page.version, item.version)
    page.stored_at = max(page.stored_at, item.stored_at)
    page.first_visit_at = page.first_visit_at or item.stored_at
    page.last_visit_at = page.stored_at
    return page


def _name_pages(store: RocksStore, urls: Iterator[str]) -> int:
    named = 0
    batch: list[str] = []
    for url in urls:
        batch.append(url)
        if len(batch) == BATCH_PAGES:
            named += _name(store, batch)
            batch = []
    return named + _name(store, batch)


def _name(store: RocksStore, urls: list[str]) -> int:
    named = {}
    keys = [page_key(url) for url in urls]
    for url, key, stored in zip(urls, keys, store.get_many(Table.PAGE, keys), strict=True):
        if stored and (page := _page(stored)).url == NAMELESS:
            page.url = url
            named[key] = page
    batch = Writes()
    for key, page in named.items():
        batch.put(Table.PAGE, key, _encode(page))
    store.write(batch)
    return len(named)


class _Named(msgspec.Struct, gc=False):
    url: str


def _urls(directory: Path) -> Iterator[str]:
    """Yield the addresses that stand in the indexes of the archive, and in the corpus."""
    for path in index_files(directory):
        for line in whole_lines(path):
            with contextlib.suppress(ValueError):
                yield parse_line(line).url
    decoder = CorpusDecoder(directory, _Named)
    for path in CORPUS.files(directory):
        for line in whole_lines(path):
            with contextlib.suppress(msgspec.DecodeError, ValueError):
                yield decoder.read(path, line).url
