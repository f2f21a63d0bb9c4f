"""`tiptoe export --format wacz|site`: the archive as a copy that people can look at."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Final

from rich.markup import escape

from tiptoe import __version__
from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.export_options import ExportOptions
from tiptoe.cli.printer import Printer
from tiptoe.cli.targets import host_meant
from tiptoe.copies.archive_pages import find_archive, pages_of
from tiptoe.copies.site_copy import SiteCopy
from tiptoe.copies.wacz import WaczPlan, write_wacz
from tiptoe.errors import SettingsError
from tiptoe.export.output import STANDARD_OUTPUT, Output
from tiptoe.observe.amounts import counted, human_bytes
from tiptoe.write.archive import Advance
from tiptoe.write.output_kinds import output_folders

__all__ = ["COPY_FORMATS", "check_choice", "export_copy"]

COPY_FORMATS: Final[Mapping[str, str]] = {"wacz": ".wacz", "site": "-site"}
"""Formats of a copy, with the ending of its file name."""


def check_choice(options: ExportOptions) -> bool:
    """Return whether a copy is wanted; refuse options that do not apply to it, or to a corpus."""
    if options.host and options.format != "site":
        raise SettingsError("--host: only a site can be a part of the crawl: --format site")
    is_copy = options.format in COPY_FORMATS
    of_a_corpus = (
        options.as_of, options.lang, options.min_usability, options.every, options.dedup != "none",
        options.sentences, options.shard_size, options.license,
    )  # fmt: skip
    if is_copy and any(of_a_corpus):
        part = "; --host NAME copies a single host" if options.format == "site" else ""
        raise SettingsError(
            f"--format {options.format} copies the archive as it is: options that choose texts, such as "
            f"--lang and --dedup, do not apply{part}"
        )
    return is_copy


def export_copy(directory: Path, options: ExportOptions, members: Sequence[Path], *, as_json: bool) -> int:
    """Write a copy; return the exit code."""
    out = options.out or Path(directory.resolve().name + COPY_FORMATS[options.format])
    if out == STANDARD_OUTPUT:
        raise SettingsError(f"--out -: a {options.format} cannot be streamed; name a file")
    folders = [(directory / name).resolve() for name in ("state", *output_folders())]
    if any(folder in (out.resolve(), *out.resolve().parents) for folder in folders):
        raise SettingsError(f"--out {out}: lies among the files of the crawl itself")
    files = find_archive(directory, members)
    size = sum(path.stat().st_size for path in files.archives)
    with bar("packing" if options.format == "wacz" else "copying", Bytes, total=size) as shown:
        figures: dict[str, object]
        if options.format == "wacz":
            plan = WaczPlan(
                files=files, title=directory.resolve().name, software=f"tiptoe {__version__}",
                created_at=time.time(), pages=partial(pages_of, directory, members=members),
            )  # fmt: skip
            figures = _write_wacz(plan, out, shown.advance, force=options.force)
        else:
            hosts = [host_meant(host) for host in options.host or ()]
            copy = SiteCopy(directory, files, hosts=hosts, advance=shown.advance)
            figures = {**asdict(copy.write(out, force=options.force)), "out": str(out)}
    figures["left_out"] = files.left_out
    if as_json:
        print(json.dumps(figures, indent=2))
        return 0
    console = Printer(highlight=False)
    console.print(
        f"{out}: {counted(int(str(figures['pages'])), 'page')}, {human_bytes(int(str(figures['bytes'])))}",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    if unreadable := int(str(figures.get("unreadable", 0))):
        console.print(
            f"[yellow]{counted(unreadable, 'answer')} could not be read[/yellow], and left out; "
            f"`tiptoe repair {escape(str(directory))} --check` says what is damaged.",
            soft_wrap=True,
        )
    if files.left_out:
        console.print(f"{counted(files.left_out, 'file')} of the archive is still written, and left out.")
    return 0


def _write_wacz(plan: WaczPlan, out: Path, advance: Advance, *, force: bool) -> dict[str, object]:
    with Output(out, force=force) as output:
        pages = write_wacz(plan, output.file, scratch=out.absolute().parent, advance=advance)
    return {"out": str(out), "pages": pages, "files": len(plan.files.archives), "bytes": out.stat().st_size}
