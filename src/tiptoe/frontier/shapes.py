"""Are these pages of one endless series?

Calendars, counters and session ids make URLs that differ only in numbers. How
many pages of one *shape* a host may give is bounded; what lies beyond is a trap.
"""

import xxhash

from tiptoe.frontier.messages import Purpose, Request
from tiptoe.store.tables import Batch, Store, Table
from tiptoe.url.address import host_key, host_of
from tiptoe.url.traps import shape_of

__all__ = ["Shapes"]


class Shapes:
    """Counts the pages handed out by host and shape."""

    def __init__(self, store: Store, *, pages_max: int) -> None:
        self._store = store
        self._pages_max = pages_max

    def admit(self, batch: Batch, requests: list[Request], host_requests: int) -> tuple[list[Request], int]:
        """Return the requests whose shape is within bounds, and how many are not."""
        if host_requests < self._pages_max // 2:
            return requests, 0  # too few of any shape; counting begins when it could matter
        shapes = [self._key(request) for request in requests]
        named = [key for key in shapes if key]
        stored = self._store.get_many(Table.SHAPE, named)
        counts = {key: int.from_bytes(count or b"", "big") for key, count in zip(named, stored, strict=True)}
        kept = []
        for request, key in zip(requests, shapes, strict=True):
            if not key:
                kept.append(request)
            elif counts[key] < self._pages_max:
                counts[key] += 1
                kept.append(request)
        for key, count in counts.items():
            batch.put(Table.SHAPE, key, count.to_bytes(8, "big"))
        return kept, len(requests) - len(kept)

    @staticmethod
    def _key(request: Request) -> bytes:
        """Return the key of a request's shape; empty when there are no numbers in it."""
        if request.purpose is not Purpose.PAGE:
            return b""
        shape = shape_of(request.url)
        return (
            b""
            if shape == request.url
            else host_key(host_of(request.url)) + xxhash.xxh3_64_digest(shape.encode())
        )
