"""`tiptoe scope explain`: which rule decides about a URL?"""

import ipaddress
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from tiptoe.cli.arguments import AsJson
from tiptoe.cli.crawl_meant import target_and_directory
from tiptoe.cli.exits import Exit
from tiptoe.cli.filter_inputs import load_settings
from tiptoe.cli.finding_out import find_out
from tiptoe.cli.inputs import read_downlist, read_seeds
from tiptoe.cli.near_seeds import places_of
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.past import Past
from tiptoe.cli.printer import Printer
from tiptoe.cli.targets import url_meant
from tiptoe.cluster.member_file import read_member
from tiptoe.compose_rules import address_guard, build_canonicalizer, robot_filters, schedule
from tiptoe.decide.rule_verdicts import LinkVerdicts, RuleVerdict
from tiptoe.errors import CrawlerError
from tiptoe.keeper.phrases import day_text
from tiptoe.keeper.unfollowed_links import may_be_unfollowed
from tiptoe.observe.crawl_marker import MARKER, no_crawl
from tiptoe.observe.meanings import in_plain_words
from tiptoe.protocol.whereabouts import HostWhereabouts, PageWhereabouts, Whereabouts
from tiptoe.settings.layers import Settings
from tiptoe.url.address import host_of
from tiptoe.url.dropped import Dropped
from tiptoe.url.hostnames import canonical_host

__all__ = ["explain_command", "verdicts_on"]


@takes_settings()
def explain_command(
    url: Annotated[str, Parameter(help="Address to check; http:// may be left out.")],
    directory: Annotated[Path | None, Parameter(help="Directory of the crawl, like --out.")] = None,
    *,
    link_depth: Annotated[int, Parameter(help="How many links away from a seed it is; 0 for a seed.")] = 1,
    as_json: AsJson = False,
    layers: Layers,
) -> int:
    """Print the verdict of each rule on a URL, without making a request.

    Takes the options of a crawl, or an existing crawl: then what it knows about the host, robots.txt and the
    URL itself counts as well. Exits with 1 if a rule refuses it.
    """
    if directory is not None:
        directory, url = target_and_directory("scope explain", directory, url, is_last=True)
    out = directory or layers.named_out
    past = Past(Path(), None) if out is None else Past.recall(out)
    if directory is not None:
        if past.settings is None:
            raise no_crawl(directory)
        layers = layers.within(directory)
    settings = load_settings(layers, past.values).settings
    seeds = read_seeds(settings, (), build_canonicalizer(settings)).urls
    if places := places_of(settings, seeds):
        settings = load_settings(layers, past.values, forced=places).settings
    meant = url_meant(url, build_canonicalizer(settings))
    found = _found_out(out, settings, meant) if out is not None and (out / MARKER).exists() else None
    verdicts = [*verdicts_on(settings, meant, depth=link_depth, found=found)]
    if as_json:
        lines = [verdict._asdict() for verdict in verdicts]
        print(json.dumps({"url": meant, "rules": lines}, indent=1, ensure_ascii=False))
    else:
        _print(meant, verdicts, found)
    return Exit.FAULT if any(verdict.refusal for verdict in verdicts) else Exit.DONE


def _found_out(directory: Path, settings: Settings, url: str) -> Whereabouts | None:
    """Return what a crawl knows about a URL; None for a shared crawl when no member can be asked."""
    try:
        return find_out(directory, settings, host_of(url), url, time.time())
    except CrawlerError:
        if read_member(directory) is None:
            raise
        return None


def verdicts_on(
    settings: Settings, url: str, *, depth: int, found: Whereabouts | None = None
) -> Iterator[RuleVerdict]:
    """Yield the verdicts on a canonical URL of all rules that can be checked before a request."""
    yield from _wish(found)
    yield from LinkVerdicts(schedule(settings)).on(url, depth=depth, is_seed=depth == 0)
    yield from _filters(settings, url, depth)
    yield from _limits(settings, found)
    yield _downlist(settings, url, found.page if found is not None else None)
    yield _robots(found)
    yield from _network(settings, url)
    yield _block(settings, url, found.host if found is not None else None)


def _wish(found: Whereabouts | None) -> Iterator[RuleVerdict]:
    """Yield a refusal if an owner's wish covers the URL."""
    if found is not None and found.forgotten_as:
        text = f"{found.forgotten_as} was forgotten on {day_text(found.forgotten_at)}, and is never requested"
        yield RuleVerdict("schedule", "tiptoe forget", Dropped.FORGOTTEN, text)


