"""Which texts of this agent's pages are not yet in the blocks where they belong?

They are pending from the step that settles them until the last holder of their blocks confirms them: about a
second, and longer when a holder is gone. For pages of this agent, such as the next one of the same site, they
count as known all the same.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from tiptoe.cluster.text_messages import ELSEWHERE
from tiptoe.frontier.duplicity import KNOWN, NEW, split_hashes
from tiptoe.frontier.text_outbox import HAS_WHOLE, IS_KEPT, SettledText

__all__ = ["PendingTexts"]


class PendingTexts:
    """Hashes of texts under way, each with the number of texts that have it."""

    def __init__(self) -> None:
        self._counts: Counter[bytes] = Counter()
        self._urls: dict[bytes, str] = {}  # of whole texts

    def __len__(self) -> int:
        return len(self._counts)

    def add(self, texts: Iterable[SettledText]) -> None:
        """Add texts that have been settled; those that were not kept are in no corpus."""
        for text in texts:
            if text.flags & IS_KEPT:
                keys = split_hashes(text.hashes)
                self._counts.update(keys)
                if text.flags & HAS_WHOLE:
                    self._urls[keys[0]] = text.url

    def remove(self, texts: Iterable[SettledText]) -> None:
        """Remove texts that their blocks know now."""
        counts, urls = self._counts, self._urls
        for text in texts:
            if text.flags & IS_KEPT:
                for key in split_hashes(text.hashes):
                    if (count := counts.pop(key, 1)) > 1:
                        counts[key] = count - 1
                    elif key in urls:
                        del urls[key]

    def clear(self) -> None:
        """Forget all texts: a shard was lost, and it is unknown whether its last steps are stored."""
        self._counts.clear()
        self._urls.clear()

    def lay_over(self, url: str, keys: Sequence[bytes], marks: bytearray) -> bytes:
        """Mark hashes under way as known; return the answer if the whole text is that of another page."""
        counts = self._counts
        if counts.keys().isdisjoint(keys):
            return b""
        if keys[0] in counts and marks[0] != KNOWN and self._urls.get(keys[0], url) != url:
            return bytes((KNOWN,)) + self._urls[keys[0]].encode()
        for place, mark in enumerate(marks):
            if place and mark in (NEW, ELSEWHERE) and keys[place] in counts:
                marks[place] = KNOWN
        return b""
