"""What knows which pages a crawl has, and how much of each file is committed?

The database, in a crawl on one machine. On many machines the shards know, and no single member may change
them: a member notes what they are to be told (`member_ledger`).
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import xxhash

from tiptoe.forget.journal import FileChange, Journal
from tiptoe.forget.line_files import Text
from tiptoe.frontier.duplicity import unlearn
from tiptoe.frontier.erasing import erase, meant_by
from tiptoe.frontier.filemarks import FileMark, FileMarks, FileState
from tiptoe.frontier.wishes import NotedWish, note_wish
from tiptoe.store.tables import Store, Writes
from tiptoe.text.fingerprint import fingerprint_of
from tiptoe.url.wish import Wish, read_wish

__all__ = ["DatabaseLedger", "Ledger", "hashes_of"]


class Ledger(Protocol):
    """What has to learn of a wish, besides the files."""

    def note_wish(self) -> None:
        """Make sure that nothing covered is requested again, whatever happens to the rest."""
        ...

    def note_size(self, name: str, change: FileChange) -> None:
        """Note that a file was replaced; called again after an interruption."""
        ...

    def unlearn(self, texts: list[Text]) -> None:
        """Note that these texts leave the corpus, before they do."""
        ...

    def erase(self) -> None:
        """Forget all pages and requests that are covered."""
        ...

    def files(self) -> Iterator[str]:
        """Yield the names of the files that should be here, or may have been moved away."""
        ...


class DatabaseLedger:
    """The database of a crawl on one machine in which no other process works."""

    def __init__(self, store: Store, journal: Journal, *, chars_min: int, step: Callable[[], object]) -> None:
        """`chars_min` is the minimum length of paragraphs by which texts are compared.

        `step` is called before each step that cannot be undone.
        """
        self._store = store
        self._journal = journal
        self._wish = read_wish(journal.target)
        self._chars_min = chars_min
        self._step = step
        self._marks = FileMarks(store)

    def note_wish(self) -> None:
        batch = Writes()
        note_wish(batch, NotedWish(self._journal.target, self._journal.reason, self._journal.wished_at))
        self._write(batch)

    def note_size(self, name: str, change: FileChange) -> None:
        mark = self._marks.all().get(name)
        if mark is not None and mark.size == change.before != change.after:
            batch = Writes()
            self._marks.put(batch, name, FileMark(change.after, FileState.FINISHED))
            self._write(batch)

    def unlearn(self, texts: list[Text]) -> None:
        batch = Writes()
        for text in texts:
            is_host = covers_whole_host(self._wish)
            hashes = hashes_of(text, self._chars_min)
            unlearn(self._store, batch, text.url, hashes, is_host_forgotten=is_host)
        if batch:
            self._write(batch)

    def erase(self) -> None:
        erase(self._store, self._wish, meant_by(self._store, self._wish), step=self._step)

    def files(self) -> Iterator[str]:
        yield from self._marks.all()

    def _write(self, batch: Writes) -> None:
        self._step()
        self._store.write(batch)


def covers_whole_host(wish: Wish) -> bool:
    """Return whether a wish covers everything of its host."""
    return wish.covers_host(wish.host)


def hashes_of(text: Text, chars_min: int) -> bytes:
    """Return the hashes under which the index of texts knows a text of the corpus."""
    whole = xxhash.xxh3_64_digest("\n".join(text.paragraphs).encode("utf-8", "surrogatepass"))
    return fingerprint_of(text.paragraphs, whole, chars_min=chars_min).hashes
