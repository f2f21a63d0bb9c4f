"""`tiptoe history`: what has become of one page over time?"""

import difflib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tiptoe.cli.arguments import AsJson, Directory, Local
from tiptoe.cli.crawl_meant import is_crawl, target_and_directory
from tiptoe.cli.printer import Printer
from tiptoe.cli.sent_answer import sent_answer
from tiptoe.cli.whole_crawl import whole_crawl
from tiptoe.cluster.file_protocol import FilePart
from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import human_bytes, human_count
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.page_history import History, Sighting, What, read_history
from tiptoe.observe.printable import printable

__all__ = ["history_command", "print_history"]

STYLES = {
    What.NEW: "green",
    What.CHANGED: "yellow",
    What.GONE: "red",
    What.UNCHANGED: "dim",
    What.HARDLY_CHANGED: "dim",
}
WIDE_COLUMNS = 120
"""Minimum width for a table of visits; below it each visit has lines of its own."""

MARKS = {"  ": "", "- ": "red", "+ ": "green"}


def history_command(
    directory: Directory,
    url: Annotated[
        str,
        Parameter(
            help="Address of the page; https:// may be left out. Further directories of the same crawl, from "
            "other machines, come before it."
        ),
    ],
    *more: Annotated[str, Parameter(show=False)],
    local: Local = False,
    show: Annotated[int | None, Parameter(help="Print the text of this version.")] = None,
    diff: Annotated[
        tuple[int, int] | None,
        Parameter(help="Print which paragraphs differ between two versions, such as 1 3."),
    ] = None,
    answer: Annotated[
        int | None, Parameter(help="Print what the server sent for this version, from the archive.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show when a page was visited, and what each visit found.

    "Hardly changed" means that the text was different but mostly known, so it is not a new version (see
    revisit.change).
    """
    if sum(wish is not None for wish in (show, diff, answer)) > 1:
        raise SettingsError("--show, --diff and --answer: one of them at a time")
    *others, typed = (url, *more)
    directory, typed = target_and_directory("history", directory, typed, is_last=False)
    for word in others:
        if not is_crawl(word):
            raise SettingsError(f"{word}: not the directory of a crawl; the address of the page comes last")
    crawl = whole_crawl(
        directory, map(Path, others), [FilePart.LOGS, FilePart.TEXTS, FilePart.INDEXES], local=local
    )
    history = read_history(directory, typed, members=crawl.members)
    if show is not None:
        _show(history, show, as_json)
    elif diff is not None:
        _diff(history, diff, as_json)
    elif answer is not None:
        _answer(history, answer, as_json)
    elif as_json:
        print(json.dumps(_values(history), indent=2, ensure_ascii=False))
    else:
        print_history(Printer(highlight=False), history)
    return 0


def _show(history: History, version: int, as_json: bool) -> None:
    document = history.document(version)
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
        return
    for paragraph in document.paragraphs:
        print(printable(paragraph, " "))


def _answer(history: History, version: int, as_json: bool) -> None:
    sent = sent_answer(history, version)
    if as_json:
        print(msgspec.json.encode(sent).decode())
        return
    for line in [sent.status_line, *(f"{name}: {value}" for name, value in sent.headers), ""]:
        print(printable(line, " "))
    for line in sent.text.splitlines():
        print(printable(line, " "))
    if sent.fault:
        print(f"tiptoe: {printable(sent.fault)}", file=sys.stderr)


def _diff(history: History, numbers: tuple[int, int], as_json: bool) -> None:
    before, after = (history.document(number).paragraphs for number in numbers)
    changes = list(_changes(before, after))
    if as_json:
        values = {
            "url": history.url,
            "from": numbers[0],
            "to": numbers[1],
            "removed": [text for mark, text in changes if mark == "- "],
            "added": [text for mark, text in changes if mark == "+ "],
        }
        print(json.dumps(values, indent=2, ensure_ascii=False))
        return
    console = Printer(highlight=False)
    for mark, text in changes:
        console.print(Text(mark + printable(text, " "), style=MARKS[mark]), soft_wrap=True)
    if all(mark == "  " for mark, _ in changes):
        console.print("the same paragraphs")


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield removed and added paragraphs, with one unchanged paragraph on either side."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(1):
        for tag, old, old_end, new, new_end in group:
            if tag == "equal":
                yield from (("  ", text) for text in before[old:old_end])
            else:
                yield from (("- ", text) for text in before[old:old_end])
                yield from (("+ ", text) for text in after[new:new_end])


def _values(history: History) -> dict[str, Any]:
    return {
        "url": history.url,
        "visits": [
            {
                "seen_at": sighting.seen_at.isoformat().replace("+00:00", "Z"),
                "what": sighting.what.value,
                "status": sighting.status or None,
                "version": sighting.version or None,
                "digest": sighting.digest or None,
                "received_digest": sighting.received_digest or None,
                "warc_file": sighting.warc_file or None,
                "warc_offset": sighting.warc_offset if sighting.warc_file else None,
                "warc_bytes": sighting.warc_bytes or None,
                "text_chars": sighting.text_chars if sighting.version else None,
                "reason": sighting.reason or None,
            }
            for sighting in history.sightings
        ],
    }


def print_history(console: Console, history: History) -> None:
    """Show all visits, in a layout that fits the width of the terminal."""
    console.print(Text(printable(history.url, " "), style="bold"), soft_wrap=True)
    if console.width >= WIDE_COLUMNS:
        console.print(_table(history))
    else:
        for sighting in history.sightings:
            _print_lines(console, sighting)
    versions = history.versions()
    if len(versions) > 1:
        console.print(
            f"[dim]--show {versions[-1]} prints a text, "
            f"--diff {versions[-2]} {versions[-1]} what has changed.[/dim]"
        )


def _table(history: History) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("visited (UTC)", no_wrap=True)
    for name in ("found", "version", "status", "characters", "in the archive", "digest"):
        right = name in ("version", "status", "characters")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for sighting in history.sightings:
        table.add_row(*_row(sighting))
    return table


def _print_lines(console: Console, sighting: Sighting) -> None:
    """Show one visit: what was found and when, then its details, one per line."""
    visited, found, version, status, characters, place, digest = _row(sighting)
    console.print(Text.assemble(visited, "  ", found))
    facts = {"status": status, "version": version, "characters": characters}
    text = ", ".join(f"{name} {fact}" for name, fact in facts.items() if str(fact) != "-")
    for line in (text, str(place), str(digest)):
        if line and line != "-":
            # A name broken across lines could not be searched for.
            console.print(Text(f"    {line}", style="dim"), soft_wrap=True)


def _row(sighting: Sighting) -> list[Text]:
    reason = in_plain_words(sighting.reason) or sighting.reason
    what = f"{sighting.what.value}: {reason}" if reason else sighting.what.value
    place = f"{sighting.warc_file} {sighting.warc_offset} ({human_bytes(sighting.warc_bytes)})"
    cells = (
        f"{sighting.seen_at:%Y-%m-%d %H:%M:%S}",
        printable(what, " "),
        str(sighting.version) if sighting.version else "-",
        str(sighting.status) if sighting.status else "-",
        human_count(sighting.text_chars) if sighting.version else "-",
        printable(place, " ") if sighting.warc_file else "-",
        printable(sighting.received_digest or sighting.digest, " "),
    )
    return [
        Text(cell, style=STYLES.get(sighting.what, "") if number == 1 else "")
        for number, cell in enumerate(cells)
    ]
