"""What does one ask a catalog, and what comes back?

Plain values. Text of pages is text and nothing else: what is found in it is told by places, never by markup.
"""

from typing import Final, Literal

import msgspec

from tiptoe.errors import SettingsError

__all__ = [
    "LIMIT_MAX", "REACH_MAX", "SORTS", "WIDTH_MAX", "Concordance", "ConcordanceLine", "ConcordanceOrder",
    "ConcordanceRequest", "FacetCount", "Passage", "SearchHit", "SearchRequest", "SearchResults", "Sort",
    "check_page",
]  # fmt: skip

Sort = Literal["relevance", "newest", "oldest", "longest", "shortest", "usability", "url", "sample"]
SORTS: Final[tuple[Sort, ...]] = (
    "relevance", "newest", "oldest", "longest", "shortest", "usability", "url", "sample",
)  # fmt: skip
"""How hits may be put in order; among equals by URL, but for relevance, which each index counts its way.

A sample has all sites mixed, always in the same way: by the numbers of pages.
"""

ConcordanceOrder = Literal["none", "left", "right"]

LIMIT_MAX: Final = 1000
REACH_MAX: Final = 10_000
"""How far one may leaf through the hits; whoever wants all of them exports them."""

WIDTH_MAX: Final = 500


class SearchRequest(msgspec.Struct, kw_only=True, frozen=True):
    """What is looked for, and how the answer is to look."""

    query: str = ""
    sort: Sort = "relevance"
    page: int = 1
    limit: int = 20
    facets: bool = False
    facet_values: int = 10
    snippet_chars: int = 240


class Passage(msgspec.Struct, frozen=True):
    """A piece of text, and where in it stands what was looked for: first character and the one behind."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


class SearchHit(msgspec.Struct, kw_only=True, frozen=True):
    """A page that answers a query."""

    id: str
    url: str
    title: str
    language: str
    type: str
    fetched_at: str
    last_modified: str
    length: int  # of its text, in characters
    depth: int | None
    usability: float | None
    score: float  # comparable within one answer only; 0 when nothing was weighed
    snippet: Passage


class FacetCount(msgspec.Struct, frozen=True):
    """How many pages have a value."""

    value: str
    count: int


class SearchResults(msgspec.Struct, kw_only=True, frozen=True):
    """The answer to a query: one page of hits, and how many there are in all."""

    total: int
    page: int
    limit: int
    hits: tuple[SearchHit, ...]
    facets: dict[str, tuple[FacetCount, ...]] = {}


class ConcordanceRequest(msgspec.Struct, kw_only=True, frozen=True):
    """Whose occurrences are looked for, in order of the words to their left or right, or as they come."""

    query: str
    sort: ConcordanceOrder = "none"
    width: int = 40  # characters on either side
    page: int = 1
    limit: int = 50
    is_whole: bool = False  # all lines there are, on one page; of a frequent word this takes a while


class ConcordanceLine(msgspec.Struct, frozen=True):
    """One occurrence in its context."""

    left: str
    match: str
    right: str
    id: str
    url: str
    title: str


class Concordance(msgspec.Struct, kw_only=True, frozen=True):
    """Occurrences of a word.

    They are taken from a sample of the documents; if these were not all, `is_partial`.
    """

    lines: tuple[ConcordanceLine, ...]
    total: int  # lines in the documents that were read
    documents: int  # that answer the query
    documents_read: int
    page: int
    limit: int
    is_partial: bool


def check_page(page: int, limit: int) -> int:
    """Return how many hits come before a page; SettingsError when it is beyond all measure."""
    if not 1 <= limit <= LIMIT_MAX:
        raise SettingsError(f"limit {limit}: from 1 to {LIMIT_MAX}")
    if page < 1 or page * limit > REACH_MAX:
        raise SettingsError(
            f"page {page} of {limit}: only the first {REACH_MAX} hits can be paged through; narrow the "
            "query, or see `tiptoe catalog export --help`"
        )
    return (page - 1) * limit
