"""Which requests wait in the queues of a host?

Each host has a queue on disk per class. What a step adds to a queue is written together, in rows of *chunks*:
requests that were found together. The record of the host holds where each queue begins and ends, so no scan
is needed and a long queue costs no memory. The gauges count what waits in all queues.
"""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from tiptoe.frontier.counters import Gauges
from tiptoe.frontier.exchanges import Exchanges
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.priority import CLASSES, REVISITS, quotas
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import host_key

__all__ = ["CHUNK_URLS_MAX", "Chunk", "Queues", "chunks_in"]

ROW_URLS = 60
"""Maximum number of URLs in a row of several chunks: about as many as a visit requests."""

CHUNK_URLS_MAX = 200
"""Maximum number of URLs in a chunk; longer ones are split. The rest of a row is written again whenever some
of it is taken, so the links of a page with 10 000 would cost megabytes at each visit."""


class Chunk(msgspec.Struct, array_like=True, gc=False):
    """Requests that were found together; what they have in common is stored once."""

    urls: list[str]
    purpose: Purpose = Purpose.PAGE
    depth: int = 0
    hops: int = 0
    tries: int = 0
    via: str = ""
    usability: float = 1.0
    for_origin: str = ""
    exchange: int = 0  # how many exchanges were opened before it was queued: see `exchanges`

    def requests(self, urls: list[str]) -> list[Request]:
        """Return some of its URLs as requests."""
        shared = (self.purpose, self.depth, self.hops, self.tries, self.via, self.usability, self.for_origin)
        return [Request(url, *shared) for url in urls]

    @classmethod
    def of(cls, request: Request) -> "Chunk":
        """Return a chunk of one request."""
        return cls(
            [request.url], request.purpose, request.depth, request.hops, request.tries,
            request.via, request.usability, request.for_origin,
        )  # fmt: skip


chunks_in: Final = msgspec.msgpack.Decoder(list[Chunk]).decode
"""Decodes a row of a queue into its chunks."""


