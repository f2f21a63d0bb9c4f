"""How would the filters of a crawl judge a URL, line by line?

A separate process answers, with a time limit, because regular expressions in filters may take forever, and a
page pasted by a user is as hostile as one from the web. On request that process also fetches the page, in the
name of the crawl and by its rules; see `cli/page_on_request.py`.
"""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from tiptoe.control.crawl_launch import settings_words
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.tiptoe_process import TiptoeProcesses
from tiptoe.control.web_problem import WebProblem
from tiptoe.filters.explaining import ExplainedStep, Explanation, FetchedAnswer, is_refused
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.url.canonical_rules import SCHEMES

__all__ = ["SimulatedChain", "SimulatedPage", "Simulation", "simulate"]

SECONDS: Final = 15.0
FETCHING_SECONDS: Final = 90.0
URL_CHARS_MAX: Final = 4_000
HTML_CHARS_MAX: Final = 2_000_000
DEPTH_MAX: Final = 10_000
LINKS_SHOWN: Final = 200
VALUE_CHARS_SHOWN: Final = 300
TYPE: Final = re.compile(r"[A-Za-z0-9.+_-]+/[A-Za-z0-9.+_-]+")


class SimulatedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A URL, and its server's hypothetical answer."""

    url: str
    depth: int = 0  # number of links from a seed
    type: str = ""  # such as text/html; empty: only the URL is judged
    html: str = ""
    fetch: bool = False  # fetch the page, unless the crawl's archive has it


class SimulatedChain(msgspec.Struct, frozen=True, kw_only=True):
    """How one filter judged a URL."""

    kind: str  # enumeration or generation
    filter: str
    verdict: str  # allowed, denied or failed
    phase: str  # in which it was denied
    place: str  # the line that decided; empty: none objected
    why: str
    steps: list[ExplainedStep]
    links: list[str] | None = None  # that would be followed
    fields: dict[str, list[str]] | None = None  # of the description


class Simulation(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement of both filters."""

    url: str
    verdict: str  # requested or refused
    is_answered: bool  # there is an answer, so the phases after MetaData were run
    chains: list[SimulatedChain]
    fetched: FetchedAnswer | None = None  # the result of fetching it, if requested


class _Explained(msgspec.Struct, frozen=True):
    fetched: FetchedAnswer | None
    explained: list[Explanation]


def simulate(
    processes: TiptoeProcesses, crawl: KnownCrawl, filters: Path, request: SimulatedPage
) -> Simulation:
    """Send a URL through the filters in a directory, or through those that a crawl remembers."""
    url = _expect(request)
    words = ["filters", "explain", str(filters), url, "--confined", "--json", f"--depth={request.depth}"]
    words += [f"--type={request.type}"] if request.type else []
    if request.fetch:
        words += ["--fetch", "--crawl", str(crawl.directory), *settings_words(crawl)]
    with TemporaryDirectory(prefix="tiptoe-") as folder:
        if request.html:
            page = Path(folder, "page.html")
            page.write_text(request.html, encoding="utf-8", errors="replace")
            words.append(f"--html={page}")
        done = processes.run(words, seconds=FETCHING_SECONDS if request.fetch else SECONDS)
    if not done.output:
        raise WebProblem(422, done.fault.removeprefix("tiptoe: ") or "the filters cannot be asked")
    if request.fetch:
        fetched, told = _with_answer(done.output)
    else:
        fetched, told = None, msgspec.json.decode(done.output, type=list[Explanation])
    is_answered = fetched is not None and 200 <= fetched.status < 300
    return Simulation(
        url=url,
        verdict="refused" if is_refused(told) else "requested",
        is_answered=is_answered or bool(request.type or request.html),
        chains=[_chain(one) for one in told],
        fetched=fetched,
    )


def _with_answer(said: bytes) -> tuple[FetchedAnswer | None, list[Explanation]]:
    found = msgspec.json.decode(said, type=_Explained)
    return found.fetched, found.explained


def _expect(request: SimulatedPage) -> str:
    errors: dict[str, str] = {}
    url = None
    if len(request.url) <= URL_CHARS_MAX:
        url = Canonicalizer(CanonicalRules(schemes=frozenset(SCHEMES))).canonical(request.url.strip())
    if url is None:
        errors["url"] = "no address; one looks like https://www.example.org/"
    if not 0 <= request.depth <= DEPTH_MAX:
        errors["depth"] = f"expected a number from 0 to {DEPTH_MAX}"
    if request.type and not TYPE.fullmatch(request.type[:200]):
        errors["type"] = "expected a type such as text/html"
    if len(request.html) > HTML_CHARS_MAX:
        errors["html"] = f"more than {HTML_CHARS_MAX} characters"
    if request.fetch and (request.html or request.type):
        errors["fetch"] = "the server brings type and page: leave those out"
    if errors or url is None:
        raise WebProblem(422, "; ".join(f"{name}: {one}" for name, one in errors.items()), errors=errors)
    return url


def _chain(told: Explanation) -> SimulatedChain:
    denied = told.denied
    fields = told.fields
    if fields is not None:
        fields = {
            name: [value[:VALUE_CHARS_SHOWN] for value in values[:LINKS_SHOWN]]
            for name, values in fields.items()
        }
    return SimulatedChain(
        kind=told.kind,
        filter=told.filter,
        verdict="allowed" if denied is None else "failed" if denied.is_fault else "denied",
        phase=told.denied_in,
        place=denied.place if denied is not None else "",
        why=denied.why if denied is not None else "",
        steps=told.steps,
        links=told.links[:LINKS_SHOWN] if told.links is not None else None,
        fields=fields,
    )
