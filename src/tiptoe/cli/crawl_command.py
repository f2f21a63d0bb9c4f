"""`tiptoe crawl`: walk the web quietly and bring back its text."""

import contextlib
import dataclasses
import gc
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

import uvloop
from cyclopts import Parameter
from rich.console import Console
from rich.markup import escape

from tiptoe.cli.arguments import FILE_MARK, Quiet
from tiptoe.cli.catalog_companion import cataloguing
from tiptoe.cli.companion import convert_rest, converting
from tiptoe.cli.display import LiveDisplay
from tiptoe.cli.exits import Exit, exit_of
from tiptoe.cli.filter_inputs import load_settings, print_warnings
from tiptoe.cli.inputs import (
    STANDARD_INPUT,
    Downlist,
    Seeds,
    check_out,
    read_downlist,
    read_seeds,
    read_token,
    refuse_crawls,
)
from tiptoe.cli.near_seeds import places_of
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.past import Past
from tiptoe.cli.printer import Printer, leave_dead_terminal
from tiptoe.cli.summary import print_summary
from tiptoe.compose import LiveSettings, build_frontier, keeper_plan, open_store
from tiptoe.compose_rules import access_rules, build_canonicalizer, robot_filters, schedule
from tiptoe.errors import CrawlInUse, DiskFull, SettingsError
from tiptoe.frontier.anew import begin_anew
from tiptoe.keeper.directory import CrawlDirectory, find_keeper
from tiptoe.keeper.ending import Sequel, is_worth_another, sequel_of
from tiptoe.keeper.fulldisk import wait_for_room
from tiptoe.keeper.later_seeds import SEEDS_AT_ONCE
from tiptoe.keeper.likely_reasons import is_textless
from tiptoe.keeper.plan import SessionPlan
from tiptoe.keeper.running_crawl import ask
from tiptoe.keeper.session import Session
from tiptoe.keeper.single_machine import SingleMachine
from tiptoe.observe.amounts import counted
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.observe.decoding import corpus_encoding
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.process import as_interrupts, spare_the_collector
from tiptoe.protocol.operator import AddSeeds, SeedsAdded
from tiptoe.settings.layers import Settings
from tiptoe.store.rocks import RocksStore
from tiptoe.url.hostnames import canonical_host

__all__ = [
    "check_encoding",
    "check_inputs",
    "crawl_command",
    "host_settings",
    "leaves_out_all",
    "refused_seeds",
    "run_crawl",
    "seeds_of",
    "session_plan",
]

DETACHED = "TIPTOE_DETACHED"
"""Environment variable that is set for a crawl in the background."""

START_SECONDS = 15.0
DENIED_SHOWN = 5

COPIES: Final = frozenset({"site", "wacz"})
"""Formats of `crawl.export` that copy pages as they are."""


@dataclasses.dataclass(frozen=True, slots=True)
class _RunEnd:
    """How a run ended, and what to do next."""

    code: Exit
    sequel: Sequel


