"""`tiptoe export`: the corpus in a form that other tools load."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from tiptoe.cli.arguments import AsJson, Directory, Further
from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.exits import Exit
from tiptoe.cli.export_copy import check_choice, export_copy
from tiptoe.cli.export_options import ExportOptions
from tiptoe.cli.printer import Printer
from tiptoe.cli.whole_crawl import whole_crawl
from tiptoe.cluster.file_protocol import FilePart
from tiptoe.errors import SettingsError
from tiptoe.export.export_amounts import ExportAmounts, Omission, TextAmount
from tiptoe.export.exporter import ExportPlan, bytes_to_read, export
from tiptoe.export.formats import FORMATS
from tiptoe.export.formats.txt import INDEX_SUFFIX
from tiptoe.export.output import STANDARD_OUTPUT
from tiptoe.export.selection import Selection, read_languages
from tiptoe.export.versions import AS_IT_IS, read_moment
from tiptoe.forget.journal import expect_nothing_pending
from tiptoe.observe.amounts import counted, human_bytes, human_count
from tiptoe.settings.units import parse_size

__all__ = ["export_command"]

FOLDER_SUFFIX = "-dataset"
SHARD_BYTES_MIN = 100_000

MEANINGS = {
    Omission.OTHER_LANGUAGE: "in another language",
    Omission.LOW_USABILITY: "of lower usability",
    Omission.UNKNOWN_USABILITY: "of unknown usability",
    Omission.NO_TEXT: "without text",
    Omission.BOILERPLATE: "boilerplate",
    Omission.COPY: "written by two agents",
    Omission.DUPLICATE: "met before",
    Omission.NEAR_DUPLICATE: "nearly all of it met before",
    Omission.LATER: "fetched later",
    Omission.REPLACED: "replaced by a later version",
    Omission.GONE: "of pages that were gone",
}


def export_command(
    directory: Directory = Path("crawl"),
    *others: Further,
    options: Annotated[ExportOptions, Parameter(name="*")],
    as_json: AsJson = False,
) -> int:
    """Write the corpus of a crawl in a form that other tools load."""
    if not 0.0 <= options.min_usability <= 1.0:
        raise SettingsError(f"--min-usability {options.min_usability:g}: from 0 to 1")
    expect_nothing_pending(directory)
    is_copy = check_choice(options)
    # The figures in the logs say in which encoding a corpus is written.
    parts = list(FilePart) if is_copy else [FilePart.LOGS, FilePart.TEXTS]
    crawl = whole_crawl(directory, others, parts, local=options.local)
    if is_copy:
        return export_copy(directory, options, crawl.members, as_json=as_json)
    suffix = FOLDER_SUFFIX if options.shard_size else FORMATS[options.format].suffix
    plan = ExportPlan(
        directory=directory,
        format=options.format,
        out=options.out or Path(directory.resolve().name + suffix),
        selection=Selection(
            languages=read_languages(options.lang or ()), usability_min=options.min_usability
        ),
        as_of=read_moment(options.as_of) if options.as_of is not None else None,
        is_main_only=not options.every,
        dedup=options.dedup,
        sentences=options.sentences,
        force=options.force,
        members=crawl.members,
        shard_bytes=_read_size(options.shard_size),
        license=options.license,
    )
    _check_output(plan)
    amounts = _export(plan)
    _tell(plan, amounts, as_json=as_json)
    if not amounts.written.documents:
        print(f"tiptoe: {_nothing_written(amounts)}", file=sys.stderr)
        return Exit.TEXTLESS
    return Exit.DONE


def _tell(plan: ExportPlan, amounts: ExportAmounts, *, as_json: bool) -> None:
    # Messages must not get mixed up with the documents.
    channel = sys.stderr if plan.out == STANDARD_OUTPUT else sys.stdout
    if as_json:
        print(json.dumps(_values(plan, amounts), indent=2, ensure_ascii=False), file=channel)
    else:
        _print_summary(Printer(file=channel, highlight=False), plan, amounts)


def _nothing_written(amounts: ExportAmounts) -> str:
    """Return why no document was written."""
    if not amounts.read.documents:
        return "nothing was exported: the corpus has no documents"
    reasons = ", ".join(
        f"{human_count(amount.documents)} {MEANINGS[reason]}"
        for reason, amount in amounts.omissions()
        if amount.documents
    )
    return f"nothing was exported: of {counted(amounts.read.documents, 'document')} read, {reasons}"


def _check_output(plan: ExportPlan) -> None:
    """Raise SettingsError for an output that cannot be intended."""
    if plan.out != STANDARD_OUTPUT and str(plan.out).startswith("-"):
        raise SettingsError(f"--out {plan.out}: looks like an option; write ./{plan.out} if it is a file")
    if plan.out == STANDARD_OUTPUT and plan.shard_bytes is not None:
        raise SettingsError("--out -: --shard-size makes a folder; name one")
    if plan.out == STANDARD_OUTPUT and not FORMATS[plan.format].is_text and sys.stdout.isatty():
        raise SettingsError(f"--out -: {plan.format} is not for a terminal; name a file or a pipe")
    if plan.license is not None and plan.shard_bytes is None:
        raise SettingsError("--license: stands in the card of a dataset, which --shard-size makes")


def _read_size(text: str | None) -> int | None:
    """Return a size in bytes from how people write it."""
    if text is None:
        return None
    try:
        size = parse_size(text)
    except ValueError:
        size = 0
    if size < SHARD_BYTES_MIN:
        raise SettingsError(f"--shard-size {text}: expected a size such as 500MB, at least 100kB")
    return size


def _export(plan: ExportPlan) -> ExportAmounts:
    """Export, with a bar on a terminal."""
    size = bytes_to_read(plan)
    try:
        with bar("exporting", Bytes, total=size) as shown:
            return export(plan, shown.advance)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise SettingsError(f"--out {plan.out}: cannot be written: {problem.strerror}") from None


def _values(plan: ExportPlan, amounts: ExportAmounts) -> dict[str, Any]:
    return {
        "out": str(plan.out),
        "format": plan.format,
        "as_of": "now" if plan.as_of == AS_IT_IS else plan.as_of and plan.as_of.isoformat(),
        "bytes": amounts.written_bytes,
        "read": asdict(amounts.read),
        "written": asdict(amounts.written),
        "omitted": {reason.value: asdict(amount) for reason, amount in amounts.omissions()},
        "later_versions": amounts.later_versions,
        "unreadable_lines": amounts.unreadable_lines,
    }


def _print_summary(console: Console, plan: ExportPlan, amounts: ExportAmounts) -> None:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("")
    for name in TextAmount.__slots__:
        table.add_column(name, justify="right")
    rows = [("read", amounts.read)]
    rows += [(f"  {MEANINGS[reason]}", amount) for reason, amount in amounts.omissions()]
    for name, amount in (*rows, ("written", amounts.written)):
        table.add_row(name, *(human_count(getattr(amount, unit)) for unit in TextAmount.__slots__))
    console.print(table)
    if amounts.later_versions and plan.as_of is None:
        count = human_count(amounts.later_versions)
        console.print(
            f"{count} of those read are later versions of pages that changed; "
            "--as-of now takes the last one of each page.",
            soft_wrap=True,
        )
    if amounts.unreadable_lines:
        lines = counted(amounts.unreadable_lines, "line")
        console.print(f"[yellow]{lines} could not be read[/yellow], and not counted.")
    if plan.out != STANDARD_OUTPUT:
        has_index = plan.format == "txt" and plan.shard_bytes is None
        index = f" and {plan.out}{INDEX_SUFFIX}" if has_index else ""
        size = human_bytes(amounts.written_bytes)
        console.print(f"{plan.out}{index}: {size}", markup=False, soft_wrap=True)
