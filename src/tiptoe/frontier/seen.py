"""Has this URL been met before?

Most hosts have few pages. The keys of their URLs stand together in one row: the links of a page are looked up
with one read and the new ones added with one write. A row of many keys would be written again for every few
new links; so a host that has outgrown it has a row of its own for each URL, in PAGE, empty until the visit.
"""

import sys
from collections.abc import Collection, Iterable, Iterator
from struct import pack

from tiptoe.frontier.messages import HostLinks
from tiptoe.frontier.pages import Pages
from tiptoe.store.tables import Batch, Store, Table

__all__ = ["SEEN_ROW_URLS", "Seen", "key_of", "met_in", "numbers_in"]

SEEN_ROW_URLS = 512
"""So many URLs of a host stand in one row at most. With twice as many a row costs what it saves."""

OUTGROWN = b""
"""Stands for the row of a host whose URLs have rows of their own."""

KEY_BYTES = 8
"""Of a host, and of a URL: together the key of a page."""

ROW_URLS_KEY = b"seen.row_urls"


class Seen:
    """The URLs that were ever admitted: numbers, by the key of their host."""

    def __init__(self, store: Store, pages: Pages, *, row_urls: int = SEEN_ROW_URLS) -> None:
        self._store = store
        self._pages = pages
        self._open: dict[bytes, set[int]] = {}  # what is known in this step; of outgrown hosts only a part
        self._outgrown: set[bytes] = set()  # of the open ones
        self._changed: set[bytes] = set()
        stored = store.get(Table.META, ROW_URLS_KEY)
        self._is_noted = stored is not None
        # A crawl that knows pages and has no such note began before there were rows for hosts.
        is_old = stored is None and next(iter(store.scan(Table.PAGE)), None) is not None
        self._row_urls = int(stored) if stored is not None else 0 if is_old else row_urls

    def read(self, found: Collection[HostLinks]) -> None:
        """Look up some links at once."""
        self._open_rows({links.keys[:KEY_BYTES] for links in found})
        if self._outgrown:
            self._look_up([links.keys for links in found if links.keys[:KEY_BYTES] in self._outgrown])

    def _open_rows(self, hosts: Iterable[bytes]) -> None:
        missing = [host for host in hosts if host not in self._open]
        if not self._row_urls:
            self._open.update((host, set()) for host in missing)
            self._outgrown.update(missing)
            return
        for host, row in zip(missing, self._store.get_many(Table.SEEN, missing), strict=True):
            self._open[host] = set(memoryview(row).cast("Q")) if row else set()
            if row == OUTGROWN:
                self._outgrown.add(host)

    def _look_up(self, joined: list[bytes]) -> None:
        """Look for links to outgrown hosts, each in its own row."""
        width = 2 * KEY_BYTES
        keys = [keys[start : start + width] for keys in joined for start in range(0, len(keys), width)]
        for key, is_known in zip(keys, self._pages.are_known(keys), strict=True):
            if is_known:
                self._open[key[:KEY_BYTES]].add(int.from_bytes(key[KEY_BYTES:], sys.byteorder))

    def of(self, host: bytes) -> set[int]:
        """Return which of the links to a host that have been read were met before, perhaps with others."""
        return self._open[host]

    def add(self, batch: Batch, host: bytes, numbers: Collection[int]) -> None:
        """Remember URLs of a host that were not met before; it has been read."""
        met = self._open[host]
        if host not in self._outgrown:
            self._changed.add(host)
            if len(met) + len(numbers) > self._row_urls:
                self._outgrow(batch, host)
        met.update(numbers)
        if host in self._outgrown:
            # In order: neighbours are found without a search from the top.
            for key in sorted(_keys(host, numbers)):
                batch.put(Table.PAGE, key, b"")

    def note(self, batch: Batch, links: HostLinks) -> None:
        """Remember those of some links that were not met before; they have been read."""
        host = links.keys[:KEY_BYTES]
        fresh = set(numbers_in(links)) - self._open[host]
        if fresh:
            self.add(batch, host, fresh)

    def _outgrow(self, batch: Batch, host: bytes) -> None:
        """Give each URL of a host a row of its own, unless it has one since its visit."""
        keys = sorted(_keys(host, self._open[host]))
        for key, is_known in zip(keys, self._pages.are_known(keys), strict=True):
            if not is_known:
                batch.put(Table.PAGE, key, b"")
        self._outgrown.add(host)

    def forget(self, batch: Batch, key: bytes) -> None:
        """Let a page be as if it had never been met."""
        host = key[:KEY_BYTES]
        self._open_rows([host])
        self._open[host].discard(int.from_bytes(key[KEY_BYTES:], sys.byteorder))
        if host not in self._outgrown:
            self._changed.add(host)
        batch.delete(Table.PAGE, key)

    def write(self, batch: Batch) -> None:
        """Put every changed row into the batch."""
        for host in self._changed:
            row = OUTGROWN if host in self._outgrown else _joined(self._open[host])
            batch.put(Table.SEEN, host, row)
        if not self._is_noted:
            batch.put(Table.META, ROW_URLS_KEY, b"%d" % self._row_urls)

    def settle(self) -> None:
        """The batch has been written."""
        self._is_noted = True
        self._open.clear()
        self._outgrown.clear()
        self._changed.clear()


def numbers_in(links: HostLinks) -> list[int]:
    """Return the keys of links as numbers, as they are remembered."""
    return memoryview(links.keys).cast("Q").tolist()[1::2]


def met_in(store: Store) -> Iterator[bytes]:
    """Yield the key of every page that was ever met; for tests and drills."""
    met = {key for key, _ in store.scan(Table.PAGE)}
    for host, row in store.scan(Table.SEEN):
        met.update(_keys(host, memoryview(row).cast("Q") if row else ()))
    return iter(sorted(met))


def key_of(host: bytes, number: int) -> bytes:
    """Return the key of a page."""
    return host + number.to_bytes(KEY_BYTES, sys.byteorder)


def _keys(host: bytes, numbers: Iterable[int]) -> list[bytes]:
    return [key_of(host, number) for number in numbers]


def _joined(numbers: Collection[int]) -> bytes:
    return pack(f"{len(numbers)}Q", *numbers)
