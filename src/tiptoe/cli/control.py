"""`tiptoe status|pause|resume|block|unblock|slow|stop`: a word with a running crawl."""

import asyncio
import json
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec
from cyclopts import Parameter
from rich.table import Table

from tiptoe.cli.display import copies_said, hindrance, human_bytes, human_count, human_seconds
from tiptoe.cli.printer import Printer
from tiptoe.cli.targets import host_meant
from tiptoe.cli.words import in_plain_words
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.frontier.waiting import Waiting
from tiptoe.keeper.directory import MARKER, CrawlDirectory, find_keeper
from tiptoe.keeper.wording import next_said, reasons_said
from tiptoe.observe.orders import log_order
from tiptoe.protocol.messages import Command, FromKeeper, Hello, Refusal, Reply
from tiptoe.protocol.wire import Connection
from tiptoe.settings.units import parse_duration

__all__ = ["ask", "block", "pause", "resume", "slow", "status", "stop", "unblock"]

Directory = Annotated[Path, Parameter(help="Directory of the crawl.")]
Target = Annotated[str, Parameter(help="Host name or IP address.")]
STOP_SECONDS = 60.0
ANSWER_SECONDS = 30.0

LABELS: Final = {
    "requests": "requests made and reported",
    "bytes": "bytes received",
    "documents": "documents in the corpus",
    "text_chars": "characters of text",
    "usable_chars": "usable ones of them",
    "urls": "addresses known",
    "queued": "addresses waiting",
    "leased": "addresses handed out",
    "due": "addresses to retry",
    "hosts": "hosts known",
    "parked_hosts": "hosts waiting",
    "new_hosts": "hosts to look up",
    "unproductive_hosts": "hosts left for their yield",
    "unproductive": "addresses waiting there",
    "visits": "visits so far",
    "watched": "addresses to visit again",
    "revisits": "pages visited again so far",
    "revisits_changed": "of these, found changed",
    "revisits_unchanged": "found unchanged",
    "revisits_gone": "found gone",
    "revisits_queued": "due now",
    "open_visits": "visits under way",
    "lost_harvesters": "harvesters lost",
    "refused_peers": "callers not let in",
    "holds": "PAUSED by",
    "gone_hosts": "hosts given up",
    "unjudged": "texts not judged",
    "segmenter": "the segmenter fails",
    "outcomes": "what came of requests",
    "discards": "went no further",
    "activities": "time spent on",
    "repaired": "files repaired",
    "seconds": "running for",
    "memory_bytes": "memory of the keeper",
    "cpu_seconds": "processor time of it",
    "stopped_because": "stops because",
}
"""What people read; `--json` keeps the short names."""

SUMS: Final = frozenset({"watched_seconds", "fresh_seconds", "aged_seconds", "now"})
"""Told as what they give together, or not at all."""

FIRST: Final = ("holds", "stopped_because", "waiting")
"""Why nothing seems to happen."""

RARE: Final = frozenset(
    {"usable_chars", "unproductive_hosts", "unproductive", "watched", "refused_peers", "unjudged"}
)
"""Not told while there is none; the same holds for whatever is about revisits."""

LEAVING: Final = frozenset({"block", "slow"})
"""Words upon which a harvester leaves a host, and notes that in its request log."""


def status(
    directory: Directory = Path("crawl"),
    *,
    as_json: Annotated[bool, Parameter(name="--json", help="Print JSON.", negative="")] = False,
) -> int:
    """Show the figures of a running crawl."""
    figures = ask(directory, Command("status"))
    if as_json:
        print(json.dumps(figures, indent=1))
        return 0
    table = Table(box=None, show_header=False)
    first = {name: figures[name] for name in FIRST if name in figures}
    for name, value in (first | figures).items():
        if name == "waiting":
            for number, line in enumerate(_waits(figures)):
                table.add_row("waits" if not number else "", line)
        elif name not in SUMS and (value or not _is_rare(name)) and value not in ("", [], {}):
            table.add_row(LABELS.get(name, name), _said(name, value))
    if copies := copies_said(figures):
        table.add_row("copies of these pages", copies)
    if hindered := hindrance(figures):
        table.add_row("instead of pages so far", hindered)
    Printer().print(table)
    return 0


