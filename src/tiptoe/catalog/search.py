"""What are the requests to a catalog, and the results?

Plain values. The text of pages is plain text: what is found in it is given by its places, never by markup.
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
"""How hits may be sorted; ties by URL, except for relevance, which each index computes in its own way.

A sample mixes all sites, always in the same order: by the numbers of pages.
"""

ConcordanceOrder = Literal["none", "left", "right"]

LIMIT_MAX: Final = 1000
REACH_MAX: Final = 10_000
"""Maximum hits that can be paged through; to get more, export them."""

WIDTH_MAX: Final = 500


class SearchRequest(msgspec.Struct, kw_only=True, frozen=True):
    """What to search for, and the form of the results."""

    query: str = ""
    sort: Sort = "relevance"
    page: int = 1
    limit: int = 20
    facets: bool = False
    facet_values: int = 10
    snippet_chars: int = 240


class Passage(msgspec.Struct, frozen=True):
    """A piece of text, and the places of what was found in it: first character and the one after the last."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


class SearchHit(msgspec.Struct, kw_only=True, frozen=True):
    """A page that matches a query."""

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
    score: float  # comparable only within one result; 0 without scores
    snippet: Passage


class FacetCount(msgspec.Struct, frozen=True):
    """How many pages have a value."""

    value: str
    count: int


class SearchResults(msgspec.Struct, kw_only=True, frozen=True):
    """The results of a query: one page of hits, and their total number."""

    total: int
    page: int
    limit: int
    hits: tuple[SearchHit, ...]
    facets: dict[str, tuple[FacetCount, ...]] = {}


class ConcordanceRequest(msgspec.Struct, kw_only=True, frozen=True):
    """What to find occurrences of, and whether to sort them by the words to their left or right."""

    query: str
    sort: ConcordanceOrder = "none"
    width: int = 40  # characters on either side
    page: int = 1
    limit: int = 50
    is_whole: bool = False  # all lines, on one page; for a frequent word this takes a while


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

    They are taken from a sample of the documents; `is_partial` if these were not all.
    """

    lines: tuple[ConcordanceLine, ...]
    total: int  # lines in the documents that were read
    documents: int  # that match the query
    documents_read: int
    page: int
    limit: int
    is_partial: bool


def check_page(page: int, limit: int) -> int:
    """Return how many hits come before a page; raise SettingsError when it is out of range."""
    if not 1 <= limit <= LIMIT_MAX:
        raise SettingsError(f"limit {limit}: from 1 to {LIMIT_MAX}")
    if page < 1 or page * limit > REACH_MAX:
        raise SettingsError(
            f"page {page} of {limit}: only the first {REACH_MAX} hits can be paged through; narrow the "
            "query, or see `tiptoe catalog export --help`"
        )
    return (page - 1) * limit
