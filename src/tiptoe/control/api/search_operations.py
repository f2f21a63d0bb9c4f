"""The API's operations on the catalogs of crawls, with the same requests and results as in Python."""

from collections.abc import Callable
from typing import Annotated, Final, TypeVar

import msgspec

from tiptoe.catalog.query_parser import QueryMistake
from tiptoe.catalog.search import Concordance, ConcordanceRequest, SearchRequest, SearchResults
from tiptoe.control.api_operation import ApiCall, ApiOperation
from tiptoe.control.document_facts import (
    ArchivedAnswer,
    DocumentFacts,
    PageVisits,
    document_facts,
    read_answer,
    read_visits,
)
from tiptoe.control.web_problem import WebProblem

__all__ = ["OPERATIONS"]

_T = TypeVar("_T")


class DocumentQuery(msgspec.Struct):
    """Which page: its URL, or its id in the catalog."""

    url: Annotated[str, msgspec.Meta(max_length=20_000)] = ""
    id: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{16})?$")] = ""


def search(call: ApiCall) -> SearchResults:
    crawl = call.parts.crawls.get(call.path["crawl"])
    return _answer(lambda: call.parts.catalogs.search(crawl, call.query))


def concordance(call: ApiCall) -> Concordance:
    crawl = call.parts.crawls.get(call.path["crawl"])
    return _answer(lambda: call.parts.catalogs.concordance(crawl, call.query))


def show_document(call: ApiCall) -> DocumentFacts:
    crawl = call.parts.crawls.get(call.path["crawl"])
    return document_facts(call.parts.catalogs.document(crawl, _named(call.query)))


def show_answer(call: ApiCall) -> ArchivedAnswer:
    crawl = call.parts.crawls.get(call.path["crawl"])
    entry = call.parts.catalogs.document(crawl, _named(call.query))
    return read_answer(call.parts.processes, crawl, entry)


def list_visits(call: ApiCall) -> PageVisits:
    crawl = call.parts.crawls.get(call.path["crawl"])
    url = call.parts.catalogs.document(crawl, _named(call.query)).described.url
    return read_visits(call.parts.processes, crawl, url)


def _named(query: DocumentQuery) -> str:
    if bool(query.url) == bool(query.id):
        raise WebProblem(422, "name a page by its url or by its id", errors={"url": "one of url and id"})
    return query.id or query.url


def _answer(ask: Callable[[], _T]) -> _T:
    try:
        return ask()
    except QueryMistake as mistake:
        text = f"{mistake.problem}, at character {mistake.place + 1}. {mistake.remedy}"
        raise WebProblem(422, str(mistake), errors={"query": text}) from mistake


# fmt: off
OPERATIONS: Final = (
    ApiOperation("GET", "/crawls/{crawl}/search", search, query=SearchRequest, reply=SearchResults,
                 tag="search", summary="Find pages of a crawl"),
    ApiOperation("GET", "/crawls/{crawl}/concordance", concordance, query=ConcordanceRequest,
                 reply=Concordance, tag="search", summary="Find words in their context"),
    ApiOperation("GET", "/crawls/{crawl}/documents", show_document, query=DocumentQuery, reply=DocumentFacts,
                 tag="search", summary="Show a page with its text and all that is known of it"),
    ApiOperation("GET", "/crawls/{crawl}/documents/visits", list_visits, query=DocumentQuery,
                 reply=PageVisits, tag="search", summary="List the visits to a page, and its versions"),
    ApiOperation("GET", "/crawls/{crawl}/documents/answer", show_answer, query=DocumentQuery,
                 reply=ArchivedAnswer, tag="search", summary="Show what the server sent for a page, as text"),
)
