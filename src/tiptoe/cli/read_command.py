"""`tiptoe read`: how does text from elsewhere become a corpus?"""

import contextlib
import json
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter
from rich.markup import escape
from rich.table import Table

from tiptoe.cli.arguments import AsJson, Quiet
from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.exits import Exit
from tiptoe.cli.field_inputs import with_field_rules
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.printer import Printer
from tiptoe.cli.stop_signals import on_stop_signals
from tiptoe.compose_ingest import READ_SETTINGS, ingest_plan, read_units, reader_greeting
from tiptoe.errors import SettingsError
from tiptoe.forget.journal import expect_nothing_pending
from tiptoe.ingest.crew import Crew
from tiptoe.ingest.ingest_progress import IngestProgress, ProgressStore
from tiptoe.ingest.ingester import Ingester
from tiptoe.ingest.output_directory import OutputDirectory
from tiptoe.ingest.source_files import crawl_sources, list_sources
from tiptoe.ingest.unit_list import plan_units
from tiptoe.ingest.unread import READ
from tiptoe.keeper.settings_file import recall, remember
from tiptoe.observe.amounts import counted, human_bytes, human_count
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.printable import printable
from tiptoe.observe.run_figures import write_figures
from tiptoe.protocol.status import Status
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import refuse_unchangeable, to_remember

__all__ = ["read_command"]

PROCESSES_MAX: Final = 256
NAMED_MAX: Final = 5
"""Maximum number of unopened files that the summary names; the log has all."""


@takes_settings(READ_SETTINGS)
def read_command(
    *sources: Annotated[
        Path,
        Parameter(
            help="WARC files, folders of pages and documents, mbox and news archives, saved feeds, or the "
            "directory of a crawl, whose archive is read. None: the sources that were read into --out "
            "before."
        ),
    ],
    out: Annotated[Path, Parameter(help="Directory for the corpus.")],
    processes: Annotated[
        int, Parameter(help="Processes that read; 0 = as many as there are processors.")
    ] = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
    layers: Layers,
) -> int:
    """Read texts from elsewhere into a corpus."""
    if not 0 <= processes <= PROCESSES_MAX:
        raise SettingsError(f"--processes {processes}: from 0 to {PROCESSES_MAX}")
    directory = OutputDirectory(out)
    directory.check(list(sources))
    settings = _settings(layers, directory, list(sources))
    for source in crawl_sources(list(sources) or directory.sources()):
        expect_nothing_pending(source)
    with directory.claimed():
        remember(out, to_remember(settings))
        every = directory.note(list(sources))
        _print_missing([source for source in every if not source.exists()])
        ingester, before = _read(out, every, settings, processes, is_hidden=quiet or as_json)
    progress, is_whole = ingester.progress, not ingester.is_stopping
    _print_unopened(ingester.unopened, out)
    if as_json:
        print(json.dumps(_values(progress, is_whole=is_whole), indent=2))
    elif not quiet:
        _print_summary(progress, before, out, is_whole=is_whole)
    if not is_whole:
        return Exit.INTERRUPTED
    if ingester.unopened:
        return Exit.FAULT
    if not progress.counts.get(READ):
        print(f"tiptoe: {printable(str(out))}: no text was found, so the corpus is empty", file=sys.stderr)
        return Exit.TEXTLESS
    return Exit.DONE


def _settings(layers: Layers, directory: OutputDirectory, sources: list[Path]) -> Settings:
    """Return the settings in force: given ones, else those of the directory, or of the crawl that is read."""
    remembered = recall(directory.path) if directory.is_begun else None
    presets: dict[str, object] = {}
    for source in crawl_sources(sources or directory.sources()):
        known = recall(source) or {}
        presets.update({name: known[name] for name in READ_SETTINGS if name in known})
    settings = layers.load(presets=presets, remembered=remembered)
    settings = with_field_rules(layers, settings).load(presets=presets, remembered=remembered)
    if remembered is not None:
        refuse_unchangeable(Settings.load(remembered=remembered), settings, directory.path)
    return settings


