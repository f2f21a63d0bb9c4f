"""Which pages does a rescued database no longer know although they are in the files?

A page is restored from the report that made a file grow, if that was saved, otherwise from its line in the
corpus, in the list of documents or in the list of pages that are gone. Without a record it would be requested
once more, and its line would be mistaken for one that a fault has produced.
"""

import contextlib
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from tiptoe.frontier.filemarks import FileMarks
from tiptoe.frontier.holdings import LISTED, Holding, Item
from tiptoe.frontier.page_record import PageRecord
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.file_lines import index_files, whole_lines
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import page_key
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.cdxj import parse_line
from tiptoe.write.output_kinds import CORPUS, DOCUMENT_LIST, GONE_LIST, OutputKind, kind_of

__all__ = ["restore_pages"]

BATCH_PAGES: Final = 1000

NAMELESS: Final = ""
"""URL in the record of a page of which only the key is known."""

One = TypeVar("One")

_page = msgspec.msgpack.Decoder(PageRecord).decode
_holding = msgspec.msgpack.Decoder(Holding).decode
_encode = msgspec.msgpack.Encoder().encode


class WrittenLine(msgspec.Struct, gc=False):
    """What a line of the corpus or of a list says about its page."""

    url: str
    fetched_at: str = ""
    version: int | None = None
    gone_at: str = ""
    status: int = 200
    reason: str = ""


def restore_pages(store: RocksStore, directory: Path) -> int:
    """Restore records of pages that are in the files; return how many were restored."""
    return _restore_held(store, directory) + _restore_written(store, directory)


# -- by the reports ----------------------------------------------------------


def _restore_held(store: RocksStore, directory: Path) -> int:
    """Restore pages from reports: these include stored bodies, but name pages only by their keys."""
    nameless = 0
    for _, stored in store.scan(Table.HOLDING):
        items = list(_holding(stored).items())
        known = store.get_many(Table.PAGE, [item.key for item in items])
        batch = Writes()
        for item, row in zip(items, known, strict=True):
            page = _page(row) if row else None
            if page is None or page.url == NAMELESS:
                batch.put(Table.PAGE, item.key, _encode(_held_page(item, page)))
                nameless += page is None
        store.write(batch)
    if not nameless:
        return 0
    restored = sum(_name(store, urls) for urls in _batches(_urls(directory)))
    batch = Writes()
    for key, stored in store.scan(Table.PAGE):
        if stored and _page(stored).url == NAMELESS:
            batch.delete(Table.PAGE, key)
    store.write(batch)
    return restored


def _held_page(item: Item, before: PageRecord | None) -> PageRecord:
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


def _urls(directory: Path) -> Iterator[str]:
    """Yield the URLs in the indexes of the archive and in the corpus."""
    for path in index_files(directory):
        for line in whole_lines(path):
            with contextlib.suppress(ValueError):
                yield parse_line(line).url
    for path in CORPUS.files(directory):
        yield from (line.url for line in _lines(directory, path))


# -- by the lines ------------------------------------------------------------


def _restore_written(store: RocksStore, directory: Path) -> int:
    """Restore the pages whose lines are committed and for which no report is left."""
    committed = {name: mark.size for name, mark in FileMarks(store).all().items()}
    restored = 0
    for kind in (CORPUS, DOCUMENT_LIST, GONE_LIST):
        for path in kind.files(directory):
            name = f"{kind.folder}/{path.name.removesuffix(OPEN_SUFFIX)}"
            if kind_of(name) is not kind:
                continue  # converted documents are in their list
            for lines in _batches(_lines(directory, path, committed.get(name))):
                restored += _restore(store, kind, lines)
    return restored


def _restore(store: RocksStore, kind: OutputKind, lines: list[WrittenLine]) -> int:
    pages: dict[bytes, PageRecord] = {}
    keys = [page_key(line.url) for line in lines]
    restored = 0
    for line, key, stored in zip(lines, keys, store.get_many(Table.PAGE, keys), strict=True):
        before = pages.get(key) or (_page(stored) if stored else None)
        page = _written_page(kind, line, before)
        if page is not None:
            pages[key] = page
            restored += before is None
    batch = Writes()
    for key, page in pages.items():
        batch.put(Table.PAGE, key, _encode(page))
    store.write(batch)
    return restored


def _written_page(kind: OutputKind, line: WrittenLine, before: PageRecord | None) -> PageRecord | None:
    """Return the record of a page with this line; None if the existing record is good enough."""
    if kind is not CORPUS:
        if before is not None:
            return None
        outcome = "stored_aside" if kind is DOCUMENT_LIST else line.reason or f"http_{line.status}"
        return _visited(PageRecord(line.url, status=line.status, outcome=outcome), line)
    version = line.version or 1
    if before is not None and (before.version >= version or before.is_lost):
        return None
    # The record is older than the line: a newer row was lost.
    page = before or PageRecord(line.url)
    page.status, page.outcome, page.version = 200, "ok", version
    return _visited(page, line)


def _visited(page: PageRecord, line: WrittenLine) -> PageRecord:
    at = _moment(line.fetched_at or line.gone_at)
    page.visits = max(page.visits, 1)
    page.is_counted = True
    page.first_visit_at = page.first_visit_at or at
    page.last_visit_at = max(page.last_visit_at, at)
    return page


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


def _lines(directory: Path, path: Path, stop: int | None = None) -> Iterator[WrittenLine]:
    """Yield the contents of the readable lines of a file, up to the byte `stop`."""
    decoder = CorpusDecoder(directory, WrittenLine)
    end = 0
    for line in whole_lines(path):
        end += len(line) + 1
        if stop is not None and end > stop:
            return
        with contextlib.suppress(msgspec.DecodeError, ValueError):
            yield decoder.read(path, line)


def _batches(items: Iterator[One]) -> Iterator[list[One]]:
    while batch := list(islice(items, BATCH_PAGES)):
        yield batch
