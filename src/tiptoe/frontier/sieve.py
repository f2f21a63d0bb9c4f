"""Has this URL been seen before?

Most hosts have few pages, and most links lead to the first pages of a host. Their keys are in one row, so the
links of a page are looked up with one read and the new ones added with one write. A row of many keys would be
rewritten for every few new links; so when it is full, later URLs of the host get rows of their own in PAGE,
which are empty until the first visit.
"""

import sys
from collections.abc import Collection, Iterable, Iterator
from struct import pack

from tiptoe.frontier.pages import Pages
from tiptoe.protocol.work import HostLinks
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import KEY_BYTES

__all__ = ["OVERFLOW", "SIEVE_ROW_URLS", "Sieve", "key_of", "met_in", "numbers_in"]

SIEVE_ROW_URLS = 512
"""Maximum number of URLs in the row of a host; later ones have rows of their own. At twice this number, a row
would cost as much as it saves. Part of the format of the database: see `store/tables.py`."""

OVERFLOW = 0
"""This number in a row, in memory and on disk, means that the host has more URLs than the row holds. The
chance that it is also the number of a URL is one in 2**64."""


class Sieve:
    """The URLs that were ever admitted, as numbers, by the key of their host."""

    def __init__(self, store: Store, pages: Pages, *, row_urls: int) -> None:
        self._store = store
        self._pages = pages
        self._rows: dict[bytes, set[int]] = {}
        self._open: dict[bytes, set[int]] = {}  # the same, plus the URLs in PAGE that `read` has found
        self._changed: set[bytes] = set()
        self._row_urls = row_urls

    def read(self, found: Collection[HostLinks]) -> None:
        """Look up several links at once."""
        self._open_rows(dict.fromkeys(links.keys[:KEY_BYTES] for links in found))
        keys: list[bytes] = []
        for links in found:
            host = links.keys[:KEY_BYTES]
            met = self._open[host]
            if OVERFLOW in met:
                keys += _keys(host, [number for number in numbers_in(links) if number not in met])
        for key, is_known in zip(keys, self._pages.are_known(keys), strict=True):
            if is_known:
                self._open[key[:KEY_BYTES]].add(_number_of(key))

    def _open_rows(self, hosts: Iterable[bytes]) -> None:
        missing = [host for host in hosts if host not in self._open]
        for host, stored in zip(missing, self._store.get_many(Table.SIEVE, missing), strict=True):
            row = set(memoryview(stored).cast("Q")) if stored else set()
            self._rows[host] = row
            self._open[host] = row.copy() if OVERFLOW in row else row

    def of(self, host: bytes) -> set[int]:
        """Return the numbers of known URLs of a host: all those among the links that have been read."""
        return self._open[host]

    def add(self, batch: Writes, host: bytes, numbers: Collection[int]) -> None:
        """Add new URLs of a host, whose links have been read."""
        row, left = self._rows[host], list(numbers)
        if OVERFLOW not in row:
            room = self._row_urls - len(row)
            row.update(left[:room])
            self._changed.add(host)
            left = left[room:]
            if left:
                row.add(OVERFLOW)
                self._open[host] = row.copy()
        if left:
            self._open[host].update(left)
            # Sorted: the store inserts neighbouring keys faster.
            batch += [(Table.PAGE, key, b"") for key in sorted(_keys(host, left))]

    def note(self, batch: Writes, links: HostLinks) -> None:
        """Add those of these links that are new; they have been read."""
        host = links.keys[:KEY_BYTES]
        fresh = set(numbers_in(links)) - self._open[host]
        if fresh:
            self.add(batch, host, fresh)

    def forget(self, batch: Writes, key: bytes) -> None:
        """Remove a URL, as if it had never been seen."""
        host, number = key[:KEY_BYTES], _number_of(key)
        self._open_rows([host])
        if number in self._rows[host]:
            self._rows[host].remove(number)
            self._changed.add(host)
        self._open[host].discard(number)
        batch.delete(Table.PAGE, key)

    def write(self, batch: Writes) -> None:
        """Put every changed row into the batch."""
        for host in sorted(self._changed):  # the store inserts neighbouring keys faster
            row = self._rows[host]
            batch.append((Table.SIEVE, host, pack(f"{len(row)}Q", *row)))

    def committed(self) -> None:
        """The batch has been written."""
        self._rows.clear()
        self._open.clear()
        self._changed.clear()


def numbers_in(links: HostLinks) -> list[int]:
    """Return the numbers under which the URLs of links are stored."""
    # A key is that of the host and that of the URL, 8 bytes each: every second number is that of a URL.
    return memoryview(links.keys).cast("Q").tolist()[1::2]


def met_in(store: Store) -> Iterator[bytes]:
    """Yield the key of every URL that was ever admitted; for tests and drills."""
    met = {key for key, _ in store.scan(Table.PAGE)}
    for host, row in store.scan(Table.SIEVE):
        met.update(_keys(host, set(memoryview(row).cast("Q")) - {OVERFLOW}))
    return iter(sorted(met))


def key_of(host: bytes, number: int) -> bytes:
    """Return the key of a page."""
    return host + number.to_bytes(KEY_BYTES, sys.byteorder)


def _number_of(key: bytes) -> int:
    return int.from_bytes(key[KEY_BYTES:], sys.byteorder)


def _keys(host: bytes, numbers: Iterable[int]) -> list[bytes]:
    return [key_of(host, number) for number in numbers]