def _filters(settings: Settings, url: str, depth: int) -> Iterator[RuleVerdict]:
    filters = robot_filters(settings)
    if filters is None:
        return
    denied = filters.refuse_links([url], depth).get(url)
    text = f"denied by {denied.place}: {denied.why}" if denied is not None else "no line denies its address"
    yield RuleVerdict("schedule", "filters", Dropped.LINK_FILTERED if denied is not None else "", text)


def _limits(settings: Settings, found: Whereabouts | None) -> Iterator[RuleVerdict]:
    """Yield refusals that follow from what a crawl has found so far."""
    host = found.host if found is not None else None
    limit = settings.crawl.pages_per_host
    if limit:
        is_full = host is not None and host.pages >= limit
        text = f"{host.pages if host is not None else 0} of {limit} pages were asked of its host"
        yield RuleVerdict("limits", "crawl.pages_per_host", Dropped.HOST_FULL if is_full else "", text)
    if host is not None and host.gone_because:
        text = f"its host was given up: {in_plain_words(host.gone_because) or host.gone_because}"
        yield RuleVerdict("limits", "host", Dropped.HOST_GONE, text)
    elif host is not None and host.state == "unproductive":
        text = "its host gave next to no usable text and is left alone for a while"
        yield RuleVerdict("limits", "frontier.min_yield", Dropped.NO_YIELD, text)


def _downlist(settings: Settings, url: str, page: PageWhereabouts | None) -> RuleVerdict:
    listed = read_downlist(settings, build_canonicalizer(settings))
    is_listed = (listed is not None and url in listed.urls) or (
        page is not None and page.outcome == Dropped.DOWNLIST
    )
    text = "it is on the list of what others have" if is_listed else "it is on no list of what others have"
    return RuleVerdict("schedule", "crawl.downlist", Dropped.DOWNLIST if is_listed else "", text)


def _robots(found: Whereabouts | None) -> RuleVerdict:
    host = found.host if found is not None else None
    if found is None or host is None or not any(origin.fetched_at for origin in host.origins):
        return RuleVerdict("fetch", "robots.txt", "", "not known yet: it is read before the first request")
    line = found.page.robots_line if found.page is not None else ""
    text = f"says `{line}`" if line else "allows it, as it was read last"
    return RuleVerdict("fetch", "robots.txt", "disallowed" if line else "", text)


def _network(settings: Settings, url: str) -> Iterator[RuleVerdict]:
    """Yield whether an IP address may be contacted; for a name that is known only after a lookup."""
    address = host_of(url).strip("[]")
    try:
        ipaddress.ip_address(address)
    except ValueError:
        return
    is_open = address_guard(settings).permits(address)
    text = "its address may be contacted" if is_open else f"{address} is in a private network"
    yield RuleVerdict("fetch", "fetch.allow_networks", "" if is_open else "private_address", text)


def _block(settings: Settings, url: str, host: HostWhereabouts | None) -> RuleVerdict:
    blocked = set(map(canonical_host, settings.politeness.blocked_hosts))
    is_blocked = host_of(url) in blocked or (
        host is not None and (host.is_blocked or host.is_address_blocked)
    )
    text = "its host is blocked by the operator" if is_blocked else "its host is not blocked"
    return RuleVerdict("fetch", "politeness.blocked_hosts", "blocked" if is_blocked else "", text)


def _print(url: str, verdicts: list[RuleVerdict], found: Whereabouts | None) -> None:
    refusing = next((verdict for verdict in verdicts if verdict.refusal), None)
    table = Table(box=SIMPLE_HEAD)
    for heading in ("point", "rule", "verdict", "why"):
        table.add_column(heading, overflow="fold")
    for verdict in verdicts:
        cells = (verdict.point, verdict.rule, verdict.refusal or "passes", verdict.explanation)
        table.add_row(*map(Text, cells), style="bold" if verdict.refusal else "")
    printer = Printer(highlight=False)
    is_unmet = found is not None and found.is_never_met
    wanting = ", if a link that is followed leads there" if is_unmet else ""
    outcome = f"is refused by {refusing.rule}" if refusing is not None else f"would be requested{wanting}"
    printer.print(Text(f"{url} {outcome}."), soft_wrap=True)
    if found is not None and is_unmet and refusing is None:
        text = f"This crawl has not found it yet. {may_be_unfollowed(found.unfollowed)}".rstrip()
        printer.print(Text(text), soft_wrap=True)
    printer.print(table)
    printer.print(
        "Rules about the answer (type, text, language, copies) can only be checked when it has arrived.",
        soft_wrap=True,
    )
