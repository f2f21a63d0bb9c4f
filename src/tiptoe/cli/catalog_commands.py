"""`tiptoe catalog`: build it, export it, and import the descriptions of others."""

import contextlib
import itertools
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import msgspec
from cyclopts import Parameter

from tiptoe.catalog.catalog_directory import open_catalog
from tiptoe.catalog.catalog_update import IMPORTS_FOLDER, UpdateAmounts
from tiptoe.catalog.description import ResourceDescription, from_soif, to_soif
from tiptoe.catalog.query_parser import parse_query
from tiptoe.catalog.soif import SoifFault, read_soif, write_soif
from tiptoe.cli.arguments import AsJson, Directory, Quiet
from tiptoe.cli.catalog_building import (
    CATALOG_OPTIONS,
    Building,
    catalog_database,
    expect_files,
    refresh,
)
from tiptoe.cli.exits import Exit
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.errors import SettingsError
from tiptoe.forget.catalog_pages import thin_descriptions
from tiptoe.keeper.directory import find_keeper
from tiptoe.observe.amounts import counted
from tiptoe.observe.crawl_marker import forgotten_targets
from tiptoe.observe.process import die_with_parent, share_one_arena, stopping_signals
from tiptoe.url.wish import read_wish

__all__ = ["build_command", "export_descriptions_command", "import_descriptions_command"]

FOLLOW_SECONDS = 5.0
QUIET_NICENESS = 15
FAULTS_SHOWN_MAX = 10