@takes_settings()
def crawl_command(
    *seeds: Annotated[
        str,
        Parameter(help="Where to start: addresses, or files of addresses; - is standard input."),
        FILE_MARK,
    ],
    reads_input: Annotated[
        bool, Parameter(name=STANDARD_INPUT, help="Read addresses from standard input.")
    ] = False,
    add_seeds: Annotated[bool, Parameter(help="Add these seeds to the crawl in the directory.")] = False,
    forget_settings: Annotated[
        bool,
        Parameter(
            help="Ignore what the directory remembers of earlier runs: only what you give now counts.",
        ),
    ] = False,
    quiet: Quiet = False,
    layers: Layers,
) -> int:
    """Crawl politely from the given seeds, and continue where an earlier run stopped."""
    refuse_crawls(seeds)
    past = Past.recall(layers.out, is_forgotten=forget_settings)
    settings, layers, robot = loaded = load_settings(layers, past.values)
    check_out(settings)
    words = (*seeds, STANDARD_INPUT) if reads_input else seeds
    is_named = any((words, loaded.starts, settings.crawl.seeds, settings.crawl.sitemaps))
    if add_seeds and not is_named:
        raise SettingsError("--add-seeds: name the seeds that are to be added")
    if not is_named and not settings.cluster.servers:
        CrawlDirectory(Path(settings.crawl.out)).expect_begun()
    settings.user_agent("0")  # refuses to start without a contact
    past.refuse_unchangeable(settings)
    console = Printer(quiet=quiet)
    if settings.crawl.background and DETACHED not in os.environ:
        code = _detach(
            Path(settings.crawl.out), reads_input=STANDARD_INPUT in (*words, *settings.crawl.seeds)
        )
        if code == Exit.DONE:
            past.tell(settings, console)
        return code
    print_warnings(robot, console)
    found = seeds_of(settings, [*words, *loaded.starts])
    for note in found.notes():
        console.print(note, highlight=False, soft_wrap=True)
    if places := places_of(settings, found.urls):
        settings = load_settings(layers, past.values, forced=places).settings
    if add_seeds and not settings.cluster.servers and find_keeper(Path(settings.crawl.out)) is not None:
        return _add_to_running(Path(settings.crawl.out), found.urls, console)
    _print_denied(settings, found.urls, console)
    _print_withheld(settings, found.urls, console)
    if settings.cluster.servers:
        # Imported here because a crawl on one machine needs none of it.
        from tiptoe.cli.member_crawl import run_member

        return run_member(settings, layers, found.urls, console, past=past, adds_seeds=add_seeds)
    code = run_crawl(settings, found.urls, console, past=past, adds_seeds=add_seeds)
    while code == Exit.DONE and convert_rest(settings):
        code = run_crawl(settings, [], console, past=Past.recall(layers.out))
    if settings.crawl.export != "none":
        # As above: most crawls export nothing.
        from tiptoe.cli.closing_export import export_in_closing

        return export_in_closing(settings, code, quiet=quiet)
    return code


def seeds_of(settings: Settings, given: Iterable[str]) -> Seeds:
    """Return where to start, according to the given words and the settings."""
    return read_seeds(settings, given, build_canonicalizer(settings))


def _add_to_running(out: Path, urls: list[str], console: Console) -> int:
    """Give a running crawl further seeds; its settings stay as they are."""
    if not urls:
        raise SettingsError("no seed is named")
    new = sum(
        ask(out, AddSeeds(urls[start : start + SEEDS_AT_ONCE]), SeedsAdded).new
        for start in range(0, len(urls), SEEDS_AT_ONCE)
    )
    text = f"{counted(new, 'seed')} of {len(urls)} new to the crawl that is running in {out}"
    console.print(text, highlight=False, soft_wrap=True)
    return Exit.DONE


def _print_denied(settings: Settings, urls: list[str], console: Console) -> None:
    """Print which seeds the operator's own bounds and filters leave out."""
    filters = robot_filters(settings)
    denied = {
        url: f"is left out by {bound}; `tiptoe scope explain` says more"
        for url, bound in (refused_seeds(settings, urls) if urls else ())
    }
    for url, why in (filters.refuse_links(urls, 0) if filters is not None else {}).items():
        denied.setdefault(url, f"is denied by both filters: {why}; `tiptoe filters explain` says more")
    for url, one in islice(denied.items(), DENIED_SHOWN):
        console.print(escape(f"{url} {one}"), highlight=False, soft_wrap=True)
    if len(denied) > DENIED_SHOWN:
        console.print(f"… and {len(denied) - DENIED_SHOWN} more seeds are left out", highlight=False)


def _print_withheld(settings: Settings, urls: list[str], console: Console) -> None:
    """Print which seeds are requested without the login of their rule, as others could read it in transit."""
    rules = access_rules(settings)
    if rules is None:
        return
    withheld = ((url, name) for url in urls if (name := rules.withholding(url)))
    for url, name in islice(withheld, DENIED_SHOWN):
        text = f"{url} is requested without the secrets of {name}, which go over https only"
        console.print(
            escape(f"{text}; allow_http = true in the rule changes that"), highlight=False, soft_wrap=True
        )


def leaves_out_all(settings: Settings, urls: Iterable[str]) -> bool:
    """Return whether all of these URLs are outside the bounds of a crawl."""
    return all(map(schedule(settings).leaves_out, urls))


