"""`tiptoe rehearse`: try a configuration on a simulated web, without touching the network."""

import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiptoe.cli.arguments import seconds_meant
from tiptoe.cli.crawl_command import leaves_out_all, run_crawl, seeds_of
from tiptoe.cli.exits import Exit
from tiptoe.cli.filter_inputs import load_settings, print_warnings
from tiptoe.cli.near_seeds import places_of
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.past import Past
from tiptoe.cli.printer import Printer
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.survey import survey
from tiptoe.observe.amounts import counted, human_count, human_seconds, human_share
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.settings.layers import Settings
from tiptoe.settings.opening_hours import OpeningHours, zone_named
from tiptoe.settings.schema import SETTINGS
from tiptoe.testing.collection import true_freshness
from tiptoe.testing.judge import Rules, judge
from tiptoe.testing.recorder import read_arrivals
from tiptoe.testing.served import SpawnedWeb, spawn_web
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web_addresses import networks_of
from tiptoe.testing.web_hosts import DOMAINS
from tiptoe.url.address import host_of

__all__ = ["PRESETS", "judge_arrivals", "opening_text", "rehearse_command", "surroundings"]

PRESETS = {
    "crawl.contact": "https://example.org/bot",
    "crawl.out": "rehearsal",
    "politeness.req_delay": "100ms",
    "politeness.general_pause": "500ms",
    "politeness.max_reqs": "20",
    "politeness.backoff_first": "100ms",
    "politeness.backoff_max": "2s",
    "politeness.backoff_forgive": "1s",
    "harvest.harvesters": "2",
    "revisit.first": "5s",
    "revisit.min": "1s",
    "revisit.max": "60s",
}
"""Short pauses, since the simulated web answers at once; settings file and command line override them."""


REPLACED = frozenset(
    {
        "crawl.seeds",
        "crawl.sitemaps",
        "crawl.downlist",
        "crawl.background",
        "fetch.proxy",
        "fetch.access",
        "harvest.listen",
    }
)
"""Settings that a rehearsal decides by itself and so does not offer as options."""

NOWHERE = ("http://127.0.0.1:1", "127.0.0.1:1")
"""Placeholders for proxy and name server until the simulated web is running."""

CHANGE_SECONDS = 20.0
"""How often pages change, in seconds, in a web whose pages would not change but are revisited."""

VANISHING_SHARE = 0.05
VANISHING_SECONDS = 60.0
"""Time within which some pages vanish, in a web whose pages are revisited."""

UNREAL_NAMES = tuple(f".{domain}" for domain in DOMAINS)
"""Suffixes of the names of all simulated hosts."""

CONTINUED_BY = "The same `tiptoe rehearse`"

LONG_SECONDS = 10.0
SEEDS = 20
HOSTS = 400
VIOLATIONS_SHOWN = 20


@takes_settings(only=SETTINGS.keys() - REPLACED, presets=PRESETS)
def rehearse_command(
    file: Annotated[Path | None, Parameter(help="Configuration to rehearse, such as crawl.toml.")] = None,
    *,
    shape: Annotated[
        Literal["tiny", "demo", "realistic"],
        Parameter(help="What kind of web: `realistic` is as uneven, broken and slow as the real one."),
    ] = "demo",
    hosts: Annotated[int | None, Parameter(help="How many hosts the simulated web has.")] = None,
    change_every: Annotated[
        str,
        Parameter(
            help="Mean time between two changes of a page, such as 1m. By default that of the simulated web; "
            "with --revisit, 20s if its pages never change.",
            show_default=False,
        ),
    ] = "",
    web: Annotated[int, Parameter(help="Which simulated web: the same number is the same web.")] = 1,
    fresh: Annotated[bool, Parameter(help="Remove an earlier rehearsal from the directory first.")] = False,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], help="Print nothing but errors.")] = False,
    layers: Layers,
) -> int:
    """Crawl a web that exists only on this machine, then judge the crawl from the servers' side.

    Nothing outside this machine is contacted: seeds, proxy and name servers of the configuration are
    replaced by those of the simulated web. Unless configured otherwise, pauses are short.
    """
    if file is not None:
        layers = Layers(file, layers.overrides)
    whole = _shape(shape, web, hosts)
    console = Printer(quiet=quiet)
    planned, layers, robot = load_settings(
        layers, None, presets=PRESETS, forced=surroundings(whole, *NOWHERE)
    )
    print_warnings(robot, console)
    out = _directory(planned)
    record = out.with_name(out.name + "-arrivals.jsonl")
    _spare_real_crawls(out, record)
    if fresh:
        _remove(out, record)
    past = Past.recall(out)
    forced = surroundings(whole, *NOWHERE)
    planned = layers.load(presets=PRESETS, remembered=past.values, forced=forced)
    whole = _changing(whole, change_every, is_watched=planned.revisit.strategy != "none")
    earlier = _begin(record)
    with spawn_web(whole, record=record) as spawned:
        seeds = [spawned.web.home_of(index) for index in range(min(whole.hosts, SEEDS))]
        _expect_same_web(out, seeds)
        forced = surroundings(whole, spawned.proxy_url, spawned.dns_address)
        forced |= {"crawl.out": str(out), **places_of(planned, seeds)}
        planned = layers.load(presets=PRESETS, remembered=past.values, forced=forced)
        forced |= _widened(planned, seeds, console)
        settings = layers.load(presets=PRESETS, remembered=past.values, forced=forced)
        console.print(opening_text(whole.hosts, out), highlight=False, soft_wrap=True)
        _print_pace(console, settings)
        code = run_crawl(
            settings, seeds_of(settings, seeds).urls, console, past=past, continued_by=CONTINUED_BY
        )
        ended_at = time.time()
    if settings.revisit.strategy != "none":
        _print_truth(console, out, spawned, record, ended_at)
    judge_arrivals(settings, spawned, record, earlier, console)
    return Exit.DONE if code == Exit.LIMIT else code  # reaching the limit was the aim


