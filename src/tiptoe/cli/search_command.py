"""`tiptoe search`: find pages of a crawl, and words in their context."""

import sys
from typing import Annotated, Any, get_args

import msgspec
from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from tiptoe.catalog.catalog_directory import open_catalog
from tiptoe.catalog.query_parser import parse_query
from tiptoe.catalog.search import (
    LIMIT_MAX,
    REACH_MAX,
    SORTS,
    WIDTH_MAX,
    Concordance,
    ConcordanceOrder,
    ConcordanceRequest,
    FacetCount,
    Passage,
    SearchHit,
    SearchRequest,
    SearchResults,
)
from tiptoe.cli.arguments import AsJson, Directory
from tiptoe.cli.catalog_building import CATALOG_OPTIONS, catalog_database, expect_files, refresh
from tiptoe.cli.concordance_lines import DEFAULT_WIDTH, print_concordance
from tiptoe.cli.crawl_meant import target_and_directory
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.printer import Printer
from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import counted, human_count, was
from tiptoe.observe.printable import printable
from tiptoe.write.output_kinds import CORPUS

__all__ = ["search_command"]

FOUND = "bold yellow"
FOUND_NOTHING = 1


@takes_settings(CATALOG_OPTIONS)
def search_command(
    directory: Directory,
    query: Annotated[str, Parameter(help="What to search for; all pages if it is empty.")] = "",
    *,
    kwic: Annotated[bool, Parameter(help="Show each occurrence in its context.")] = False,
    facets: Annotated[
        bool, Parameter(help="Count hits by language, site, type, month and usability.")
    ] = False,
    sort: Annotated[
        str,
        Parameter(
            help="Order of hits: relevance, newest, oldest, longest, shortest, usability, url or sample; "
            "with --kwic by the words to the left, to the right, or none."
        ),
    ] = "",
    limit: Annotated[int, Parameter(help="Hits or lines per page.")] = 20,
    page: Annotated[int, Parameter(help="Which page of them.")] = 1,
    every: Annotated[
        bool, Parameter(name="--all", help="Show all lines, with --kwic, not a sample of them.")
    ] = False,
    width: Annotated[
        int | None,
        Parameter(
            help="Characters of context on either side, with --kwic: 40, or as many as fit the terminal."
        ),
    ] = None,
    as_json: AsJson = False,
    layers: Layers,
) -> int:
    """Find pages of a crawl, or words in their context."""
    directory, query = target_and_directory("search", directory, query, is_last=False)
    expect_files(directory)
    _check_range("--limit", limit, LIMIT_MAX)
    _check_range("--page", page, REACH_MAX)
    context = DEFAULT_WIDTH if width is None else width
    _check_range("--width", context, WIDTH_MAX)
    if every and not kwic:
        raise SettingsError("--all: only with --kwic; hits are shown page by page")
    if facets and kwic:
        raise SettingsError("--facets: not with --kwic; facets count pages, not lines")
    order = _order(sort, is_kwic=kwic)
    parse_query(query)  # report mistakes before reading anything
    database = catalog_database(directory, layers)
    if said := refresh(directory, database):
        print(f"tiptoe: {said}", file=sys.stderr)
    with open_catalog(directory, database) as catalog:
        if kwic:
            asked = ConcordanceRequest(
                query=query, sort=order, width=context, page=page, limit=limit,
                is_whole=every,
            )  # fmt: skip
            lines = catalog.concordance(asked)
            _print_json(lines) if as_json else _print_lines(lines, width)
            return 0 if lines.lines else FOUND_NOTHING
        results = catalog.search(
            SearchRequest(query=query, sort=order, page=page, limit=limit, facets=facets)
        )
    _print_json(results) if as_json else _print_hits(Printer(highlight=False), results)
    if not as_json and not results.total and not CORPUS.files(directory):
        print(f"{directory} has no text yet.")
    return 0 if results.hits else FOUND_NOTHING


def _check_range(option: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise SettingsError(f"{option} {number}: from 1 to {most}")


def _order(word: str, *, is_kwic: bool) -> Any:
    """Return the order of lines, or of pages; the default if none is named."""
    of_lines = get_args(ConcordanceOrder)
    words = of_lines if is_kwic else SORTS
    word = word or ("none" if is_kwic else "relevance")
    if word not in words:
        when = "with --kwic, " if is_kwic else "--kwic is missing, or " if word in of_lines else ""
        raise SettingsError(f"--sort {word}: {when}expected one of {', '.join(words)}")
    return word


def _print_json(found: SearchResults | Concordance) -> None:
    print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())


def _print_hits(console: Console, results: SearchResults) -> None:
    if not results.hits:
        console.print(_no_hits_text(results.total, results.limit, "page", "found"))
    for hit in results.hits:
        console.print(Text(printable(hit.title) or "(no title)", style="bold"), soft_wrap=True)
        console.print(Text(printable(hit.url), style="cyan"), soft_wrap=True)
        if hit.snippet.text:
            console.print(_marked(hit.snippet), soft_wrap=True)
        console.print(Text(_facts(hit), style="dim"), soft_wrap=True)
        console.print()
    for name, counts in results.facets.items():
        _print_facet(console, name, counts)
    if results.total > len(results.hits) and results.hits:
        before = (results.page - 1) * results.limit
        last = before + len(results.hits)
        more = f"; --page {results.page + 1} shows more" if last < results.total else ""
        console.print(
            f"{human_count(before + 1)} to {human_count(last)} of {counted(results.total, 'page')}{more}"
        )
    elif results.hits:
        console.print(f"{counted(results.total, 'page')}")


def _no_hits_text(total: int, limit: int, noun: str, verb: str) -> str:
    """Return why a page of hits is empty: there are none at all, or fewer than skipped."""
    if not total:
        return "Nothing was found."
    return (
        f"No more: {counted(total, noun)} {was(total)} {verb}; the last are on --page {-(-total // limit)}."
    )


def _facts(hit: SearchHit) -> str:
    facts = [hit.fetched_at[:10], hit.language, hit.type, counted(hit.length, "character")]
    if hit.usability is not None:
        facts.append(f"usability {hit.usability:.2f}")
    return printable(" · ".join(fact for fact in facts if fact))


def _marked(passage: Passage) -> Text:
    shown = Text(printable(passage.text, " "))
    for start, end in passage.marks:
        shown.stylize(FOUND, start, end)
    return shown


def _print_facet(console: Console, name: str, counts: tuple[FacetCount, ...]) -> None:
    if counts:
        text = ", ".join(f"{printable(one.value)} {human_count(one.count)}" for one in counts)
        console.print(Text.assemble((f"{name}: ", "bold"), text), soft_wrap=True)


def _print_lines(found: Concordance, width: int | None) -> None:
    console = Printer(highlight=False)
    if found.lines:
        print_concordance(console, found, width)
    else:
        console.print(_no_hits_text(found.total, found.limit, "line", "gathered"))