def refused_seeds(settings: Settings, urls: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield seeds that a crawl would not request, with the setting that leaves them out."""
    bound_of = schedule(settings).bound_of_seed
    return ((url, bound) for url in urls if (bound := bound_of(url)))


@as_interrupts()
def run_crawl(
    settings: Settings, urls: list[str], console: Console, *, past: Past, adds_seeds: bool = False,
    continued_by: str = "",
) -> Exit:  # fmt: skip
    """Run one session of a crawl from these canonical URLs; return how it ended.

    `continued_by` is the command that continues it, if not `tiptoe crawl`.
    """
    past.refuse_unchangeable(settings)
    downlist = read_downlist(settings, build_canonicalizer(settings))
    token = read_token(settings)
    access_rules(settings)  # harvesters read these themselves: report mistakes before they start
    check_encoding(settings)
    directory = CrawlDirectory(Path(settings.crawl.out))
    continued_by = continued_by or f"`tiptoe crawl --out {shlex.quote(str(directory.path))}`"
    live = LiveSettings(settings, directory.path)
    is_continuation = directory.known_seeds() is not None
    new = directory.claim(urls, adds_seeds=adds_seeds, before_first=live.remember)
    try:
        past.expect_unchanged()
        past.tell(settings, console)
        plan = dataclasses.replace(
            session_plan(settings, past),
            seeds=new,
            downloaded=downlist.urls if downlist else [],
            listen=settings.harvest.listen,
            named=tuple(urls) if past.settings is not None else (),
            remember=live.remember,
            change=live.change,
            note=lambda said: console.print(said, highlight=False, soft_wrap=True),
        )
        started = time.monotonic()
        while True:
            spent = time.monotonic() - started
            ended = _run_session(
                live, directory, plan, token, console, downlist,
                seconds_spent=spent, continued_by=continued_by, is_continuation=is_continuation,
            )  # fmt: skip
            if ended is None:
                if not _wait_for_room(live.settings, directory, console):
                    return Exit.INTERRUPTED
            elif ended.sequel is Sequel.AGAIN:
                plan, is_continuation = _begin_anew(live.settings, directory, plan, console), False
            else:
                return ended.code
    finally:
        directory.release()


def session_plan(settings: Settings, past: Past) -> SessionPlan:
    """Return which hosts a run blocks and slows, and which it no longer does."""
    blocked, slowed = host_settings(settings)
    blocked_before, slowed_before = host_settings(past.settings) if past.settings else ((), {})
    return SessionPlan(
        seeds=[],
        blocked=blocked,
        slowed=slowed,
        unblocked=tuple(host for host in blocked_before if host not in blocked),
        unslowed=tuple(host for host in slowed_before if host not in slowed),
        changed=frozenset(change.name for change in past.changes(settings)),
        on_end_command=settings.crawl.on_end_command,
        on_end_seconds=settings.crawl.on_end_seconds,
    )


def _run_session(
    live: LiveSettings, directory: CrawlDirectory, plan: SessionPlan, token: str, console: Console,
    downlist: Downlist | None, *, seconds_spent: float, continued_by: str, is_continuation: bool,
) -> _RunEnd | None:  # fmt: skip
    """Crawl until it ends; None when it cannot go on because the database found the disk full."""
    settings = live.settings
    store: RocksStore | None = None
    try:
        frontier, store = build_frontier(settings, directory.path)
        pages_before = frontier.counters.totals.pages
        keeper = dataclasses.replace(
            keeper_plan(settings, directory.path.absolute(), token, store.identity),
            seconds_spent=seconds_spent,
        )
        log = EventLog.at(directory.path / "log" / "keeper.log", "keeper")
        crawl = SingleMachine(directory, frontier, plan, log)
        session = Session(directory, crawl, keeper, plan, log)
        with converting(settings), cataloguing(settings), LiveDisplay(console) as display:
            spare_the_collector()
            uvloop.run(session.run(display.show, on_hangup=leave_dead_terminal))
            display.print_repairs(session.keeper)  # by harvesters unaware that they were lost
        print_summary(
            console, session.keeper, live.settings, directory.path, downlist, continued_by=continued_by
        )
        because, totals = session.keeper.figures.stopped_because, frontier.counters.totals
        is_fruitful = is_worth_another(totals.pages - pages_before, is_continuation=is_continuation)
        sequel = sequel_of(because, live.settings.crawl.on_end, is_fruitful=is_fruitful)
        lacks_text = is_textless(totals) and not _wants_copies(live.settings)
        return _RunEnd(exit_of(because, pages=totals.pages, lacks_text=lacks_text), sequel)
    except DiskFull:
        return None
    finally:
        if store is not None:
            store.close()


def _wants_copies(settings: Settings) -> bool:
    """Whether the purpose of a crawl is copies of pages, with or without text on them."""
    return settings.crawl.profile == "archive" or settings.crawl.export in COPIES


def _begin_anew(
    settings: Settings, directory: CrawlDirectory, plan: SessionPlan, console: Console
) -> SessionPlan:
    """Make a crawl forget what it has seen; return the plan of the run that starts from its seeds again."""
    gc.collect()  # see `_wait_for_room`
    seeds = directory.seed_again()
    with contextlib.closing(open_store(settings, directory.path)) as store:
        begin_anew(store)
    console.print(f"Starting again from {counted(len(seeds), 'seed')} (crawl.on_end).", highlight=False)
    return dataclasses.replace(plan, seeds=seeds, changed=frozenset(), named=(), unblocked=(), unslowed=())


def _wait_for_room(settings: Settings, directory: CrawlDirectory, console: Console) -> bool:
    """Wait until the disk has room again; return False when asked to stop instead."""
    gc.collect()  # the database stays open as long as anything in the session refers to it
    console.print(f"The disk is full: no requests until there is room in {directory.path}.", soft_wrap=True)
    has_room = uvloop.run(wait_for_room(directory, free_min=settings.write.disk_free_min))
    console.print("There is room again." if has_room else "Stopped; the next `tiptoe crawl` continues it.")
    return has_room


def check_inputs(settings: Settings) -> None:
    """Refuse files named by the settings that a crawl would refuse."""
    check_out(settings)
    if STANDARD_INPUT not in settings.crawl.seeds:  # only the crawl itself may read that
        seeds_of(settings, [])
    read_downlist(settings, build_canonicalizer(settings))
    read_token(settings)
    access_rules(settings)


def check_encoding(settings: Settings) -> None:
    """Refuse to write in an encoding other than that of the existing corpus."""
    out = settings.crawl.out
    known = corpus_encoding(Path(out))
    if known not in (None, settings.write.encoding):
        problem = (
            f"the corpus in {out} is written in {known}, and a corpus has one encoding; "
            f"say --set write.encoding={known}, or choose another --out"
        )
        raise SettingsError(settings.complain("write.encoding", problem))


def host_settings(settings: Settings) -> tuple[tuple[str, ...], dict[str, float]]:
    """Return which hosts the settings block and slow, by the names that the crawl uses."""
    rules = settings.politeness
    blocked = tuple(map(canonical_host, rules.blocked_hosts))
    return blocked, {canonical_host(host): delay for host, delay in rules.slowed_delays.items()}


def _detach(out: Path, *, reads_input: bool) -> int:
    """Start the same command in the background and wait until it is working."""
    if (pid := find_keeper(out)) is not None:
        raise CrawlInUse(out, pid=pid)  # it writes to the log that we would read
    # Check this before writing anything: the directory may belong to something else.
    if (
        out.is_dir()
        and not (out / MARKER).exists()
        and any(file.name not in ("filters", "log") for file in out.iterdir())
    ):
        raise SettingsError(f"{out}: not empty and not a crawl of ours; choose another --out")
    log = out / "log" / "console.log"
    made = [folder for folder in (log.parent, out) if not folder.exists()]
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        output = log.open("ab")
    except OSError as error:
        raise SettingsError(f"{out}: cannot be written to: {error.strerror}") from error
    with output, tempfile.TemporaryFile() as read:
        said_before = output.tell()
        if reads_input and sys.stdin:
            shutil.copyfileobj(sys.stdin.buffer, read)  # the new session cannot read our terminal
            read.seek(0)
        process = subprocess.Popen(  # noqa: S603  our own command line
            [sys.executable, "-m", "tiptoe", *sys.argv[1:]],
            env={**os.environ, DETACHED: "1"},
            stdin=read,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    is_at_work = _wait_for(process, out)
    if process.poll() is None:
        doing = "crawling" if is_at_work else "still starting"
        where = shlex.quote(str(out))
        print(f"{doing} in the background as process {process.pid};")
        print(f"`tiptoe status {where}` shows how it goes, `tiptoe stop {where}` ends it")
        return 0
    sys.stderr.write(log.read_bytes()[said_before:].decode(errors="replace")[-2000:])
    if not (out / MARKER).exists() and not (out / "state").exists():
        log.unlink()
        for folder in made:
            folder.rmdir()
    return process.returncode


def _wait_for(process: subprocess.Popen[bytes], out: Path) -> bool:
    """Wait until a crawl is working, has ended, or takes too long to start; return whether it is working."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if find_keeper(out) == process.pid and CrawlDirectory(out).socket.exists():
            return True
        time.sleep(0.05)
    return False
