"""What is waiting to be asked of a host?

Per host and class a queue of chunks on disk, each with the requests that came
together. The record of the host knows where each queue begins and ends, so no
scan is ever needed and a long queue costs no memory.
"""

from collections.abc import Callable

import msgspec

from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.messages import Purpose, Request
from tiptoe.frontier.priority import AGAIN, CLASSES, quotas
from tiptoe.store.tables import Batch, Store, Table
from tiptoe.url.address import host_key

__all__ = ["CHUNK_URLS_MAX", "Chunk", "Queues"]

CHUNK_URLS_MAX = 200
"""What is left of a chunk is written again whenever some of it is taken: a page of 10 000 links would
cost megabytes for each visit."""


class Chunk(msgspec.Struct, array_like=True, gc=False):
    """Requests that came together: what they share stands once."""

    urls: list[str]
    purpose: Purpose = Purpose.PAGE
    depth: int = 0
    hops: int = 0
    tries: int = 0
    via: str = ""
    usability: float = 1.0
    for_origin: str = ""

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


class Queues:
    """The queues of all hosts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(Chunk)
        self._unwritten: dict[bytes, bytes] = {}

    def push(self, batch: Batch, record: HostRecord, index: int, chunk: Chunk) -> None:
        """Put a chunk at the end of a host's queue of this class, in parts if it is a long one."""
        urls = chunk.urls
        record.waiting[index] += len(urls)
        for start in range(0, len(urls), CHUNK_URLS_MAX):
            if len(urls) > CHUNK_URLS_MAX:
                chunk = msgspec.structs.replace(chunk, urls=urls[start : start + CHUNK_URLS_MAX])
            key = _key(record.host, index, record.tails[index])
            encoded = self._encoder.encode(chunk)
            batch.put(Table.QUEUE, key, encoded)
            self._unwritten[key] = encoded
            record.tails[index] += 1

    def take(
        self, batch: Batch, record: HostRecord, wanted: int,
        order: Callable[[list[str]], list[str]] | None = None,
    ) -> list[Request]:  # fmt: skip
        """Remove up to so many new requests, each class with its share, the best of a chunk first."""
        taken: list[Request] = []
        for index, share in enumerate(quotas(record.waiting, wanted, record.visits)):
            if share > 0:
                taken += self._take_class(batch, record, index, share, order)
        return taken

    def take_again(self, batch: Batch, record: HostRecord, wanted: int) -> list[Request]:
        """Remove up to so many revisits, those that were due first."""
        return self._take_class(batch, record, AGAIN, wanted, None)

    def _take_class(
        self, batch: Batch, record: HostRecord, index: int, wanted: int,
        order: Callable[[list[str]], list[str]] | None,
    ) -> list[Request]:  # fmt: skip
        taken: list[Request] = []
        while wanted > 0 and record.heads[index] < record.tails[index]:
            key = _key(record.host, index, record.heads[index])
            chunk = self._read(key)
            if order is not None and len(chunk.urls) > wanted:
                chunk.urls = order(chunk.urls)
            urls, rest = chunk.urls[:wanted], chunk.urls[wanted:]
            taken += chunk.requests(urls)
            wanted -= len(urls)
            record.waiting[index] -= len(urls)
            if rest:
                chunk.urls = rest
                encoded = self._encoder.encode(chunk)
                batch.put(Table.QUEUE, key, encoded)
                self._unwritten[key] = encoded
            else:
                batch.delete(Table.QUEUE, key)
                record.heads[index] += 1
        return taken

    def _read(self, key: bytes) -> Chunk:
        encoded = self._unwritten.get(key) or self._store.get(Table.QUEUE, key)
        assert encoded is not None, f"queue chunk {key.hex()} is missing"
        return self._decoder.decode(encoded)

    def clear(self, batch: Batch, record: HostRecord) -> int:
        """Drop every new request of a host's queues; return how many that was."""
        dropped = record.queued_new
        for index in range(CLASSES):
            for sequence in range(record.heads[index], record.tails[index]):
                batch.delete(Table.QUEUE, _key(record.host, index, sequence))
            record.heads[index] = record.tails[index]
            record.waiting[index] = 0
        return dropped

    def settle(self) -> None:
        """The batch of this step has been written."""
        self._unwritten.clear()


def _key(host: str, index: int, sequence: int) -> bytes:
    return host_key(host) + bytes((index,)) + sequence.to_bytes(8, "big")