def pause(directory: Directory = Path("crawl")) -> int:
    """Make no further request until `tiptoe resume`."""
    return _tell(directory, Command("pause"))


def resume(directory: Directory = Path("crawl")) -> int:
    """Go on after `tiptoe pause`."""
    return _tell(directory, Command("resume"))


def block(target: Target, directory: Directory = Path("crawl")) -> int:
    """Ask nothing more of a host or address, from this moment on."""
    return _wish(directory, Command("block", host_meant(target)))


def unblock(target: Target, directory: Directory = Path("crawl")) -> int:
    """Let a blocked host or address be asked again."""
    return _wish(directory, Command("unblock", host_meant(target)))


def slow(
    target: Target,
    directory: Directory = Path("crawl"),
    *,
    delay: Annotated[str, Parameter(help="Pause between two requests; 0s means as configured.")] = "60s",
) -> int:
    """Ask a host or address more rarely, from this moment on."""
    try:
        seconds = parse_duration(delay)
    except ValueError as error:
        raise SettingsError(f'--delay {delay!r}: expected a duration such as "30s" or "5m"') from error
    return _wish(directory, Command("slow", host_meant(target), seconds))


def stop(directory: Directory = Path("crawl")) -> int:
    """Stop a running crawl cleanly and wait until it has."""
    code = _tell(directory, Command("stop"))
    deadline = time.monotonic() + STOP_SECONDS
    while find_keeper(directory) is not None:
        if time.monotonic() > deadline:
            raise CrawlerError(f"{directory}: still at work after {STOP_SECONDS:g} s")
        time.sleep(0.05)
    print("stopped")
    return code


def ask(directory: Path, command: Command) -> dict[str, object]:
    """Send one command to the crawl in a directory and return its answer."""
    if find_keeper(directory) is None:
        lives = (directory / MARKER).exists()
        hint = f"; `tiptoe stats {shlex.quote(str(directory))}` shows what it has brought" if lives else ""
        raise SettingsError(f"{directory}: no crawl is running there{hint}")
    return asyncio.run(_ask(CrawlDirectory(directory).socket, command))


async def _ask(socket: Path, command: Command) -> dict[str, object]:
    try:
        reader, writer = await asyncio.open_unix_connection(str(socket))
    except OSError as error:
        raise CrawlerError(f"{socket}: the crawl does not answer: {error.strerror}") from error
    connection: Connection[FromKeeper] = Connection(reader, writer, FromKeeper)
    try:
        connection.send(Hello("control"))
        connection.send(command)
        reply = await asyncio.wait_for(connection.receive(), ANSWER_SECONDS)
    except TimeoutError as error:
        raise CrawlerError(f"{socket}: the crawl does not answer within {ANSWER_SECONDS:g} s") from error
    finally:
        connection.close()
    if isinstance(reply, Refusal):
        raise CrawlerError(reply.reason)
    if not isinstance(reply, Reply):
        raise CrawlerError("the crawl ended before it answered")
    return reply.body


def _tell(directory: Path, command: Command) -> int:
    print(ask(directory, command)["said"])
    return 0


def _wish(directory: Path, command: Command) -> int:
    """Tell a running crawl, or note it for the next start."""
    if find_keeper(directory) is not None:
        return _tell(directory, command)
    from tiptoe.keeper.wishes import fulfil_stopped  # the database, which nobody else here needs

    print(fulfil_stopped(directory, command))
    if command.verb in LEAVING:
        log_order(directory, "leave", command.argument)
    return 0


def _waits(figures: Mapping[str, object]) -> list[str]:
    """Return what is waited for, a reason a line, and when it goes on."""
    waiting = msgspec.convert(figures["waiting"], Waiting)
    now = float(str(figures["now"]))
    lines = reasons_said(waiting, now)
    return [*lines, *filter(None, [next_said(waiting, now)])]


def _is_rare(name: str) -> bool:
    return name in RARE or name.startswith("revisits")


def _said(name: str, value: object) -> str:
    if name == "stopped_because":
        return in_plain_words(str(value))
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
