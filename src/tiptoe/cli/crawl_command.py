"""`tiptoe crawl`: walk the web quietly and bring back its text."""

import dataclasses
import gc
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import uvloop
from cyclopts import Parameter
from rich.console import Console

from tiptoe.cli.companion import convert_rest, converting
from tiptoe.cli.display import LiveDisplay
from tiptoe.cli.exits import Exit, exit_of
from tiptoe.cli.inputs import (
    STANDARD_INPUT,
    Downlist,
    Seeds,
    check_out,
    read_downlist,
    read_seeds,
    read_token,
)
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.past import Past
from tiptoe.cli.printer import Printer, leave_dead_terminal
from tiptoe.cli.summary import print_summary
from tiptoe.compose import LiveSettings, build_canonicalizer, build_frontier, keeper_plan, schedule
from tiptoe.decide.scheduling import LinkGroup
from tiptoe.errors import CrawlInUse, DiskFull, SettingsError
from tiptoe.keeper.directory import CrawlDirectory, find_keeper
from tiptoe.keeper.fulldisk import wait_for_room
from tiptoe.keeper.plan import SessionPlan
from tiptoe.keeper.session import Session
from tiptoe.keeper.single_machine import SingleMachine
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.observe.decoding import corpus_encoding
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.process import as_interrupts, spare_the_collector
from tiptoe.settings.hostnames import canonical_host
from tiptoe.settings.layers import Settings
from tiptoe.store.rocks import RocksStore
from tiptoe.url.address import host_of

__all__ = [
    "check_encoding",
    "check_inputs",
    "crawl_command",
    "host_settings",
    "leaves_out_all",
    "run_crawl",
    "seeds_of",
    "session_plan",
]

DETACHED = "TIPTOE_DETACHED"
"""Set in the environment of a crawl that was sent to the background."""

START_SECONDS = 15.0


@takes_settings()
def crawl_command(
    *seeds: Annotated[
        str, Parameter(help="Where to start: addresses, or files of addresses; - is the standard input.")
    ],
    reads_input: Annotated[
        bool, Parameter(name=STANDARD_INPUT, help="Read addresses from the standard input.", negative="")
    ] = False,
    add_seeds: Annotated[
        bool, Parameter(help="Add these seeds to the crawl that lives in the directory.", negative="")
    ] = False,
    forget_settings: Annotated[
        bool,
        Parameter(
            help="Take nothing that the directory remembers of earlier runs: only what this command says "
            "counts.",
            negative="",
        ),
    ] = False,
    quiet: Annotated[
        bool, Parameter(name=["--quiet", "-q"], help="Print nothing but errors.", negative="")
    ] = False,
    layers: Layers,
) -> int:
    """Crawl from the given seeds, politely, and go on where an earlier run stopped.

    Run it again with the same --out to continue. Ctrl-C stops cleanly, a second one at once.
    """
    past = Past.recall(layers.out, is_forgotten=forget_settings)
    settings = layers.load(remembered=past.values)
    settings.user_agent("0")  # refuses to start without a contact
    check_out(settings)
    past.refuse_unchangeable(settings)
    words = (*seeds, STANDARD_INPUT) if reads_input else seeds
    console = Printer(quiet=quiet)
    if settings.crawl.background and DETACHED not in os.environ:
        code = _detach(
            Path(settings.crawl.out), reads_input=STANDARD_INPUT in (*words, *settings.crawl.seeds)
        )
        if code == Exit.DONE:
            past.tell(settings, console)
        return code
    found = seeds_of(settings, words)
    if found.assumed:
        console.print(found.assumption, highlight=False, soft_wrap=True)
    if settings.cluster.servers:
        # Here, because a crawl on one machine needs none of it.
        from tiptoe.cli.member_crawl import run_member

        return run_member(settings, layers, found.urls, console, past=past, adds_seeds=add_seeds)
    code = run_crawl(settings, found.urls, console, past=past, adds_seeds=add_seeds)
    while code == Exit.DONE and convert_rest(settings):
        code = run_crawl(settings, [], console, past=Past.recall(layers.out))
    return code


def seeds_of(settings: Settings, given: Iterable[str]) -> Seeds:
    """Return where to start, by words that were given and by the settings."""
    return read_seeds(settings, given, build_canonicalizer(settings))


def leaves_out_all(settings: Settings, urls: Iterable[str]) -> bool:
    """Tell whether all of these addresses lie outside the bounds of a crawl."""
    refusal = schedule(settings).refusal
    return all(refusal(LinkGroup(host_of(url))) is not None for url in urls)