class Queues:
    """The queues of all hosts."""

    def __init__(self, store: Store, gauges: Gauges, exchanges: Exchanges | None = None) -> None:
        self._store = store
        self._gauges = gauges
        self._exchanges = exchanges if exchanges is not None else Exchanges(store)
        self._encoder = msgspec.msgpack.Encoder()
        self._pending: dict[tuple[str, int], tuple[HostRecord, list[Chunk]]] = {}
        self._unwritten: dict[bytes, bytes] = {}

    def push(self, record: HostRecord, index: int, chunk: Chunk) -> None:
        """Append a chunk to a host's queue of this class."""
        count = len(chunk.urls)
        chunk.exchange = self._exchanges.opened
        record.waiting[index] += count
        self._gauges.queued += count
        if index == REVISITS or record.state is HostState.UNPRODUCTIVE:
            self._count_apart(record, index, count)
        self._pending.setdefault((record.host, index), (record, []))[1].append(chunk)

    def _count(self, record: HostRecord, index: int, by: int) -> None:
        record.waiting[index] += by
        self._gauges.queued += by
        self._count_apart(record, index, by)

    def _count_apart(self, record: HostRecord, index: int, by: int) -> None:
        if index == REVISITS:
            self._gauges.revisits_queued += by
        if record.state is HostState.UNPRODUCTIVE:
            self._gauges.unproductive += by

    def take(
        self, batch: Writes, record: HostRecord, wanted: int,
        order: Callable[[list[str]], list[str]] | None = None,
    ) -> list[Request]:  # fmt: skip
        """Remove and return up to `wanted` new requests, each class by its share, best of a chunk first."""
        taken: list[Request] = []
        for index, share in enumerate(quotas(record.waiting, wanted, record.visits)):
            if share > 0:
                taken += self._take_class(batch, record, index, share, order)
        return taken

    def take_first(self, batch: Writes, record: HostRecord, wanted: int) -> list[Request]:
        """Remove and return up to `wanted` requests of class 0, which has all that are not pages."""
        return self._take_class(batch, record, 0, wanted, None)

    def take_revisits(self, batch: Writes, record: HostRecord, wanted: int) -> list[Request]:
        """Remove and return up to `wanted` revisits, those due first."""
        return self._take_class(batch, record, REVISITS, wanted, None)

    def _take_class(
        self, batch: Writes, record: HostRecord, index: int, wanted: int,
        order: Callable[[list[str]], list[str]] | None,
    ) -> list[Request]:  # fmt: skip
        self._write_queue(batch, record.host, index)
        taken: list[Request] = []
        while wanted > 0 and record.heads[index] < record.tails[index]:
            key = _key(record.host, index, record.heads[index])
            left = []
            is_held_up = False
            for chunk in self._read(key):
                if index != REVISITS and self._has_to_wait(chunk):
                    is_held_up = True
                    left.append(chunk)
                    continue
                if order is not None and 0 < wanted < len(chunk.urls):
                    chunk.urls = order(chunk.urls)
                urls, chunk.urls = chunk.urls[:wanted], chunk.urls[wanted:]
                taken += chunk.requests(urls)
                wanted -= len(urls)
                self._count(record, index, -len(urls))
                if chunk.urls:
                    left.append(chunk)
            if left:
                self._put(batch, key, left)
            else:
                batch.delete(Table.QUEUE, key)
                record.heads[index] += 1
            if is_held_up:  # later rows have to wait too
                break
        return taken

    def _has_to_wait(self, chunk: Chunk) -> bool:
        """Whether another robot may be about to request this; rules are exempt, as every robot reads them."""
        return chunk.purpose is not Purpose.ROBOTS and self._exchanges.is_awaited(chunk.exchange)

    def _read(self, key: bytes) -> list[Chunk]:
        row = self._unwritten.get(key) or self._store.get(Table.QUEUE, key)
        assert row is not None, f"queue row {key.hex()} is missing"
        return chunks_in(row)

    def _put(self, batch: Writes, key: bytes, chunks: list[Chunk]) -> None:
        row = self._encoder.encode(chunks)
        batch.append((Table.QUEUE, key, row))
        self._unwritten[key] = row

    def clear(self, batch: Writes, record: HostRecord) -> int:
        """Drop every new request of a host's queues; return how many that was."""
        dropped = record.queued_new
        for index in range(CLASSES):
            self._pending.pop((record.host, index), None)
            for sequence in range(record.heads[index], record.tails[index]):
                batch.delete(Table.QUEUE, _key(record.host, index, sequence))
            record.heads[index] = record.tails[index]
            self._count(record, index, -record.waiting[index])
        return dropped

    def lay_aside(self, batch: Writes, record: HostRecord, *, first_class: int = 0) -> int:
        """Take every new request out of a host's queues, to be queued again later; return how many.

        Their rows stay where they are, so a long queue costs no more than a short one.
        """
        laid = 0
        for index in range(first_class, CLASSES):
            self._write_queue(batch, record.host, index)
            head, tail, waiting = record.heads[index], record.tails[index], record.waiting[index]
            laid += waiting
            self._count(record, index, -waiting)
            for earlier in [some for some in record.aside if some[0] == index and some[2] == head]:
                record.aside.remove(earlier)
                head, waiting = earlier[1], waiting + earlier[3]
            if waiting:
                record.aside.append((index, head, tail, waiting))
            record.heads[index] = tail
        return laid

    def bring_back(self, batch: Writes, record: HostRecord) -> int:
        """Queue again what was laid aside; return how many requests that is."""
        before = record.queued_new
        for index, head, tail, waiting in reversed(record.aside):
            self._write_queue(batch, record.host, index)
            if record.heads[index] == tail:
                record.heads[index] = head
                self._count(record, index, waiting)
                continue
            for sequence in range(head, tail):  # other requests were queued meanwhile, so append these
                key = _key(record.host, index, sequence)
                for chunk in self._read(key):
                    self.push(record, index, chunk)
                batch.delete(Table.QUEUE, key)
        record.aside = []
        return record.queued_new - before

    def count_moved(self, record: HostRecord, by: int) -> None:
        """Count the requests of a host that arrives (1) or leaves (-1) with its rows; it is idle."""
        self._gauges.queued += by * record.queued
        self._gauges.revisits_queued += by * record.waiting[REVISITS]

    def write(self, batch: Writes) -> None:
        """Put what this step has added into the batch."""
        for host, index in list(self._pending):
            self._write_queue(batch, host, index)

    def _write_queue(self, batch: Writes, host: str, index: int) -> None:
        if (host, index) in self._pending:
            record, chunks = self._pending.pop((host, index))
            for row in _in_rows(chunks):
                self._put(batch, _key(host, index, record.tails[index]), row)
                record.tails[index] += 1

    def committed(self) -> None:
        """The batch of this step has been written."""
        self._unwritten.clear()


def _in_rows(chunks: list[Chunk]) -> Iterator[list[Chunk]]:
    """Yield rows of chunks: small chunks together, long ones split."""
    row: list[Chunk] = []
    urls = 0
    for chunk in chunks:
        for start in range(0, len(chunk.urls), CHUNK_URLS_MAX):
            part = chunk
            if len(chunk.urls) > CHUNK_URLS_MAX:
                part = msgspec.structs.replace(chunk, urls=chunk.urls[start : start + CHUNK_URLS_MAX])
            if row and urls + len(part.urls) > ROW_URLS:
                yield row
                row, urls = [], 0
            row.append(part)
            urls += len(part.urls)
    if row:
        yield row


def _key(host: str, index: int, sequence: int) -> bytes:
    return host_key(host) + bytes((index,)) + sequence.to_bytes(8, "big")
