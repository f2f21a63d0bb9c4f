"""`tiptoe status|pause|resume|block|unblock|slow|set|stop`: commands to a running crawl."""

import json
import shlex
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import msgspec
from cyclopts import Parameter
from rich.table import Table

from tiptoe.cli.arguments import AsJson, Delay, Directory, print_changes, seconds_meant
from tiptoe.cli.crawl_meant import target_and_directory
from tiptoe.cli.exits import Exit
from tiptoe.cli.past import Past
from tiptoe.cli.printer import Printer
from tiptoe.cli.targets import host_meant
from tiptoe.cluster.member_file import read_member
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.phrases import copies_text, hindrance_text, logins_text, next_text, reason_texts
from tiptoe.keeper.running_crawl import ask
from tiptoe.observe.amounts import human_bytes, human_count, human_seconds
from tiptoe.observe.crawl_marker import MARKER, no_crawl
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.operator_log import log_order
from tiptoe.observe.outcomes import split_outcomes
from tiptoe.protocol import operator
from tiptoe.protocol.status import Status
from tiptoe.settings.given import Given
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS
from tiptoe.settings.units import parse_duration

__all__ = ["block", "pause", "resume", "set_", "slow", "status", "stop", "unblock"]

Target = Annotated[str, Parameter(help="Host name or IP address.")]
STOP_SECONDS = 60.0
WATCH_SECONDS_MIN = 0.5

LABELS: Final = {
    "requests": "requests made and reported",
    "bytes": "bytes received",
    "documents": "documents in the corpus",
    "text_chars": "characters of main text",
    "usable_chars": "usable ones of them",
    "urls": "addresses known",
    "queued": "addresses waiting",
    "leased": "addresses in progress",
    "due": "addresses to retry",
    "hosts": "hosts known",
    "parked_hosts": "hosts waiting",
    "new_hosts": "hosts to look up",
    "unproductive_hosts": "hosts left alone for too little text",
    "unproductive": "addresses waiting there",
    "visits": "visits so far",
    "watched": "addresses to visit again",
    "revisits": "pages visited again so far",
    "revisits_changed": "of these, found changed",
    "revisits_unchanged": "found unchanged",
    "revisits_gone": "found gone",
    "revisits_queued": "due now",
    "rounds": "rounds so far",
    "login_faults": "logins",
    "open_visits": "visits under way",
    "lost_harvesters": "harvesters lost",
    "refused_peers": "callers not let in",
    "holds": "PAUSED by",
    "gone_hosts": "hosts given up",
    "unjudged": "texts not judged",
    "segmenter": "the segmenter fails",
    "outcomes": "what came of requests",
    "discards": "left out",
    "activities": "time spent on",
    "repaired": "files repaired",
    "seconds": "running for",
    "memory_bytes": "memory of the keeper",
    "cpu_seconds": "processor time of it",
    "stopped_because": "stops because",
}
"""Names of the figures for people; `--json` keeps the short names."""

SUMS: Final = frozenset({"watched_seconds", "fresh_seconds", "aged_seconds", "now", "started_at", "encoding"})
"""Figures shown only combined with others, or not at all."""

FIRST: Final = ("holds", "stopped_because", "waiting")
"""Figures shown first: why nothing seems to happen."""

RARE: Final = frozenset(
    {"usable_chars", "unproductive_hosts", "unproductive", "watched", "refused_peers", "rounds", "unjudged"}
)
"""Figures left out while they are zero, as are all those about revisits."""


def status(
    directory: Directory = Path("crawl"),
    *,
    as_json: AsJson = False,
    local: Annotated[
        bool, Parameter(help="For a crawl on many machines, show only what this one holds.")
    ] = False,
    watch: Annotated[
        bool,
        Parameter(
            help="Show figures and plots, and keep them up to date until the crawl ends or you press Ctrl-C; "
            "for a crawl on many machines, only those of this one.",
        ),
    ] = False,
    every: Annotated[str, Parameter(help="With --watch: how often they are updated.")] = "2s",
    check: Annotated[
        bool,
        Parameter(
            help="Only report whether a crawl is at work there: exit code 0, or 1 if there is none, it does "
            "not answer, or something keeps it from working.",
        ),
    ] = False,
) -> int:
    """Show the figures of a running crawl."""
    if watch and (as_json or check):
        raise SettingsError("--watch: alone, without --json or --check")
    if check:
        return _check(directory)
    if watch:
        return _watch(directory, every)
    member = None if local else read_member(directory)
    if member is not None:
        from tiptoe.cli.member_status import show_whole_status  # loads the cluster libraries

        return show_whole_status(member, status_table, as_json=as_json)
    found = _status(directory)
    if as_json:
        print(json.dumps(msgspec.to_builtins(found), indent=1))
        return 0
    Printer().print(status_table(found))
    return 0


