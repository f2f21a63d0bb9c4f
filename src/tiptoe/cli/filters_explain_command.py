"""`tiptoe filters explain`: which line decides about a URL?"""

import ipaddress
import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from tiptoe.cli.arguments import AsJson
from tiptoe.cli.crawl_meant import as_typed
from tiptoe.cli.exits import Exit
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.targets import url_meant
from tiptoe.errors import SettingsError
from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer
from tiptoe.filters.definition import RobotDefinition, from_lines
from tiptoe.filters.explaining import Explanation, FetchedAnswer, explain, is_refused
from tiptoe.filters.filter_directory import read_robot
from tiptoe.filters.filter_plugins import load_plugins
from tiptoe.filters.resource import PageFacts
from tiptoe.filters.robot_filters import RobotFilters, functions_wanted
from tiptoe.harvest.mediatype import HTML, XHTML, declared_charset, media_type
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.amounts import counted
from tiptoe.parse.charset import decode
from tiptoe.parse.html import Details, read_page
from tiptoe.settings.layers import Settings
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.url.canonical_rules import SCHEMES
from tiptoe.url.suspects import LinkingAnswer

__all__ = ["explain_filters_command"]

HTML_BYTES_MAX = 10_000_000
MARKUP_CHARS_MAX = 500_000
FIELD_CHARS_SHOWN = 200


@takes_settings(only=())
def explain_filters_command(
    directory: Annotated[
        Path, Parameter(help="Directory of the filters, a TOML file, or a crawl that remembers its filters.")
    ],
    url: Annotated[str, Parameter(help="The address to send through the filters; http:// may be left out.")],
    *,
    type: Annotated[str, Parameter(help="Type that its server would declare, such as text/html.")] = "",
    html: Annotated[Path | None, Parameter(help="A file with what the server would send.")] = None,
    fetch: Annotated[
        bool,
        Parameter(
            help="Take the page from the archive of the crawl, or else request it once, as the crawl would: "
            "obeying robots.txt, with its name and pauses. Not while the crawl is running.",
        ),
    ] = False,
    crawl: Annotated[
        Path | None, Parameter(help="The crawl in whose name it is fetched, if the filters are elsewhere.")
    ] = None,
    depth: Annotated[int, Parameter(help="How many links away from a seed it was found.")] = 0,
    ip: Annotated[str, Parameter(help="The IP address of its host.")] = "",
    confined: Annotated[
        bool, Parameter(help="Read no file outside the directory, whatever the filters name.")
    ] = False,
    as_json: AsJson = False,
    layers: Layers,
) -> int:
    """Print which line decides about a URL, in each stage of both filters."""
    if fetch and (html is not None or type):
        raise SettingsError("--fetch brings the answer of the server: leave --html and --type out")
    if depth < 0:
        raise SettingsError(f"--depth {depth}: at least 0, for a seed")
    _check_address(ip)
    if not directory.exists() and url and Path(url).exists():  # arguments in reverse order
        directory, url = Path(url), as_typed(directory)
    definition = _definition(directory, is_confined=confined)
    filters = RobotFilters(definition, load_plugins(functions_wanted(definition)))
    canonical = url_meant(url, Canonicalizer(CanonicalRules(schemes=frozenset(SCHEMES))))
    facts, links = _answer(html, type)
    told = explain(filters, canonical, depth=depth, ip=ip or None, facts=facts, links=links)
    fetched: FetchedAnswer | None = None
    if fetch and not is_refused(told):
        fetched, facts, links = _fetched(crawl or directory, layers, canonical)
        if facts is not None:
            told = explain(filters, canonical, depth=depth, ip=ip or None, facts=facts, links=links)
    if as_json:
        explained = [msgspec.to_builtins(one) for one in told]
        values = {"fetched": msgspec.to_builtins(fetched), "explained": explained} if fetch else explained
        print(json.dumps(values, indent=1, ensure_ascii=False))
        return _exit_of(fetched)
    print(f"{canonical} at depth {depth}")
    if fetched is not None:
        print(_said(fetched))
    for one in told:
        _print_explanation(one, is_answered=facts is not None)
    if is_refused(told):
        print("\nBoth filters deny it by its address: it is not requested.")
    return _exit_of(fetched)


def _check_address(ip: str) -> None:
    try:
        ipaddress.ip_address(ip or "::")
    except ValueError:
        raise SettingsError(f"--ip {ip}: expected an IP address, such as 192.0.2.1") from None


def _exit_of(fetched: FetchedAnswer | None) -> Exit:
    return Exit.FAULT if fetched is not None and fetched.hindrance else Exit.DONE