def _read(
    out: Path, sources: list[Path], settings: Settings, processes: int, *, is_hidden: bool
) -> tuple[Ingester, IngestProgress]:
    """Read everything; return the reader, and what earlier runs had done."""
    started_at = time.time()
    size = processes or len(os.sched_getaffinity(0))
    with (
        contextlib.closing(EventLog.at(out / "log" / "read.log", "read")) as log,
        Crew(size, reader_greeting(settings), read_units=read_units) as crew,
        contextlib.closing(ProgressStore(out)) as store,
        bar("reading", Bytes, is_hidden=is_hidden) as shown,
    ):
        before = store.load()
        shown.expect(sum(file.size for file in list_sources(sources)))
        ingester = Ingester(out, ingest_plan(settings), store, log, run=f"{int(started_at * 1000):x}")
        shown.advance(before.read_bytes)
        on_stop_signals(partial(setattr, ingester, "is_stopping", True))
        log.note("read.began", sources=len(sources), processes=size)
        ingester.ingest(plan_units(list_sources(sources), store), crew, shown.advance)
        ingester.close()
        is_whole = not ingester.is_stopping
        log.note("read.ended", whole=is_whole, texts=ingester.progress.counts.get(READ, 0))
        write_figures(out, _status(ingester.progress, settings, started_at))
    return ingester, before


def _print_missing(sources: list[Path]) -> None:
    """Name the sources of earlier runs that are gone: what was read from them is in the corpus."""
    for source in sources[:NAMED_MAX]:
        text = "no longer there; what was read from it stays"
        print(f"tiptoe: {printable(str(source))}: {text}", file=sys.stderr)


def _print_unopened(files: list[str], out: Path) -> None:
    """Name the files that could not be opened, even when little else is printed."""
    for path in files[:NAMED_MAX]:
        print(f"tiptoe: {printable(path)}: could not be opened", file=sys.stderr)
    if len(files) > NAMED_MAX:
        print(f"tiptoe: and {len(files) - NAMED_MAX} more; see {out / 'log' / 'read.log'}", file=sys.stderr)


def _status(progress: IngestProgress, settings: Settings, started_at: float) -> Status:
    """Return the figures of a read as the status of a crawl."""
    now = time.time()
    discards = {name: count for name, count in progress.counts.items() if name != READ}
    return Status(
        documents=progress.counts.get(READ, 0),
        bytes=progress.read_bytes,
        text_chars=progress.text_chars,
        discards=discards,
        lost_harvesters=progress.lost_readers,
        now=now,
        seconds=now - started_at,
        started_at=started_at,
        cpu_seconds=progress.cpu_seconds,
        encoding=settings.write.encoding,
    )


def _values(progress: IngestProgress, *, is_whole: bool) -> dict[str, object]:
    return {
        "texts": progress.counts.get(READ, 0),
        "characters": progress.text_chars,
        "counts": progress.counts,
        "files": progress.files,
        "bytes": progress.read_bytes,
        "cpu_seconds": round(progress.cpu_seconds, 3),
        "lost_readers": progress.lost_readers,
        "whole": is_whole,
    }


def _print_summary(progress: IngestProgress, before: IngestProgress, out: Path, *, is_whole: bool) -> None:
    printer = Printer(highlight=False)
    new = progress.counts.get(READ, 0) - before.counts.get(READ, 0)
    size = human_bytes(progress.read_bytes - before.read_bytes)
    where = escape(str(out))
    if is_whole and progress.read_bytes == before.read_bytes and before.counts:
        printer.print(f"Nothing new: all of it was read into {where} before.", soft_wrap=True)
    else:
        printer.print(f"{counted(new, 'text')} read from {size} into {where}.", soft_wrap=True)
    if progress.counts:
        grid = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        grid.add_column(justify="right")
        for name, count in sorted(progress.counts.items(), key=lambda pair: (pair[0] != READ, -pair[1])):
            meaning = "texts in the corpus" if name == READ else in_plain_words(name)
            grid.add_row(f"  {human_count(count)}", escape(name), f"[dim]{escape(meaning)}[/dim]")
        printer.print("\n[bold]What was found, in all runs[/bold]")
        printer.print(grid)
    if not is_whole:
        printer.print(f"Stopped; continue with the same command: tiptoe read --out {where}", soft_wrap=True)
    if progress.lost_readers:
        printer.print(
            f"[yellow]{counted(progress.lost_readers, 'reader')} lost[/yellow]: see {where}/log/read.log"
        )
