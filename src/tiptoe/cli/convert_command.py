"""`tiptoe convert`: how do stored documents become text?

Works beside a running crawl, which says how far its lists are committed and takes the
links in at once, or on one that is not running, whose database says how far.
Texts are judged like those of pages, see `compose.document_judging`.
"""

import contextlib
import json
import os
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from tiptoe.cli.arguments import AsJson, Directory, Quiet
from tiptoe.cli.bar import Count, bar
from tiptoe.cli.exits import Exit
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.printer import Printer
from tiptoe.cli.stop_signals import on_stop_signals
from tiptoe.compose_conversion import JUDGING_SETTINGS, document_judging
from tiptoe.convert.confinement import DocumentBounds
from tiptoe.convert.converter import Converter, ConvertPlan
from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.progress import CONVERTED, Progress, held
from tiptoe.convert.sandbox import Sandbox
from tiptoe.errors import CrawlerError
from tiptoe.forget.journal import expect_nothing_pending
from tiptoe.frontier.filemarks import FileMarks
from tiptoe.keeper.database import claimed
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.document_lists import document_lists
from tiptoe.keeper.running_crawl import ask
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.amounts import counted, human_count
from tiptoe.observe.crawl_marker import expect_requests, no_crawl
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.run_figures import read_runs
from tiptoe.protocol.operator import DocumentLists, LinksTaken, ListDocuments, TakeLinks
from tiptoe.settings.layers import Settings
from tiptoe.write.dropbox import waiting_links

__all__ = ["convert_command"]

FOLLOW_SECONDS = 2.0
QUIET_NICENESS = 10
MEANINGS = {
    CONVERTED: "now text in the corpus",
    "encrypted": "locked with a password",
    "no_text": "no text: scanned, or empty",
    "too_short": "less text than text.min_chars requires",
    "broken": "not whole, or not what it claims to be",
    "too_big": "unpacks to more than we take",
    "timeout": "not read in time",
    "memory": "would take more memory than it may",
    "crashed": "the process that read it died",
    "unsupported": "a version of its format that we cannot read",
    "missing": "not in the archive any more",
    "other_language": "in none of the languages wanted",
    "duplicate": "nearly all of its text is already in the corpus",
}
OPTIONS = (
    "documents.timeout",
    "documents.memory",
    "write.corpus_size",
    "fetch.decoded_max",
    *JUDGING_SETTINGS,
)


