"""`tiptoe why`: what happened to a host, or to a page?"""

import json
import time
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.markup import escape

from tiptoe.cli.arguments import AsJson, Directory
from tiptoe.cli.crawl_meant import target_and_directory
from tiptoe.cli.finding_out import find_out
from tiptoe.cli.past import Past
from tiptoe.cli.printer import Printer
from tiptoe.cli.scope_command import verdicts_on
from tiptoe.cli.targets import host_meant, url_meant
from tiptoe.compose_rules import build_canonicalizer
from tiptoe.convert.document_fate import fate_of_document
from tiptoe.decide.discard import Discard
from tiptoe.decide.rule_verdicts import RuleVerdict
from tiptoe.keeper.explanation import explanation_of
from tiptoe.observe.crawl_marker import no_crawl
from tiptoe.observe.linking_page import linking_page
from tiptoe.protocol.whereabouts import Whereabouts
from tiptoe.settings.layers import Settings
from tiptoe.url.address import host_of

__all__ = ["why_command"]


def why_command(
    target: Annotated[str, Parameter(help="Host name, or address of a page; http:// may be left out.")],
    directory: Directory = Path("crawl"),
    *,
    as_json: AsJson = False,
) -> int:
    """Tell the story of one host or one page: its state, what it waits for, and its outcome.

    Works on a running crawl, and on one that has stopped.
    """
    directory, target = target_and_directory("why", directory, target, is_last=True)
    past = Past.recall(directory)
    if past.settings is None:
        raise no_crawl(directory)
    settings = past.settings
    url = url_meant(target, build_canonicalizer(settings)) if "/" in target else ""
    host = host_of(url) if url else host_meant(target)
    found = find_out(directory, settings, host, url, time.time())
    if is_unknown(found) and (other := find_out(directory, settings, host, twin_of(url), time.time())).page:
        found = found if is_unknown(other) else other
        url = found.page.url if found.page else url
    found = _with_linking_page(directory, found)
    found = _with_conversion(directory, found)
    refusals = _refusals(settings, host, url, found)
    lines = [
        *explanation_of(found, host, directory),
        *(f"{verdict.rule} leaves it out: {verdict.explanation}." for verdict in refusals),
    ]
    if as_json:
        facts = msgspec.to_builtins(found)
        rules = [verdict._asdict() for verdict in refusals]
        values = {"host": host, "url": url, "said": lines, "whereabouts": facts, "refused_by": rules}
        print(json.dumps(values, indent=1, ensure_ascii=False))
        return 0
    printer = Printer(highlight=False)
    for sentence in lines:
        printer.print(escape(sentence), soft_wrap=True)
    return 0


def is_unknown(found: Whereabouts) -> bool:
    """Whether the question was about a page that the crawl has never seen."""
    page = found.page
    return page is not None and not (page.is_met or page.outcome or page.is_underway)


def twin_of(url: str) -> str:
    """Return the same URL with https in place of http, or the reverse: users often mix them up."""
    scheme, _, rest = url.partition("://")
    return f"{'http' if scheme == 'https' else 'https'}://{rest}"


def _with_linking_page(directory: Path, found: Whereabouts) -> Whereabouts:
    """Add, from the archive, which page links to a visited one: the database no longer knows."""
    page = found.page
    if page is None or page.via or not page.visits or not page.depth:
        return found
    return msgspec.structs.replace(
        found, page=msgspec.structs.replace(page, via=linking_page(directory, page.url))
    )


def _with_conversion(directory: Path, found: Whereabouts) -> Whereabouts:
    """Add what happened to a document stored for conversion: the keeper does not know about conversions."""
    page = found.page
    if page is None or page.outcome != Discard.STORED_ASIDE:
        return found
    stored = fate_of_document(directory, page.url)
    if stored is None:
        return found
    page = msgspec.structs.replace(page, document_type=stored.media_type, document_fate=stored.fate.value)
    return msgspec.structs.replace(found, page=page)


def _refusals(settings: Settings, host: str, url: str, found: Whereabouts) -> list[RuleVerdict]:
    """Return the rules of the crawl that leave a host or page out, besides what its story says."""
    if found.forgotten_as:
        return []  # whatever the rules say, it is never requested
    # A page that was requested, as a seed for instance, or is queued has passed the rules about links.
    has_passed = found.page is not None and (bool(found.page.outcome) or found.page.queued_in is not None)
    depth = 0 if has_passed or not url else 1
    verdicts = verdicts_on(settings, url or f"http://{host}/", depth=depth, found=found)
    return [verdict for verdict in verdicts if verdict.refusal and verdict.point == "schedule"]
