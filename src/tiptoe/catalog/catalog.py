"""How does a program search the catalog of a crawl?

    with open_catalog(directory) as catalog:
        results = catalog.search(SearchRequest(query="title:voda AND lang:cs", facets=True))
        lines = catalog.concordance(ConcordanceRequest(query="voda", sort="right"))
        entry = catalog.document("https://www.example.cz/")

What is committed meanwhile is visible to the next request. A catalog may be used by one thread at a time.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from types import TracebackType
from typing import Final

from tiptoe.catalog.catalog_index import CatalogIndex
from tiptoe.catalog.description import iso_moment
from tiptoe.catalog.entry import FACETS, CatalogEntry, page_id, page_number
from tiptoe.catalog.passages import Occurrence, lines_of, occurrences, snippet, sorted_lines
from tiptoe.catalog.query import Condition, HasWords, has_scores, looked_for_in, words_sought
from tiptoe.catalog.query_parser import QueryMistake, parse_query
from tiptoe.catalog.search import (
    WIDTH_MAX,
    Concordance,
    ConcordanceLine,
    ConcordanceRequest,
    SearchHit,
    SearchRequest,
    SearchResults,
    check_page,
)
from tiptoe.errors import SettingsError

__all__ = ["Catalog"]

LINES_MAX: Final = 1000
"""Maximum lines of a concordance that are gathered and sorted."""

BATCHES: Final = (50, 100, 250)
"""How many documents are read at a time for it; for a frequent word the first batch is enough."""

LINES_OF_DOCUMENT_MAX: Final = 100
SNIPPET_CHARS_MAX: Final = 2000
FACET_VALUES_MAX: Final = 100
_ID: Final = re.compile("[0-9a-f]{16}")


class Catalog:
    """The catalog of one crawl, for reading."""

    def __init__(
        self, index: CatalogIndex, *, successor: Callable[[], CatalogIndex | None] = lambda: None
    ) -> None:
        """`successor` returns the index that has replaced this one, if any."""
        self._index = index
        self._successor = successor
        self._gathered: tuple[object, _Gathered] | None = None  # the last lines, with what they depend on

    def __enter__(self) -> "Catalog":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def index(self) -> CatalogIndex:
        """The current index; it changes when the catalog is rebuilt."""
        successor = self._successor()
        if successor is not None:
            self._index.close()
            self._index = successor
        return self._index

    def close(self) -> None:
        """Close the catalog."""
        self._index.close()

    def search(self, request: SearchRequest) -> SearchResults:
        """Return one page of hits; raise QueryMistake or SettingsError if the request is invalid."""
        offset = check_page(request.page, request.limit)
        condition = parse_query(request.query)
        # Without scores all hits are equal, and people want the newest.
        sort = "newest" if request.sort == "relevance" and not has_scores(condition) else request.sort
        index = self.index
        found = index.search(condition, sort=sort, offset=offset, limit=request.limit)
        sought = list(words_sought(condition, frozenset({"text"})))
        chars = min(max(request.snippet_chars, 0), SNIPPET_CHARS_MAX)
        values = min(max(request.facet_values, 1), FACET_VALUES_MAX)
        return SearchResults(
            total=found.total,
            page=request.page,
            limit=request.limit,
            hits=tuple(_hit(entry, score, sought, chars) for score, entry in found.entries),
            facets=index.facets(condition, FACETS, values) if request.facets else {},
        )

    def concordance(self, request: ConcordanceRequest) -> Concordance:
        """Return occurrences in context; for a frequent word, those in the first documents."""
        offset = check_page(request.page, request.limit)
        if not 1 <= request.width <= WIDTH_MAX:
            raise SettingsError(f"width {request.width}: from 1 to {WIDTH_MAX} characters")
        condition = looked_for_in(parse_query(request.query), "text")
        sought = list(words_sought(condition, frozenset({"text"})))
        if not sought:
            raise QueryMistake(
                request.query, 0, "a concordance needs a word of the text",
                "Give a word or a phrase; fields such as lang:cs may stand beside it.",
            )  # fmt: skip
        found = self._lines_for(condition, sought, request)
        ordered = sorted_lines(found.lines, request.sort)
        shown = ordered if request.is_whole else ordered[offset : offset + request.limit]
        return Concordance(
            lines=tuple(shown),
            total=len(ordered),
            documents=found.documents,
            documents_read=found.read,
            page=request.page,
            limit=request.limit,
            is_partial=found.is_cut or found.read < found.documents,
        )

    def _lines_for(
        self, condition: Condition, sought: list[HasWords], request: ConcordanceRequest
    ) -> "_Gathered":
        """Return the lines of a request; people look at the same ones page by page, and in another order."""
        index = self.index
        version = index.version()
        if version is None or request.is_whole:
            return _gather(index, condition, sought, request)
        asked = (id(index), version, condition, request.width)
        if self._gathered is None or self._gathered[0] != asked:
            self._gathered = asked, _gather(index, condition, sought, request)
        return self._gathered[1]

    def document(self, url_or_id: str) -> CatalogEntry | None:
        """Return the entry of a page, found by its URL or its id."""
        is_id = _ID.fullmatch(url_or_id) is not None
        return self.index.entry(int(url_or_id, 16) if is_id else page_number(url_or_id))


def _hit(entry: CatalogEntry, score: float, sought: list[HasWords], chars: int) -> SearchHit:
    page = entry.description
    return SearchHit(
        id=page_id(page.url),
        url=page.url,
        title=page.title,
        language=page.content_language,
        type=page.content_type,
        fetched_at=iso_moment(entry.moment),
        last_modified=page.last_modified,
        length=len(page.full_text),
        depth=page.depth,
        usability=entry.usability,
        score=score,
        snippet=snippet(page.full_text or page.description or page.partial_text, sought, chars),
    )


@dataclass(slots=True)
class _Gathered:
    lines: list[ConcordanceLine]
    read: int = 0  # documents
    documents: int = 0  # that match the query
    is_cut: bool = False  # some document has more lines


def _gather(
    index: CatalogIndex, condition: Condition, sought: list[HasWords], request: ConcordanceRequest
) -> _Gathered:
    """Gather lines from one document after the other, up to the number requested."""
    made = _Gathered([])
    for batch in repeat(BATCHES[-1]) if request.is_whole else BATCHES:
        found = index.search(condition, sort="sample", offset=made.read, limit=batch)
        made.documents = found.total
        for _, entry in found.entries:
            places = occurrences(entry.description.full_text, sought)
            room = min(LINES_OF_DOCUMENT_MAX, LINES_MAX - len(made.lines))
            if request.is_whole:
                room = len(places)
            made.read += 1
            made.is_cut |= len(places) > room
            made.lines += _lines(entry, places[:room], request.width)
            if not request.is_whole and len(made.lines) >= LINES_MAX:
                return made
        if made.read >= found.total or not found.entries:
            break
    return made


def _lines(entry: CatalogEntry, places: Iterable[Occurrence], width: int) -> Iterator[ConcordanceLine]:
    page = entry.description
    return lines_of(page.full_text, places, width, id=page_id(page.url), url=page.url, title=page.title)