@takes_settings(OPTIONS)
def convert_command(
    directory: Directory = Path("crawl"),
    *,
    again: Annotated[bool, Parameter(help="Convert all documents again.")] = False,
    follow: Annotated[bool, Parameter(help="Continue until the crawl ends, with low priority.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    layers: Layers,
) -> int:
    """Turn the documents of a crawl into text and links."""
    expect_requests(directory)
    if (remembered := recall(directory)) is None:
        raise no_crawl(directory)
    settings = layers.load(remembered=remembered)
    if follow:
        os.nice(QUIET_NICENESS)
    bounds = DocumentBounds(settings.documents.timeout, settings.documents.memory)
    with (
        contextlib.closing(EventLog.at(directory / "log" / "convert.log", "convert")) as log,
        held(directory),
        Sandbox(bounds) as sandbox,
        document_judging(settings, directory) as judge,
    ):
        expect_nothing_pending(directory)
        plan = _plan(settings, directory, again)
        converter = Converter(directory, sandbox.read, plan, log, judging=judge)
        on_stop_signals(partial(setattr, converter, "is_stopping", True))
        before = dict(converter.progress.counts)
        left = _convert(directory, converter, follow=follow, quiet=quiet or as_json)
        converter.close()
    if as_json:
        print(json.dumps(_values(converter, left), indent=2))
    elif not quiet:
        _print_summary(Printer(highlight=False), converter, before, left, directory)
    return Exit.INTERRUPTED if converter.is_stopping and left else Exit.DONE


def _plan(settings: Settings, directory: Path, again: bool) -> ConvertPlan:
    last = read_runs(directory).last
    return ConvertPlan(
        again=again,
        body_bytes_max=settings.fetch.decoded_max,
        corpus_bytes_max=settings.write.corpus_size,
        corpus_encoding=last.encoding if last else "utf-8",  # one corpus, one encoding
    )


def _convert(directory: Path, converter: Converter, *, follow: bool, quiet: bool) -> int:
    """Convert the waiting documents, with a bar on a terminal; return how many are left."""
    done = 0
    with bar("converting", Count, is_hidden=quiet) as shown:
        while True:
            lists = _committed_lists(directory)
            waiting = converter.count(lists)
            shown.expect(done + waiting)
            converter.convert(lists, lambda: _notify_keeper(directory), shown.advance)
            left = converter.count(lists)
            done += waiting - left
            if converter.is_stopping or not follow or find_keeper(directory) is None:
                return left
            time.sleep(FOLLOW_SECONDS)


def _committed_lists(directory: Path) -> Mapping[str, int]:
    """Return how many bytes of each list are committed: later bytes may still be rolled back."""
    if find_keeper(directory) is not None:
        try:
            return ask(directory, ListDocuments(), DocumentLists).lists
        except CrawlerError:
            if find_keeper(directory) is not None:
                return {}  # it is starting or ending: nothing is certain now
    with claimed(directory) as store:
        return document_lists(FileMarks(store).all())


def _notify_keeper(directory: Path) -> None:
    """Tell a running crawl to take in the new links; otherwise they wait for its next start."""
    with contextlib.suppress(CrawlerError):
        while find_keeper(directory) is not None and ask(directory, TakeLinks(), LinksTaken).left:
            continue


def _values(converter: Converter, left: int) -> dict[str, object]:
    progress = converter.progress
    return {"counts": progress.counts, "types": progress.types, "links": progress.links, "waiting": left}


def _outcome_rows(progress: Progress) -> list[tuple[int, str, str]]:
    ordered = sorted(progress.counts.items(), key=lambda pair: (pair[0] != CONVERTED, -pair[1]))
    return [(count, name, MEANINGS.get(name, "")) for name, count in ordered]


def _kind_rows(progress: Progress) -> list[tuple[int, str, str]]:
    kinds = {kind.value: kind.name.lower() for kind in DocumentKind}
    ordered = sorted(progress.types.items(), key=lambda pair: -pair[1])
    return [(count, kinds.get(name, name), name if name in kinds else "") for name, count in ordered]


def _print_counts(console: Console, title: str, rows: list[tuple[int, str, str]]) -> None:
    """Print a table under its heading: how many, of what, and what that means."""
    if not rows:
        return
    grid = Grid(box=None, show_header=False, padding=(0, 2, 0, 0))
    grid.add_column(justify="right")
    for count, name, meaning in rows:
        grid.add_row(f"  {human_count(count)}", escape(name), f"[dim]{escape(meaning)}[/dim]")
    console.print(f"\n[bold]{title}[/bold]")
    console.print(grid)


def _print_summary(
    console: Console, converter: Converter, before: Mapping[str, int], left: int, directory: Path
) -> None:
    progress = converter.progress
    if not progress.counts and not left:
        console.print(
            "There are no documents to convert: the crawl has met none, or was told to keep none "
            "(documents.convert = never).",
            soft_wrap=True,
        )
        return
    handled = sum(progress.counts.values()) - sum(before.values())
    console.print(f"{counted(handled, 'document')} handled, {human_count(left)} left.")
    _print_counts(console, "What came of them, in all runs", _outcome_rows(progress))
    _print_counts(console, "What they were", _kind_rows(progress))
    where = escape(str(directory))
    if waiting_links(directory):
        console.print(
            f"Their links join the crawl when it goes on: the command that began it, with --out {where}",
            soft_wrap=True,
        )
    if handled > progress.counts.get(CONVERTED, 0) - before.get(CONVERTED, 0):
        console.print(
            f"Which ones brought no text: grep document.unread {where}/log/convert.log", soft_wrap=True
        )