def _watch(directory: Path, every: str) -> int:
    try:
        seconds = parse_duration(every)
    except ValueError as problem:
        raise SettingsError(f"--every {every}: {problem}") from None
    if seconds < WATCH_SECONDS_MIN:
        raise SettingsError(f"--every {every}: at least {WATCH_SECONDS_MIN:g}s")
    from tiptoe.cli.status_watch import watch_status  # loads the display
    from tiptoe.observe.activity_files import ActivityFiles

    _status(directory)  # raises if no crawl is running
    with suppress(KeyboardInterrupt):
        watch_status(
            lambda: _status_or_end(directory),
            ActivityFiles(directory),
            Printer(highlight=False),
            every=seconds,
        )
    return 0


def _status(directory: Path) -> Status:
    return ask(directory, operator.ShowStatus(), operator.StatusReply).status


def _status_or_end(directory: Path) -> Status | None:
    """Return the status of a crawl; None when it has ended, possibly while it was being asked."""
    try:
        return _status(directory) if find_keeper(directory) is not None else None
    except CrawlerError:
        if find_keeper(directory) is None:
            return None
        raise


def _check(directory: Path) -> int:
    """Print one line: whether a crawl is running."""
    try:
        troubles = _status(directory).troubles
    except CrawlerError as error:
        print(error)
        return Exit.FAULT
    print(f"{directory}: " + (f"in trouble: {'; '.join(troubles)}" if troubles else "at work"))
    return Exit.FAULT if troubles else Exit.DONE


def status_table(found: Status) -> Table:
    """Return the figures of a crawl as a table for people."""
    table = Table(box=None, show_header=False)
    figures = msgspec.structs.asdict(found)
    first = {name: figures[name] for name in FIRST}
    for name, value in (first | figures).items():
        if name == "waiting":
            for number, line in enumerate(_waits(found)):
                table.add_row("waits" if not number else "", line)
        elif name == "outcomes":
            asked, left = split_outcomes(found.outcomes, found.discards)
            for label, counts in ((LABELS[name], asked), ("not requested", left)):
                if counts:
                    table.add_row(label, _said(name, counts))
        elif name not in SUMS and (value or not _is_rare(name)) and value not in ("", [], {}):
            table.add_row(LABELS.get(name, name), _said(name, value))
    if copies := copies_text(found):
        table.add_row("copies of these pages", copies)
    if hindered := hindrance_text(found):
        table.add_row("instead of pages so far", hindered)
    return table


def pause(directory: Directory = Path("crawl")) -> int:
    """Make no more requests until `tiptoe resume`."""
    return _tell(directory, operator.PauseCrawl())


def resume(directory: Directory = Path("crawl")) -> int:
    """Continue after `tiptoe pause`."""
    return _tell(directory, operator.ResumeCrawl())


def block(target: Target, directory: Directory = Path("crawl")) -> int:
    """Send no more requests to a host or address, from now on."""
    directory, target = target_and_directory("block", directory, target, is_last=True)
    return _command_host(directory, operator.BlockHost(host_meant(target)))


def unblock(target: Target, directory: Directory = Path("crawl")) -> int:
    """Allow requests to a blocked host or address again."""
    directory, target = target_and_directory("unblock", directory, target, is_last=True)
    return _command_host(directory, operator.UnblockHost(host_meant(target)))


def slow(
    target: Target,
    directory: Directory = Path("crawl"),
    *,
    delay: Delay = "60s",
) -> int:
    """Send requests to a host or address less often, from now on."""
    directory, target = target_and_directory("slow", directory, target, is_last=True)
    return _command_host(directory, operator.SlowHost(host_meant(target), seconds_meant("--delay", delay)))


