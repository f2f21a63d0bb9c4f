"""Are these pages of one endless series?

Calendars, counters and session ids make URLs that differ only in numbers. The number of
pages of one *shape* that a host may have without new text is limited; above it they are a trap.
"""

import xxhash

from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import host_key, host_of
from tiptoe.url.traps import shape_of

__all__ = ["Shapes"]

COUNTED_MAX = 10_000
"""Maximum number of shapes whose counts are in memory; above it all are read again."""


class Shapes:
    """Counts the pages handed out by host and shape."""

    def __init__(self, store: Store, *, pages_max: int) -> None:
        self._store = store
        self._pages_max = pages_max
        self._counted: dict[bytes, int] = {}  # latest counts; those of the open step are not stored yet

    def admit(self, batch: Writes, requests: list[Request], host_requests: int) -> tuple[list[Request], int]:
        """Return the requests whose shape is within bounds, and how many are not."""
        if host_requests < self._pages_max // 2:
            return requests, 0  # no shape can have reached its limit yet; counting begins later
        shapes = [self._key(request) for request in requests]
        counts = self._counts(shapes)
        kept = []
        for request, key in zip(requests, shapes, strict=True):
            if not key:
                kept.append(request)
            elif counts[key] < self._pages_max:
                counts[key] += 1
                kept.append(request)
        self._write(batch, counts)
        return kept, len(requests) - len(kept)

    def take_back(self, batch: Writes, request: Request, host_requests: int) -> None:
        """Uncount a request that was handed out but not made; it is counted when handed out again."""
        if host_requests < self._pages_max // 2:
            return
        key = self._key(request)
        counts = self._counts([key])
        if counts.get(key):
            self._write(batch, {key: counts[key] - 1})

    def redeem(self, batch: Writes, request: Request, host_requests: int) -> None:
        """Uncount a page that had new text: a hundred thousand articles are not a trap."""
        self.take_back(batch, request, host_requests)

    def forget(self) -> None:
        """Forget the counts in memory, because hosts have arrived or left and stored counts have changed."""
        self._counted.clear()

    def _counts(self, keys: list[bytes]) -> dict[bytes, int]:
        """Return how many pages of these shapes there were, leaving out empty keys."""
        unknown = [key for key in keys if key and key not in self._counted]
        stored = self._store.get_many(Table.SHAPE, unknown) if unknown else []
        found = {key: int.from_bytes(count or b"", "big") for key, count in zip(unknown, stored, strict=True)}
        return found | {key: self._counted[key] for key in keys if key in self._counted}

    def _write(self, batch: Writes, counts: dict[bytes, int]) -> None:
        for key, count in counts.items():
            batch.put(Table.SHAPE, key, count.to_bytes(8, "big"))
        if len(self._counted) > COUNTED_MAX:
            self._counted.clear()
        self._counted.update(counts)

    @staticmethod
    def _key(request: Request) -> bytes:
        """Return the key of a request's shape; empty if the URL has no numbers."""
        if request.purpose is not Purpose.PAGE:
            return b""
        shape = shape_of(request.url)
        return (
            b""
            if shape == request.url
            else host_key(host_of(request.url)) + xxhash.xxh3_64_digest(shape.encode())
        )