def _definition(directory: Path, *, is_confined: bool) -> RobotDefinition:
    """Return the definition in the files, or the one that a crawl read when it was started."""
    remembered = recall(directory)
    if remembered is None:
        robot = read_robot(directory, is_confined=is_confined)
        robot.expect_order()
        return robot.definition
    lines = Settings.load(remembered=remembered).filters.definition
    if not lines:
        raise SettingsError(f"{directory}: this crawl uses no filters; name a directory of filters")
    return from_lines(lines)


def _answer(html: Path | None, type: str) -> tuple[PageFacts | None, list[str]]:
    """Return the facts and links of the answer that the options describe; None if they describe none."""
    if html is None:
        declared = PageFacts(headers={}, media_type=type.lower(), moment=time.time())
        return declared if type else None, []
    body = html.read_bytes()[:HTML_BYTES_MAX]
    facts = PageFacts(headers={}, media_type=type.lower() or "text/html", body=body, moment=time.time())
    return facts, _read_into(facts, body, None)[0]


def _fetched(crawl: Path, layers: Layers, url: str) -> tuple[FetchedAnswer, PageFacts | None, list[str]]:
    """Return the result of requesting a page, with what filters see of it."""
    # The modules that make requests take time to load, and other uses do not need them.
    from tiptoe.cli.page_on_request import NotAsked, page_on_request

    if layers.file is None and recall(crawl) is None:
        raise SettingsError(
            f"{crawl}: no crawl that remembers its settings; name one with --crawl DIR, or its settings with "
            "--config FILE and the directory where requests are logged with --crawl DIR"
        )
    settings = layers.load(remembered=recall(crawl))
    try:
        answer, is_archived = page_on_request(crawl, settings, url)
    except NotAsked as refused:
        return FetchedAnswer(hindrance=str(refused)), None, []
    location = answer.headers.get("location", "")
    leads_to = Canonicalizer().redirect(LinkingAnswer(url), location) if location else None
    fetched = FetchedAnswer(
        is_archived=is_archived, status=answer.status, type=media_type(answer), body_bytes=len(answer.body),
        moment=answer.started_at, location=leads_to or "",
    )  # fmt: skip
    if not 200 <= answer.status < 300:
        return fetched, None, []
    facts, links, markup = _facts_of(answer)
    return replace(fetched, markup=markup[:MARKUP_CHARS_MAX]), facts, links


def _facts_of(answer: Answer) -> tuple[PageFacts, list[str], str]:
    """Return what filters see of an answer, as a harvester shows it to them, its links, and its markup."""
    body = decode_body(answer.body, answer.headers.get("content-encoding"), HTML_BYTES_MAX).data
    text = answer.headers.get("content-type").partition(";")[0].strip().lower()
    facts = PageFacts(headers=answer.headers, media_type=text, body=body, moment=answer.started_at)
    if media_type(answer) not in (HTML, XHTML):
        facts.charset = declared_charset(answer) or ""
        return facts, [], ""
    links, markup = _read_into(facts, body, declared_charset(answer))
    return facts, links, markup


def _read_into(facts: PageFacts, body: bytes, charset: str | None) -> tuple[list[str], str]:
    """Add what a page says to the facts; return its links and its markup."""
    text = decode(body, charset)
    page = read_page(text.text, agent="tiptoe", details=Details())
    facts.charset, facts.meta, facts.title = text.charset, page.meta, page.title or ""
    facts.headings, facts.paragraphs = page.headings, page.paragraphs
    return page.links, text.text


def _said(fetched: FetchedAnswer) -> str:
    if fetched.hindrance:
        return f"not fetched: {fetched.hindrance}"
    text = f"answered {fetched.status}, {fetched.type or 'no type'}, {counted(fetched.body_bytes, 'byte')}"
    if fetched.location:
        text += f", leads to {fetched.location}"
    where = "from the archive, received" if fetched.is_archived else "requested"
    return f"{text}; {where} {datetime.fromtimestamp(fetched.moment, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _print_explanation(told: Explanation, *, is_answered: bool) -> None:
    print(f"\n{told.kind}: {told.filter}")
    for step in told.steps:
        print(f"  {step.stage:9} {step.place:22} {step.function:26} {step.did}")
    if told.denied is not None:
        print(f"  => denied in {told.denied_in} by {told.denied}")
    elif told.links is not None:
        print(f"  => {counted(len(told.links), 'link')} followed")
    elif told.fields is not None:
        print("  => enters the corpus, described as")
        for name, values in told.fields.items():
            for value in values:
                shown = value if len(value) <= FIELD_CHARS_SHOWN else value[:FIELD_CHARS_SHOWN] + "…"
                print(f"     {name}: {shown!r}" if not shown.isprintable() else f"     {name}: {shown}")
    if told.denied is None and not is_answered:
        print("  => allowed by its address; what is sent is judged by Data (try --type, --html or --fetch)")
