"""Does this host only repeat another one?

For the hash of each text, the host that had it first is stored. A host and its
*twin*, the host with which it shares most texts, are compared by the texts that
both have, whichever was visited first: mirrors are often crawled side by side.

Rule: a text that many hosts have (a notice, an error) does not make a mirror;
a host is a mirror if nearly all its texts are also on a single other host.
"""

from collections.abc import Collection

from tiptoe.frontier.effect import Effect, MirrorFound, TextShared
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.step import Step
from tiptoe.store.tables import Table

__all__ = ["MIRROR_PAGES_MIN", "Mirrors"]

MIRROR_PAGES_MIN = 20
MIRROR_SHARE = 0.9
RECENT_MAX = 10_000
"""Texts whose first host is kept in memory, because those of the open step are not in the store yet."""

NOBODY = ""


class Mirrors:
    """Compares the texts of hosts, each with one twin, so the memory per host is constant."""

    def __init__(self, step: Step, *, leaves_mirrors: bool = True) -> None:
        self._step = step
        self._leaves_mirrors = leaves_mirrors  # if not, mirrors are never given up
        self._recent: dict[bytes, str] = {}

    def compare(self, record: HostRecord, text_hash: bytes, effects: list[Effect]) -> None:
        """Note one text of a host; append an effect for the host that had it first."""
        if text_hash not in self._recent:
            self.expect([text_hash])
        first = self._first_host(record.host, text_hash)
        if first == record.host:
            return
        _share(record, first)
        self._step.hosts.touch(record)
        is_gone = record.state is HostState.GONE
        effects.append(TextShared(first, record.host, record.pages, record.copies, is_gone))

    def note_shared(self, effect: TextShared) -> list[MirrorFound]:
        """Note that another host has a text of this host too; return which of the two is a mirror, if any.

        That is the one with fewer pages. Of two mirrors one stays: if the other is gone, neither is a mirror.
        """
        record = self._step.hosts.find(effect.host)
        if record is None or not self._leaves_mirrors:
            return []
        _share(record, effect.twin)
        self._step.hosts.touch(record)
        if effect.is_twin_gone or record.state is HostState.GONE:
            return []
        if effect.pages <= record.pages:
            return [MirrorFound(effect.twin)] if _is_mirror(effect.pages, effect.copies) else []
        return [MirrorFound(record.host)] if _is_mirror(record.pages, record.copies) else []

    def expect(self, text_hashes: Collection[bytes]) -> None:
        """Look up which hosts had these texts first, all at once."""
        if len(self._recent) + len(text_hashes) > RECENT_MAX:
            self._recent.clear()
        wanted = [text for text in text_hashes if text not in self._recent]
        for text, stored in zip(wanted, self._step.store.get_many(Table.CONTENT, wanted), strict=True):
            self._recent[text] = stored.decode() if stored else NOBODY

    def _first_host(self, host: str, text_hash: bytes) -> str:
        """Return the host that had a text first; if none had it, note this one."""
        first = self._recent[text_hash]
        if first == NOBODY:
            self._step.batch.put(Table.CONTENT, text_hash, host.encode())
            first = self._recent[text_hash] = host
        return first


def _share(record: HostRecord, host: str) -> None:
    """Count a shared text; the twin is the host with the majority (Boyer–Moore majority vote)."""
    if record.twin == host:
        record.copies += 1
    elif record.copies:
        record.copies -= 1
    else:
        record.twin, record.copies = host, 1


def _is_mirror(pages: int, copies: int) -> bool:
    return pages >= MIRROR_PAGES_MIN and copies > MIRROR_SHARE * pages
