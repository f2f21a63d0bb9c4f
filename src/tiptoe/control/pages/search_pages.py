"""Pages for searching a crawl: hits for a query, words in their context, and one page with its text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from tiptoe.catalog.narrowing import facet_condition, narrowed, widened
from tiptoe.catalog.passages import occurrences
from tiptoe.catalog.query import words_sought
from tiptoe.catalog.query_parser import QueryMistake, parse_query
from tiptoe.catalog.search import (
    LIMIT_MAX,
    REACH_MAX,
    SORTS,
    Concordance,
    ConcordanceOrder,
    ConcordanceRequest,
    FacetCount,
    Passage,
    SearchRequest,
    SearchResults,
    Sort,
)
from tiptoe.control.concordance_file import concordance_file
from tiptoe.control.crawl_catalogs import build_command
from tiptoe.control.document_facts import (
    MOMENT_LABELS,
    document_facts,
    document_fields,
    read_answer,
    read_visits,
)
from tiptoe.control.marked_text import paragraphs_of
from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, RawPage, ShownPage
from tiptoe.control.pages.crawl_pages import crawl_values
from tiptoe.control.web_problem import WebProblem

__all__ = ["ROUTES"]

HITS: Final = 20
LINES: Final = 50
SAVED_LINES: Final = "concordance.tsv"
WIDTHS: Final = (30, 50, 80, 120, 200)
ORDERS: Final[Mapping[str, ConcordanceOrder]] = {"none": "none", "left": "left", "right": "right"}
HITS_SORTS: Final[Mapping[str, Sort]] = {sort: sort for sort in SORTS}
TEXT_CHARS_MAX: Final = 300_000
"""Maximum characters of a text that a page shows; programs get all of it."""

MISTAKE_CHARS: Final = 60
"""Characters of a query shown on either side of a mistake."""


@dataclass(frozen=True, slots=True)
class FacetLink:
    """A value of a facet, with the search that adds or removes it."""

    value: str
    count: int
    url: str  # empty: it cannot be expressed in a query
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class MistakeShown:
    """What is wrong in a query, where, and what to try."""

    problem: str
    remedy: str
    place: int
    passage: Passage


def show_search(visit: PageVisit) -> PageReply:
    """Show the hits for a query."""
    query = _typed(visit)
    sort = HITS_SORTS.get(visit.query.get("sort", ""), "relevance")
    page = _page(visit, HITS)
    values = _values(visit, "pages", {"q": query, "sort": sort, "page": page})
    if not values["is_there"]:
        return ShownPage("search.html", values)
    crawl = values["seen"].crawl
    request = SearchRequest(query=query, sort=sort, page=page, limit=HITS, facets=True)
    try:
        found = visit.parts.catalogs.search(crawl, request)
    except QueryMistake as mistake:
        return ShownPage("search.html", values | {"mistake": _shown(mistake)}, status=422)
    own = f"/crawls/{crawl.name}/search"
    values |= {
        "found": found,
        "facets": _facets(found, own, query, sort),
        "pages": _pages(found.total, HITS),
        "link": _link(own, q=query, sort=sort),
    }
    return ShownPage("search.html", values)


def show_concordance(visit: PageVisit) -> PageReply:
    """Show words in their context."""
    request = _lines_request(visit)
    query = {"q": request.query, "sort": request.sort, "width": request.width}
    values = _values(visit, "concordance", {**query, "page": request.page})
    values |= {"widths": WIDTHS, "orders": tuple(ORDERS)}
    if not values["is_there"] or not request.query:
        return ShownPage("search.html", values)
    crawl = values["seen"].crawl
    try:
        found: Concordance = visit.parts.catalogs.concordance(crawl, request)
    except QueryMistake as mistake:
        return ShownPage("search.html", values | {"mistake": _shown(mistake)}, status=422)
    link, saved = (_link(f"/crawls/{crawl.name}/{name}", **query) for name in ("concordance", SAVED_LINES))
    values |= {"found": found, "pages": _pages(found.total, LINES), "link": link, "saved": saved}
    return ShownPage("search.html", values)


def save_concordance(visit: PageVisit) -> PageReply:
    """Return all lines that the pages of a concordance show, as a download."""
    crawl = visit.parts.crawls.get(visit.path["crawl"])
    request = msgspec.structs.replace(_lines_request(visit), page=1, limit=LIMIT_MAX)
    found = visit.parts.catalogs.concordance(crawl, request)
    return RawPage(
        content=concordance_file(found.lines), media_type="text/tab-separated-values; charset=utf-8",
        download=f"{crawl.name}-concordance.tsv",
    )  # fmt: skip


def _lines_request(visit: PageVisit) -> ConcordanceRequest:
    width = _number(visit.query.get("width", ""), WIDTHS[1])
    return ConcordanceRequest(
        query=_typed(visit), sort=ORDERS.get(visit.query.get("sort", ""), "none"),
        width=width if width in WIDTHS else WIDTHS[1], page=_page(visit, LINES), limit=LINES,
    )  # fmt: skip


def show_document(visit: PageVisit) -> PageReply:
    """Show a page of the catalog with its text, in which the words of the search are marked."""
    values = crawl_values(visit, "search")
    facts = document_facts(visit.parts.catalogs.document(values["seen"].crawl, visit.path["id"]))
    query = _typed(visit)
    text = facts.description.full_text or facts.description.partial_text
    try:
        sought = list(words_sought(parse_query(query), frozenset({"text"})))
    except QueryMistake:
        sought = []  # the URL was edited by hand: nothing is marked
    places = occurrences(text[:TEXT_CHARS_MAX], sought) if sought else []
    values |= {
        "facts": facts,
        "page": facts.description,
        "fields": document_fields(facts.description),
        "moments": MOMENT_LABELS,
        "paragraphs": list(paragraphs_of(text, places, TEXT_CHARS_MAX)),
        "chars_left_out": max(len(text) - TEXT_CHARS_MAX, 0),
        "marks": len(places),
        "q": query,
        "is_web": facts.description.url.startswith(("http://", "https://")),
    }
    return ShownPage("document.html", values)


def find_document(visit: PageVisit) -> PageReply:
    """Redirect to the catalog page of a URL."""
    crawl = visit.parts.crawls.get(visit.path["crawl"])
    found = document_facts(visit.parts.catalogs.document(crawl, visit.query.get("url", "").strip()))
    return Elsewhere(url=f"/crawls/{crawl.name}/documents/{found.id}")


def show_visits(visit: PageVisit) -> PageReply:
    """Show the visits to a page with their results: the part that takes longer to read."""
    crawl = visit.parts.crawls.get(visit.path["crawl"])
    url = visit.parts.catalogs.document(crawl, visit.path["id"]).described.url
    try:
        visits = read_visits(visit.parts.processes, crawl, url).visits
        return ShownPage("document_visits.html", {"visits": visits, "fault": ""})
    except WebProblem as problem:
        # Descriptions may come from elsewhere: then the crawl's files do not contain the page.
        return ShownPage("document_visits.html", {"visits": [], "fault": problem.detail})


def show_answer(visit: PageVisit) -> PageReply:
    """Show what the server sent for a page: its head, and its source as text."""
    values = crawl_values(visit, "search")
    crawl = values["seen"].crawl
    entry = visit.parts.catalogs.document(crawl, visit.path["id"])
    values |= {"facts": document_facts(entry), "sent": read_answer(visit.parts.processes, crawl, entry)}
    return ShownPage("document_answer.html", values | {"chars_max": TEXT_CHARS_MAX})


def _values(visit: PageVisit, view: str, query: dict[str, Any]) -> dict[str, Any]:
    values = crawl_values(visit, "search")
    crawl = values["seen"].crawl
    return values | {
        "view": view,
        "query": query,
        "sorts": SORTS,
        "is_there": visit.parts.catalogs.is_there(crawl),
        "command": build_command(crawl),
        "found": None,
        "mistake": None,
    }


def _facets(found: SearchResults, own: str, query: str, sort: str) -> dict[str, list[FacetLink]]:
    return {
        name: [_facet_link(name, one, own, query, sort) for one in counts]
        for name, counts in found.facets.items()
        if counts
    }


def _facet_link(facet: str, one: FacetCount, own: str, query: str, sort: str) -> FacetLink:
    condition = facet_condition(facet, one.value)
    if not condition:
        return FacetLink(one.value, one.count, "", False)
    wider = widened(query, condition)
    try:
        asked = narrowed(query, condition) if wider is None else wider
    except QueryMistake:
        return FacetLink(one.value, one.count, "", False)  # the query would become too long
    return FacetLink(one.value, one.count, _link(own, q=asked, sort=sort), wider is not None)


def _shown(mistake: QueryMistake) -> MistakeShown:
    place = mistake.place
    first = max(place - MISTAKE_CHARS, 0)
    # The added space allows pointing at the end, where something is missing.
    text = f"{mistake.query} "[first : place + MISTAKE_CHARS]
    return MistakeShown(
        mistake.problem, mistake.remedy, place + 1, Passage(text, ((place - first, place - first + 1),))
    )


def _typed(visit: PageVisit) -> str:
    return visit.query.get("q", "").replace("\n", " ").strip()


def _link(path: str, **words: object) -> str:
    """Return a URL to which `&page=2` can be added."""
    return f"{path}?{urlencode(words, errors='replace')}"


def _pages(total: int, limit: int) -> int:
    return min(-(-total // limit), REACH_MAX // limit)


def _page(visit: PageVisit, limit: int) -> int:
    return min(max(_number(visit.query.get("page", ""), 1), 1), REACH_MAX // limit)


def _number(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else default


ROUTES: Final = (
    PageRoute("/crawls/{crawl}/search", show_search),
    PageRoute("/crawls/{crawl}/concordance", show_concordance),
    PageRoute(f"/crawls/{{crawl}}/{SAVED_LINES}", save_concordance),
    PageRoute("/crawls/{crawl}/documents", find_document),
    PageRoute("/crawls/{crawl}/documents/{id}", show_document),
    PageRoute("/crawls/{crawl}/documents/{id}/visits", show_visits),
    PageRoute("/crawls/{crawl}/documents/{id}/answer", show_answer),
)