@takes_settings(CATALOG_OPTIONS)
def build_command(
    directory: Directory = Path("crawl"),
    *,
    rebuild: Annotated[bool, Parameter(help="Rebuild it from the corpus.")] = False,
    follow: Annotated[bool, Parameter(help="Continue until the crawl ends, with low priority.")] = False,
    progress: Annotated[
        bool, Parameter(help="Print a line of JSON every second that says how far it is.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    layers: Layers,
) -> int:
    """Bring the catalog of a crawl up to date, or rebuild it."""
    expect_files(directory)
    share_one_arena()
    with _stopping() as stopping:
        is_quiet = quiet or as_json or progress
        database = catalog_database(directory, layers)
        building = Building(directory, database, is_quiet, stopping.is_set, progress)
        if follow:
            _follow(building, stopping)
            return Exit.DONE
        amounts = building.build(rebuild=rebuild)
    if as_json:
        print(json.dumps({name: getattr(amounts, name) for name in amounts.__slots__}, indent=2))
    elif not quiet:
        _print_amounts(amounts)
    return Exit.INTERRUPTED if stopping.is_set() else Exit.DONE


def _print_amounts(amounts: UpdateAmounts) -> None:
    text = f"{counted(amounts.pages, 'text')} and {counted(amounts.gone, 'page')} gone read into the catalog"
    print(text + (f"; {counted(amounts.described, 'description')}" if amounts.described else ""))
    if amounts.unreadable:
        print(f"{counted(amounts.unreadable, 'line')} could not be read", file=sys.stderr)


@contextlib.contextmanager
def _stopping() -> Iterator[threading.Event]:
    """Yield an event that is set by a request to stop, while the `with` lasts."""
    event = threading.Event()
    before = {
        number: signal.signal(number, lambda number, frame: event.set()) for number in stopping_signals()
    }
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _follow(building: Building, stopping: threading.Event) -> None:
    """Keep a catalog up to date while a crawl runs, with the capacity that the crawl leaves."""
    die_with_parent()
    os.nice(QUIET_NICENESS)
    directory = building.directory
    building.is_stopping = lambda: False  # read what is committed by now before ending

    def pause() -> bool:
        stopping.wait(FOLLOW_SECONDS)
        return not stopping.is_set() and find_keeper(directory) is not None

    building.follow(pause)


@takes_settings(CATALOG_OPTIONS)
def export_descriptions_command(
    directory: Directory = Path("crawl"),
    query: Annotated[str, Parameter(help="Only what this query finds, up to 10 000; by default all.")] = "",
    *,
    format: Annotated[
        Literal["soif", "json"], Parameter(help="soif; or json, one line for each page.")
    ] = "soif",
    out: Annotated[
        Path, Parameter(help="File to write; - is standard output.", allow_leading_hyphen=True)
    ] = Path("-"),
    text: Annotated[bool, Parameter(help="Include the whole text of each page.", negative_bool="no-")] = True,
    layers: Layers,
) -> int:
    """Write the resource descriptions of a catalog for other programs."""
    expect_files(directory)
    parse_query(query)
    database = catalog_database(directory, layers)
    if said := refresh(directory, database):
        print(f"tiptoe: {said}", file=sys.stderr)
    if str(out) == "-":
        _write_out(sys.stdout.buffer, directory, database, query, format, text=text)
        return Exit.DONE
    part = out.with_name(out.name + ".part")
    try:
        with part.open("wb") as file:
            count = _write_out(file, directory, database, query, format, text=text)
        part.replace(out)
    except OSError as error:
        raise SettingsError(f"--out {out}: cannot be written: {error.strerror}") from error
    print(f"{counted(count, 'description')} written to {out}")
    return Exit.DONE


def _write_out(file: BinaryIO, directory: Path, database: str, query: str, format: str, *, text: bool) -> int:
    count = 0
    for described in _descriptions(directory, database, query):
        count += 1
        if format == "soif":
            file.write(write_soif(to_soif(described, has_text=text)))
        else:
            kept = described if text else msgspec.structs.replace(described, full_text="")
            file.write(msgspec.json.encode(kept) + b"\n")
    return count


def _descriptions(directory: Path, database: str, query: str) -> Iterator[ResourceDescription]:
    with open_catalog(directory, database) as catalog:
        yield from (entry.description for entry in catalog.index.entries(parse_query(query)))


@takes_settings(CATALOG_OPTIONS)
def import_descriptions_command(
    directory: Directory,
    file: Annotated[Path, Parameter(help="File of descriptions in SOIF.")],
    *,
    layers: Layers,
) -> int:
    """Add resource descriptions made by another robot to the catalog of a crawl."""
    expect_files(directory)
    faults: list[SoifFault] = []
    try:
        with file.open("rb") as opened:
            taken = sum(from_soif(found) is not None for found in read_soif(opened, told=faults.append))
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror}") from error
    for fault in faults[:FAULTS_SHOWN_MAX]:
        print(f"tiptoe: {file}: {fault.problem}, at byte {fault.offset}", file=sys.stderr)
    if len(faults) > FAULTS_SHOWN_MAX:
        print(f"tiptoe: {file}: and {len(faults) - FAULTS_SHOWN_MAX} faults more", file=sys.stderr)
    if not taken:
        raise SettingsError(
            f"{file}: there is no resource description in it; expected SOIF: @DOCUMENT {{ URL"
        )
    forgotten = _keep_import(directory, file)
    Building(directory, catalog_database(directory, layers)).build()
    print(f"{counted(taken - forgotten, 'description')} imported; newer ones of the crawl itself are kept")
    if forgotten:
        print(f"{counted(forgotten, 'description')} left out: of pages that were forgotten")
    return Exit.DONE


def _keep_import(directory: Path, file: Path) -> int:
    """Keep a copy, from which the catalog can be rebuilt; return how many forgotten pages are not in it."""
    folder = directory / IMPORTS_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    names = (folder / f"{number:05d}.soif" for number in itertools.count(1))
    place = next(name for name in names if not name.exists())
    part = place.with_suffix(".part")
    shutil.copyfile(file, part)
    forgotten = thin_descriptions(part, [read_wish(target) for target in forgotten_targets(directory)])
    part.replace(place)
    return forgotten