@as_interrupts()
def run_crawl(
    settings: Settings, urls: list[str], console: Console, *, past: Past, adds_seeds: bool = False
) -> Exit:
    """Run one session of a crawl from these canonical addresses; return how it ended."""
    past.refuse_unchangeable(settings)
    downlist = read_downlist(settings, build_canonicalizer(settings))
    token = read_token(settings)
    check_encoding(settings)
    directory = CrawlDirectory(Path(settings.crawl.out))
    live = LiveSettings(settings, directory.path)
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
        while (ended := _run_session(live, directory, plan, token, console, downlist)) is None:
            if not _wait_for_room(live.settings, directory, console):
                return Exit.INTERRUPTED
    finally:
        directory.release()
    return ended


def session_plan(settings: Settings, past: Past) -> SessionPlan:
    """Return whom a run blocks and slows, and whom it no longer does."""
    blocked, slowed = host_settings(settings)
    blocked_before, slowed_before = host_settings(past.settings) if past.settings else ((), {})
    return SessionPlan(
        seeds=[],
        blocked=blocked,
        slowed=slowed,
        unblocked=tuple(host for host in blocked_before if host not in blocked),
        unslowed=tuple(host for host in slowed_before if host not in slowed),
        changed=frozenset(change.name for change in past.changes(settings)),
    )


def _run_session(
    live: LiveSettings, directory: CrawlDirectory, plan: SessionPlan, token: str, console: Console,
    downlist: Downlist | None,
) -> Exit | None:  # fmt: skip
    """Crawl until it ends; None when it cannot go on because the database found the disk full."""
    settings = live.settings
    store: RocksStore | None = None
    try:
        frontier, store = build_frontier(settings, directory.path)
        keeper = keeper_plan(settings, directory.path.absolute(), token, store.identity)
        log = EventLog.at(directory.path / "log" / "keeper.log", "keeper")
        crawl = SingleMachine(directory, frontier, plan, log)
        session = Session(directory, crawl, keeper, plan, log)
        with converting(settings), LiveDisplay(console) as display:
            spare_the_collector()
            uvloop.run(session.run(display.show, on_hangup=leave_dead_terminal))
            display.tell_repairs(session.keeper)  # of those who had not noticed that they were lost
        print_summary(console, session.keeper, live.settings, directory.path, downlist)
        return exit_of(session.keeper.figures.stopped_because, pages=frontier.counters.totals.pages)
    except DiskFull:
        return None
    finally:
        if store is not None:
            store.close()


def _wait_for_room(settings: Settings, directory: CrawlDirectory, console: Console) -> bool:
    """Wait until the disk has room again; False when somebody would rather stop."""
    gc.collect()  # the database is not closed as long as anything of the session points to it
    console.print(
        f"The disk is full: nobody is asked until there is room in {directory.path}.", soft_wrap=True
    )
    has_room = uvloop.run(wait_for_room(directory, free_min=settings.write.disk_free_min))
    console.print("There is room again." if has_room else "Stopped; the next `tiptoe crawl` goes on.")
    return has_room


def check_inputs(settings: Settings) -> None:
    """Refuse what a crawl would refuse of the files that its settings name."""
    check_out(settings)
    if STANDARD_INPUT not in settings.crawl.seeds:  # which is for the crawl to read
        seeds_of(settings, [])
    read_downlist(settings, build_canonicalizer(settings))
    read_token(settings)


def check_encoding(settings: Settings) -> None:
    """Refuse to write in an encoding other than that of the corpus that is there."""
    out = settings.crawl.out
    known = corpus_encoding(Path(out))
    if known not in (None, settings.write.encoding):
        problem = (
            f"the corpus in {out} is written in {known}, and a corpus has one encoding; "
            f"say --set write.encoding={known}, or choose another --out"
        )
        raise SettingsError(settings.complain("write.encoding", problem))


def host_settings(settings: Settings) -> tuple[tuple[str, ...], dict[str, float]]:
    """Return whom the settings block and slow, by the names that the crawl uses."""
    rules = settings.politeness
    blocked = tuple(map(canonical_host, rules.blocked_hosts))
    return blocked, {canonical_host(host): delay for host, delay in rules.slowed_delays.items()}


def _detach(out: Path, *, reads_input: bool) -> int:
    """Start the same command in the background and wait until it is at work."""
    if (pid := find_keeper(out)) is not None:
        raise CrawlInUse(out, pid=pid)  # its own lines go into the log that we would read
    # Before anything is written: it may be somebody else's directory.
    if out.is_dir() and not (out / MARKER).exists() and any(file.name != "log" for file in out.iterdir()):
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
            shutil.copyfileobj(sys.stdin.buffer, read)  # in its own session it could not read a terminal
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
    """Wait until a crawl is at work, has ended, or takes long to begin; tell whether it is at work."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if find_keeper(out) == process.pid and CrawlDirectory(out).socket.exists():
            return True
        time.sleep(0.05)
    return False
