"""What has an index to do for a catalog?

Two contracts: to read (`CatalogIndex`) and to write (`IndexWriter`), kept by `embedded_index` and
`postgres_index`; one suite judges both, `tests/contracts/test_contract_catalog_index.py`.

A page is in an index once. Its *rank* says which of two news about it counts: the later one, and of one
moment the news that it is gone. What is written counts from `commit` on, together with the positions in the
files it was read from: after a crash both are as they were at the last commit.
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
    """How far a file has been read, and a checksum of what stands right before."""

    offset: int
    checksum: int


class Matches(NamedTuple):
    """How many pages answer a query, and some of them, each with its score."""

    total: int
    entries: list[tuple[float, CatalogEntry]]


class KnownPage(NamedTuple):
    """What an index holds of a page."""

    rank: int
    entry: CatalogEntry | None  # None when it is gone


class Change(NamedTuple):
    """What an index is to hold of a page from now on, in place of what it held."""

    number: int  # of the page
    rank: int
    entry: CatalogEntry | None  # None: it is gone
    source: str  # file that it was read from
    is_known: bool  # there is something to be replaced


def rank_of(moment: int, *, is_gone: bool) -> int:
    """Return which of two news counts: that with the higher rank."""
    return moment << 1 | is_gone


def is_gone(rank: int) -> bool:
    """Tell whether the news of this rank is that the page is gone."""
    return bool(rank & 1)


class CatalogIndex(Protocol):
    """Answers questions; what is committed meanwhile may or may not be seen."""

    def search(self, condition: Condition, *, sort: Sort, offset: int, limit: int) -> Matches:
        """Return pages that answer a query, in the order asked for."""
        ...

    def facets(
        self, condition: Condition, names: Sequence[str], limit: int
    ) -> dict[str, tuple[FacetCount, ...]]:
        """Count pages by their values: the most frequent ones, among equals by name."""
        ...

    def entry(self, number: int) -> CatalogEntry | None:
        """Return what is kept of a page."""
        ...

    def entries(self, condition: Condition) -> Iterator[CatalogEntry]:
        """Yield all pages that answer a query, however many, in no order."""
        ...

    def positions(self) -> dict[str, ReadPosition]:
        """Return how far each file has been read."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class IndexWriter(Protocol):
    """Changes an index; one at a time."""

    def positions(self) -> dict[str, ReadPosition]:
        """Return how far each file had been read at the last commit."""
        ...

    def known(self, numbers: Collection[int], *, with_entries: bool) -> dict[int, KnownPage]:
        """Return what was committed of some pages; entries only on request."""
        ...

    def write(self, changes: Sequence[Change]) -> None:
        """Take changes of pages, at most one of each."""
        ...

    def remove_source(self, source: str) -> None:
        """Take out everything that was read from a file."""
        ...

    def commit(self, positions: Mapping[str, ReadPosition]) -> None:
        """Make everything so far count, with these positions."""
        ...

    def close(self) -> None:
        """Let go of it; what was not committed is dropped."""
        ...