def _shape(name: Literal["tiny", "demo", "realistic"], seed: int, hosts: int | None) -> WebShape:
    """Return the web to crawl; without a number of hosts, one small enough for a rehearsal to finish."""
    if hosts is not None and hosts < 1:
        raise SettingsError(f"--hosts {hosts}: at least 1")
    if name == "tiny":
        shape = WebShape.tiny(seed)
    else:
        shape = WebShape.demo(seed) if name == "demo" else WebShape.realistic(seed)
    return replace(shape, hosts=min(shape.hosts, HOSTS) if hosts is None else hosts)


def _changing(shape: WebShape, given: str, *, is_watched: bool) -> WebShape:
    """Return a web whose pages change as often as wanted; some vanish, if pages are revisited."""
    if is_watched:
        shape = replace(shape, vanishing_share=VANISHING_SHARE, vanishing_seconds=VANISHING_SECONDS)
    if given:
        return replace(shape, change_seconds=seconds_meant("--change-every", given))
    is_still = is_watched and not shape.change_seconds
    return replace(shape, change_seconds=CHANGE_SECONDS) if is_still else shape


def _widened(settings: Settings, seeds: list[str], console: Console) -> dict[str, object]:
    """Return replacements for bounds, meant for real hosts, that leave out the whole simulated web."""
    if not leaves_out_all(settings, seeds):
        return {}
    console.print(
        "The bounds of the crawl leave out every host of the simulated web, whose names end in "
        f"{' and '.join(UNREAL_NAMES)}; so they are not rehearsed.",
        highlight=False,
        soft_wrap=True,
    )
    return {f"scope.{bound}": () for bound in ("include", "exclude", "domains", "prefixes", "include_urls")}


def _directory(settings: Settings) -> Path:
    """Return where to rehearse: never where the configuration puts the crawl itself."""
    out = Path(settings.crawl.out)
    origin = settings.origin("crawl.out")
    return out if origin.startswith(("--", "preset")) else out.with_name(out.name + "-rehearsal")


def _spare_real_crawls(out: Path, record: Path) -> None:
    """Refuse a directory with a real crawl: a rehearsal has a record of arrivals, and unreal seeds."""
    seeds = CrawlDirectory(out).known_seeds()
    if seeds is None:
        return
    is_rehearsal = record.exists() and all(host_of(seed).endswith(UNREAL_NAMES) for seed in seeds)
    if not is_rehearsal:
        raise SettingsError(
            f"{out}: holds a crawl that is not known as a rehearsal (by {record.name} beside it); "
            "choose another --out"
        )


def opening_text(hosts: int, out: Path) -> str:
    """Return the opening message: does a rehearsal begin, or an earlier one continue?"""
    web = f"A simulated web of {counted(hosts, 'host')} is running on this machine"
    if CrawlDirectory(out).known_seeds() is None:
        return f"{web}; the crawl begins."
    return escape(f"{web}; the earlier rehearsal in {out} continues. --fresh starts over.")


def _expect_same_web(out: Path, seeds: list[str]) -> None:
    known = CrawlDirectory(out).known_seeds()
    if known is not None and not set(seeds) <= set(known):
        raise SettingsError(f"{out}: holds a rehearsal on another web; --fresh removes it")


def _remove(out: Path, record: Path) -> None:
    """Remove an earlier rehearsal."""
    if (out / MARKER).exists():
        shutil.rmtree(out)
    record.unlink(missing_ok=True)


def _begin(record: Path) -> int:
    """Make sure that arrivals can be recorded; return how many are on record from earlier runs."""
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        record.open("ab").close()
    except OSError as error:
        raise SettingsError(f"{record}: cannot be written: {error.strerror}") from error
    return len(read_arrivals(record))


