"""Which texts of converted documents does the index know, with or without a keeper?

A keeper takes in the texts that conversions have left, and answers from its index.
While none runs, its database is read, and texts left since are kept in memory on top
of it; when they grow too many, they are written as a keeper would have done.
"""

from functools import partial
from pathlib import Path
from typing import Final

from tiptoe.frontier.duplicity import Paragraphs
from tiptoe.frontier.host import Hosts
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.database import DATABASE, claimed
from tiptoe.protocol.work import Question
from tiptoe.store.overlay import Overlay
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table, Writes
from tiptoe.write.dropbox import texts_in, waiting_texts

__all__ = ["StoppedTexts", "take_texts"]

ROWS_MAX: Final = 300_000
"""Maximum number of rows kept in memory on top of the database, about 60 MB; above it they are written."""


def take_texts(frontier: CrawlFrontier, directory: Path) -> None:
    """Take in the waiting texts; each file is deleted once its texts are committed."""
    for path in waiting_texts(directory):
        frontier.learn((text.url, text.fingerprint) for text in texts_in(path))
        frontier.after_commit(partial(path.unlink, missing_ok=True))


class StoppedTexts:
    """The index of a crawl that is not running; to be closed as soon as it runs."""

    def __init__(self, directory: Path, *, rows_max: int = ROWS_MAX) -> None:
        self._directory = directory
        self._rows_max = rows_max
        self._store: ReadOnlyStore | None = None
        self._rows: Overlay
        self._paragraphs: Paragraphs
        self._taken: set[str] = set()

    def look(self, questions: list[Question]) -> dict[int, bytes]:
        """Return which paragraphs of these texts are known: marks, by question."""
        if self._store is None:
            self._open()
        self._take()
        if len(self._rows) > self._rows_max:
            self._write()
        return self._paragraphs.find_known(questions)

    def close(self) -> None:
        """Close the database."""
        if self._store is not None:
            self._store.close()
            self._store = None
            self._taken.clear()

    def _open(self) -> None:
        self._store = ReadOnlyStore(self._directory / DATABASE, (Table.PARAGRAPH, Table.HOST))
        self._rows = Overlay(self._store)
        self._paragraphs = Paragraphs(self._rows, Hosts(self._rows, cached_max=1000))

    def _take(self) -> None:
        """Learn the texts left since the last call; the files stay for the keeper."""
        batch = Writes()
        for path in waiting_texts(self._directory):
            if path.name not in self._taken:
                self._taken.add(path.name)
                for text in texts_in(path):
                    self._paragraphs.learn_once(batch, text.url, text.fingerprint)
        self._rows.write(batch)
        self._paragraphs.committed()

    def _write(self) -> None:
        """Write the rows in memory to the database. The files stay: learning a text twice does no harm."""
        with claimed(self._directory) as store:
            batch = Writes()
            for table, key, row in self._rows.rows():
                assert table is Table.PARAGRAPH
                batch.put(table, key, row)
            store.write(batch)
        taken = set(self._taken)
        self.close()
        self._open()
        self._taken = taken
