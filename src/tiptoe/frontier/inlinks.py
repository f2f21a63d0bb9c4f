"""Which of the waiting pages do other hosts link to?

Counted in a table of fixed size: two pages may share a count, which only makes
the order a little less exact. In memory only; after a restart counting begins again.
"""

from typing import Final

__all__ = ["Inlinks"]

SLOT_BITS = 20
COUNT_MAX = 255
_HALVES: Final = bytes(count // 2 for count in range(COUNT_MAX + 1))


class Inlinks:
    """Links from other hosts, by the key of a URL: a megabyte, however large the crawl."""

    def __init__(self) -> None:
        self._counts = bytearray(1 << SLOT_BITS)
        self._added = 0

    def add(self, url_key: bytes) -> None:
        """Count one more link to a page."""
        slot = _slot(url_key)
        if self._counts[slot] < COUNT_MAX:
            self._counts[slot] += 1
        self._added += 1
        if self._added > len(self._counts):
            # Without this, every slot would fill up eventually, and all pages would look alike.
            self._counts = bytearray(self._counts.translate(_HALVES))
            self._added = 0

    def count(self, url_key: bytes) -> int:
        """Return about how many links to a page were counted."""
        return self._counts[_slot(url_key)]


def _slot(url_key: bytes) -> int:
    return int.from_bytes(url_key[:3], "big") >> (24 - SLOT_BITS)
