"""Does this host only repeat another one?

Each text is known by its hash and the host that had it first. A host and its
*twin*, the host with which it shares most, are compared by the texts that stand
on both, whichever of them was asked first: mirrors are often crawled side by side.

Rule: a text that many hosts have (a notice, an error) speaks for nobody's mirror;
a host is one when nearly all it has stands on a single other host.
"""

from collections.abc import Collection

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.step import Step
from tiptoe.store.tables import Table

__all__ = ["MIRROR_PAGES_MIN", "Mirrors"]

MIRROR_PAGES_MIN = 20
MIRROR_SHARE = 0.9
RECENT_MAX = 10_000
"""Texts of which the first host is remembered: those of the open step are not in the store yet."""

NOBODY = ""


class Mirrors:
    """Compares the texts of hosts, one twin a host: constant memory whatever they share with others."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._recent: dict[bytes, str] = {}

    def compare(self, record: HostRecord, text_hash: bytes) -> HostRecord | None:
        """Note one text of a host; return the host that has turned out to be a mirror, if any."""
        if text_hash not in self._recent:
            self.expect([text_hash])
        first = self._first_host(record.host, text_hash)
        other = self._step.hosts.find(first) if first != record.host else None
        if other is None:
            return None
        for one, twin in ((record, other), (other, record)):
            _share(one, twin.host)
            self._step.hosts.touch(one)
        return _mirror_of(record, other)

    def expect(self, text_hashes: Collection[bytes]) -> None:
        """Look up at once which hosts had some texts first."""
        if len(self._recent) + len(text_hashes) > RECENT_MAX:
            self._recent.clear()
        wanted = [text for text in text_hashes if text not in self._recent]
        for text, stored in zip(wanted, self._step.store.get_many(Table.CONTENT, wanted), strict=True):
            self._recent[text] = stored.decode() if stored else NOBODY

    def _first_host(self, host: str, text_hash: bytes) -> str:
        """Return the host that had a text first; it may be this one, now."""
        first = self._recent[text_hash]
        if first == NOBODY:
            self._step.batch.put(Table.CONTENT, text_hash, host.encode())
            first = self._recent[text_hash] = host
        return first


def _share(record: HostRecord, host: str) -> None:
    """Count a shared text; the twin is whoever holds the majority (Boyer and Moore's vote)."""
    if record.twin == host:
        record.copies += 1
    elif record.copies:
        record.copies -= 1
    else:
        record.twin, record.copies = host, 1


def _mirror_of(record: HostRecord, other: HostRecord) -> HostRecord | None:
    """Return which of two hosts is to be left, if they are the same: the one with less to show."""
    if HostState.GONE in (record.state, other.state):
        return None  # of two mirrors one stays, also when it comes to what the other had first
    smaller = record if record.pages <= other.pages else other
    is_mirror = smaller.pages >= MIRROR_PAGES_MIN and smaller.copies > MIRROR_SHARE * smaller.pages
    return smaller if is_mirror else None