def _print_pace(console: Console, settings: Settings) -> None:
    """Warn about pauses as long as on the real web, which a settings file made for it may have."""
    rules = settings.politeness
    if max(rules.req_delay, rules.general_pause) >= LONG_SECONDS:
        console.print(
            f"Its pauses are those of the configuration, {rules.req_delay:g} s after an answer and "
            f"{rules.general_pause:g} s after a series, so this takes long; "
            "--req-delay 100ms --general-pause 500ms make it short.",
            highlight=False,
            soft_wrap=True,
        )


def judge_arrivals(
    settings: Settings, spawned: SpawnedWeb, record: Path, earlier: int, console: Console
) -> None:
    """Compare what arrived at the servers with the rules; an impolite crawl fails.

    Arrivals of earlier runs are not judged again: they may have had other rules.
    """
    rules = settings.politeness
    arrivals = read_arrivals(record)
    if not arrivals:
        raise SettingsError(f"nothing was requested, so nothing was rehearsed; {_why_nothing(settings)}")
    found = judge(
        arrivals,
        Rules(
            req_delay=rules.req_delay,
            max_hosts=rules.max_hosts,
            max_reqs=rules.max_reqs,
            general_pause=rules.general_pause,
            crawl_delays=spawned.web.crawl_delay_of,
            is_allowed=lambda url: spawned.web.is_allowed(url, settings.crawl.name),
        ),
    )
    violations = [violation for violation in found if min(violation.lines) > earlier]
    text = counted(len(violations), "violation")
    console.print(
        f"\n[bold]The servers' side:[/bold] {text} of politeness in their own records, "
        f"[cyan]{escape(str(record))}[/cyan].",
        highlight=False,
        soft_wrap=True,
    )
    for violation in violations[:VIOLATIONS_SHOWN]:
        console.print(f"  {escape(str(violation))}", highlight=False, soft_wrap=True)
    if violations:
        raise CrawlerError("the rehearsal was not polite; please report this")


def _why_nothing(settings: Settings) -> str:
    """Return what may have kept a crawl from making any request."""
    if settings.politeness.blocked_hosts:
        return "does politeness.blocked_hosts exclude all of the simulated web?"
    hours = OpeningHours.read(settings.crawl.schedule, zone_named(settings.crawl.time_zone))
    if not hours.at(time.time())[0]:
        return "crawl.schedule allows no request at this hour: rehearse with --set crawl.schedule=default"
    if settings.crawl.max_seconds:
        return (
            f"it ended after --max-seconds {settings.crawl.max_seconds:g}, before the first request was due: "
            "give it more time"
        )
    return "it was ended before the first request: let it run for longer"


def _print_truth(console: Console, out: Path, spawned: SpawnedWeb, record: Path, ended_at: float) -> None:
    """Print how fresh the collection really was, and what the crawl estimated."""
    truth = true_freshness(spawned.web, read_arrivals(record), began_at=spawned.began_at, ended_at=ended_at)
    found, measured = survey(out, ended_at)
    if not truth.revisits:
        console.print(
            "\nNo page was visited again: give it more time, such as --max-seconds 60.", soft_wrap=True
        )
        return
    compared, pages = measured.compared, found.pages
    rows = (
        ("pages", human_count(truth.pages), human_count(pages)),
        ("pages that were found gone", human_count(truth.gone), human_count(found.gone)),
        ("up to date at the end", human_share(truth.fresh, truth.pages), human_share(found.fresh, pages)),
        ("behind at the end, mean", _mean(truth.aged_seconds, truth.pages), _mean(found.aged_seconds, pages)),
        (
            "up to date between visits",
            human_share(truth.fresh_seconds, truth.watched_seconds),
            human_share(measured.fresh_seconds, measured.watched_seconds),
        ),
        (
            "behind between visits, mean",
            _mean(truth.age_integral, truth.watched_seconds),
            _mean(measured.aged_seconds, measured.watched_seconds),
        ),
        (
            "revisits that found a change",
            human_share(truth.revisits_changed, truth.revisits),
            human_share(measured.changed, compared),
        ),
        (
            "changes caught",
            human_share(truth.caught, truth.changes),
            human_share(found.changes, found.changes_expected),
        ),
    )
    table = Table(box=None, header_style="dim")
    for name in ("  ", "in truth", "as estimated"):
        table.add_column(name, justify="left" if name == "  " else "right")
    for name, true, estimated in rows:
        table.add_row(f"  {name}", true, estimated)
    console.print(
        "\n[bold]How fresh the collection was[/bold], by the web itself and by the crawl's own estimate"
    )
    console.print(table)


def _mean(total: float, count: float) -> str:
    return human_seconds(total / count) if count else "-"


def surroundings(shape: WebShape, proxy: str, nameserver: str) -> dict[str, object]:
    """Return the settings that keep a rehearsal on this machine, whatever its configuration says."""
    return {
        "crawl.rehearsal": True,
        "crawl.seeds": (),
        "crawl.sitemaps": (),
        "crawl.downlist": "",
        "crawl.background": False,
        "harvest.listen": "",
        "fetch.proxy": proxy,
        "fetch.access": "",
        "fetch.nameservers": (nameserver,),
        "fetch.allow_networks": networks_of(shape),
    }
