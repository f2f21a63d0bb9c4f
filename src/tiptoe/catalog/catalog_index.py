"""What must an index do for a catalog?

Two contracts: for reading (`CatalogIndex`) and for writing (`IndexWriter`), implemented by `embedded_index`
and `postgres_index`; one suite tests both, `tests/contracts/test_contract_catalog_index.py`.

A page is in an index once. Its *rank* decides which of two news items about it counts: the later one and, for
the same moment, the news that it is gone. Writes take effect at `commit`, together with the positions in the
files they were read from: after a crash both are as they were at the last commit.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from tiptoe.catalog.entry import CatalogEntry
from tiptoe.catalog.query import Condition
from tiptoe.catalog.search import FacetCount, Sort

__all__ = [
    "CatalogIndex",
    "Change",
    "IndexWriter",
    "KnownPage",
    "Matches",
    "ReadPosition",
    "is_gone",
    "rank_of",
]


class ReadPosition(msgspec.Struct, frozen=True):
    """How far a file has been read, and a checksum of the bytes right before."""

    offset: int
    checksum: int


class Matches(NamedTuple):
    """How many pages match a query, and some of them, each with its score."""

    total: int
    entries: list[tuple[float, CatalogEntry]]


class KnownPage(NamedTuple):
    """What an index contains about a page."""

    rank: int
    entry: CatalogEntry | None  # None when it is gone


class Change(NamedTuple):
    """The new data of a page, which replace what an index contained about it."""

    number: int  # of the page
    rank: int
    entry: CatalogEntry | None  # None: it is gone
    source: str  # file that it was read from
    is_known: bool  # the index has something to be replaced


def rank_of(moment: int, *, is_gone: bool) -> int:
    """Return the rank of a news item about a page; of two, the one with the higher rank counts."""
    return moment << 1 | is_gone


def is_gone(rank: int) -> bool:
    """Return whether news of this rank says that the page is gone."""
    return bool(rank & 1)


class CatalogIndex(Protocol):
    """Answers queries; what is committed meanwhile may or may not be visible."""

    def search(self, condition: Condition, *, sort: Sort, offset: int, limit: int) -> Matches:
        """Return pages that match a query, in the requested order."""
        ...

    def facets(
        self, condition: Condition, names: Sequence[str], limit: int
    ) -> dict[str, tuple[FacetCount, ...]]:
        """Count pages by the values of facets: most frequent first, then by name."""
        ...

    def entry(self, number: int) -> CatalogEntry | None:
        """Return the entry of a page."""
        ...

    def entries(self, condition: Condition) -> Iterator[CatalogEntry]:
        """Yield all pages that match a query, however many, in no particular order."""
        ...

    def positions(self) -> dict[str, ReadPosition]:
        """Return how far each file has been read."""
        ...

    def version(self) -> object | None:
        """Return a value that changes with each commit; None if that would take as long as a search."""
        ...

    def close(self) -> None:
        """Close the index."""
        ...


class IndexWriter(Protocol):
    """Changes an index; one at a time."""

    has_texts: bool
    """Whether it stores the texts of the corpus, too, and not only where they are."""

    def positions(self) -> dict[str, ReadPosition]:
        """Return how far each file had been read at the last commit."""
        ...

    def known(self, numbers: Collection[int], *, with_entries: bool) -> dict[int, KnownPage]:
        """Return the committed data of these pages; entries only on request."""
        ...

    def write(self, changes: Sequence[Change]) -> None:
        """Write changes of pages, at most one per page."""
        ...

    def remove_source(self, source: str) -> None:
        """Remove everything that was read from a file."""
        ...

    def commit(self, positions: Mapping[str, ReadPosition]) -> None:
        """Commit everything so far, with these positions."""
        ...

    def close(self) -> None:
        """Close the index; uncommitted changes are dropped."""
        ...