def set_(
    directory: Directory,
    *assignments: Annotated[
        str, Parameter(help="Settings that are live, as section.key=value; the word default resets one.")
    ],
) -> int:
    """Change settings of a running crawl, from now on and for its next runs."""
    given: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or name.strip() in given:
            raise SettingsError(f"{assignment}: expected section.key=value once, as politeness.req_delay=10s")
        given[name.strip()] = value
    if not given:
        raise SettingsError("no setting is named; `tiptoe config` marks as live those that can be changed")
    if read_member(directory) is not None and (shared := _shared(given)):
        if len(shared) < len(given):
            raise SettingsError(
                "some of these are for one machine, others for all; set them one after the other"
            )
        from tiptoe.cli.cluster_commands import set_for_all

        return set_for_all(str(directory), shared)
    if find_keeper(directory) is None:
        _check_for_next_start(directory, given)
        options = [word for assignment in assignments for word in ("--set", assignment)]
        words = shlex.join(["tiptoe", "crawl", "--out", str(directory), *options])
        raise SettingsError(f"{directory}: no crawl is running there; `{words}` continues it with that")
    return print_changes(ask(directory, operator.Reconfigure(given), operator.Reconfigured).changes)


def stop(directory: Directory = Path("crawl")) -> int:
    """Stop a running crawl cleanly and wait until it has."""
    print(ask(directory, operator.StopCrawl(), operator.Done).message)
    deadline = time.monotonic() + STOP_SECONDS
    while find_keeper(directory) is not None:
        if time.monotonic() > deadline:
            raise CrawlerError(f"{directory}: still at work after {STOP_SECONDS:g} s")
        time.sleep(0.05)
    print("stopped")
    return 0


def _check_for_next_start(directory: Path, given: Mapping[str, str]) -> None:
    """Raise SettingsError for settings that the crawl in a directory could not start with."""
    if not (directory / MARKER).exists():
        raise no_crawl(directory)
    past = Past.recall(directory)
    overrides = {name: Given(raw, f"set {name}") for name, raw in given.items()}
    past.refuse_unchangeable(Settings.load(remembered=past.values, overrides=overrides))


def _shared(given: dict[str, str]) -> dict[str, str]:
    """Return the settings that apply to all machines if several share the crawl."""
    return {name: value for name, value in given.items() if name in SETTINGS and not SETTINGS[name].is_local}


def _tell(directory: Path, command: operator.PauseCrawl | operator.ResumeCrawl | operator.HostCommand) -> int:
    """Give a command to a running crawl, on all machines if several share it."""
    if read_member(directory) is not None:
        from tiptoe.cli.cluster_commands import tell_all  # loads the cluster libraries

        return tell_all(str(directory), command)
    print(ask(directory, command, operator.Done).message)
    return 0


def _command_host(directory: Path, command: operator.HostCommand) -> int:
    """Give a command to a running crawl, or record it for the next start."""
    if find_keeper(directory) is not None or read_member(directory) is not None:
        return _tell(directory, command)
    from tiptoe.keeper.host_commands import carry_out_stopped  # loads the database

    # Only needed for the reply: damaged settings must not delay a block.
    past = Past.recall(directory) if isinstance(command, operator.SlowHost) else None
    usual = past.settings.politeness.req_delay if past is not None and past.settings else 0.0
    print(carry_out_stopped(directory, command, usual_delay=usual))
    if not isinstance(command, operator.UnblockHost):
        # In a running crawl, the harvester notes in its request log that it was told to leave the host.
        log_order(directory, "leave", command.target)
    return 0


def _waits(status: Status) -> list[str]:
    """Return what the crawl is waiting for, one reason per line, and when it continues."""
    lines = reason_texts(status.waiting, status.now)
    return [*lines, *filter(None, [next_text(status.waiting, status.now)])]


def _is_rare(name: str) -> bool:
    return name in RARE or name.startswith("revisits")


def _said(name: str, value: object) -> str:
    if name == "stopped_because":
        return in_plain_words(str(value))
    if name == "login_faults" and isinstance(value, dict):
        return logins_text(value)
    if isinstance(value, dict):
        ranked = sorted(value.items(), key=lambda pair: -pair[1])
        return ", ".join(f"{key} {_said(key, item)}" for key, item in ranked) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, int | float):
        if name.endswith("bytes"):
            return human_bytes(value)
        return human_seconds(value) if isinstance(value, float) else human_count(value)
    return str(value)
