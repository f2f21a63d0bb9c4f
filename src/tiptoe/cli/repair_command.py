"""`tiptoe repair`: what is damaged in a crawl, and what can be done about it?

The database first, since it knows what the files should hold; then every file, from first to last byte.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.markup import escape

from tiptoe.cli.arguments import Directory
from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.printer import Printer
from tiptoe.cluster.member_file import MemberNote, read_member
from tiptoe.errors import DamagedDatabase
from tiptoe.forget.forget_orders import note_again
from tiptoe.forget.journal import expect_nothing_pending
from tiptoe.frontier.filemarks import FileState
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.output_repair import OutputRepair
from tiptoe.keeper.rescue import BUFFER_BYTES, Rescue, check_database, rescue
from tiptoe.observe.amounts import human_count
from tiptoe.observe.crawl_marker import expect_requests
from tiptoe.observe.decoding import corpus_encoding
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table

__all__ = ["repair_command"]

DAMAGED = 1
"""Exit code when something damaged was found but not to be repaired."""


def repair_command(
    directory: Directory = Path("crawl"),
    *,
    check: Annotated[bool, Parameter(help="Change nothing; exit with 1 when something is damaged.")] = False,
    lost: Annotated[
        bool,
        Parameter(help="Missing files are lost, not moved: request their pages again."),
    ] = False,
) -> int:
    """Read everything that a crawl has written, repair what is possible, and print what is lost.

    The crawl must not be running. Pages whose texts or answers are lost are requested again by the next
    `tiptoe crawl`.
    """
    expect_requests(directory)
    console = Printer(highlight=False)
    crawl = CrawlDirectory(directory)
    member = read_member(directory)
    crawl.claim([], is_shared=member is not None)
    try:
        if member is not None:
            return _repair_member(directory, member, console, is_check=check, are_lost=lost)
        problems = _check_database(directory, console, is_check=check)
        if check and problems:
            console.print("The files were not looked at: only the database knows what they should hold.")
            return DAMAGED
        expect_nothing_pending(directory)  # a half-finished `tiptoe forget` would be taken for damage
        problems += _check_files(directory, console, is_check=check, are_lost=lost, trusts=not problems)
    finally:
        crawl.release()
    return _verdict(console, problems, is_check=check)


def _repair_member(
    directory: Path, member: MemberNote, console: Console, *, is_check: bool, are_lost: bool
) -> int:
    # Imported here because a crawl on one machine needs none of it.
    from tiptoe.cli.member_repair import check_member_database, check_member_files

    problems = check_member_database(directory, console, is_check=is_check)
    if is_check and problems:
        console.print("The files were not looked at: `tiptoe repair` without --check does so.")
        return DAMAGED
    problems += check_member_files(directory, member, console, is_check=is_check, are_lost=are_lost)
    return _verdict(console, problems, is_check=is_check)


def _verdict(console: Console, problems: int, *, is_check: bool) -> int:
    if not problems:
        console.print("Nothing is damaged.")
    return DAMAGED if is_check and problems else 0


def _check_database(directory: Path, console: Console, *, is_check: bool) -> int:
    path = directory / DATABASE
    with bar("reading the database", Bytes) as shown:
        try:
            check_database(path, shown.advance)
            return 0
        except DamagedDatabase as error:
            console.print(
                escape(str(error) if is_check else f"{path}: the database is damaged"), soft_wrap=True
            )
            if is_check:
                return 1
    with bar("saving the database", Bytes) as shown:
        encoding = corpus_encoding(directory) or "utf-8"
        found = rescue(directory, path, encoding=encoding, now=time.time(), advance=shown.advance)
    for line in _told(found):
        console.print(f"  {escape(line)}", soft_wrap=True)
    return 1


def _told(found: Rescue) -> Iterator[str]:
    rows = sum(saved.rows for saved in found.tables.values())
    holes = {table.value: saved.holes for table, saved in found.tables.items() if saved.holes}
    yield f"{human_count(rows)} rows were saved"
    for table, count in holes.items():
        yield f"table {table}: rows are lost in {human_count(count)} place{'s' if count > 1 else ''}"
    done = found.reconciled
    if found.pages_restored:
        yield f"{human_count(found.pages_restored)} pages are known again from the archive and the corpus"
    if done.requests_lost:
        yield f"{human_count(done.requests_lost)} addresses that waited are lost; they may be found again"
    if done.links_lost:
        yield f"{human_count(done.links_lost)} links that waited unread are lost; they may be found again"
    if done.visits_planned:
        yield f"{human_count(done.visits_planned)} pages whose next visit was lost are visited again soon"
    if done.hosts_made or Table.HOST.value in holes or Table.ADDRESS.value in holes:
        yield "records of hosts or addresses are lost: block or slow again whom you had blocked or slowed"
    yield f"the damaged database is now {found.set_aside}; remove it when you do not need it"


def _check_files(directory: Path, console: Console, *, is_check: bool, are_lost: bool, trusts: bool) -> int:
    store = RocksStore(directory / DATABASE, block_cache_bytes=BUFFER_BYTES, write_buffer_bytes=BUFFER_BYTES)
    with closing(store):
        if not trusts:
            note_again(directory, store)
        frontier = Frontier(store, FrontierPolicy())
        marks = frontier.outputs.marks()
        away = [
            name
            for name, mark in marks.items()
            if mark.state is FileState.AWAY and not (directory / name).exists()
        ]
        with bar("reading the files", Bytes, total=sum(mark.size for mark in marks.values())) as shown:
            # After a rescue the database does not know all pages, so lines of unknown pages count as valid.
            repair = OutputRepair(directory, frontier, now=time.time(), proves=trusts, advance=shown.advance)
            findings = repair.examine(reads=set(marks))
        if is_check:
            lines = [line for finding in findings if (line := repair.describe(finding))]
        else:
            if are_lost:
                away += [finding.file for finding in findings if finding.what == "away"]
                findings = [finding for finding in findings if finding.what != "away"]
            lines = repair.put_right(findings, away if are_lost else ())
    for line in lines:
        console.print(escape(line), soft_wrap=True)
    if away and not are_lost:
        console.print(
            f"{human_count(len(away))} finished files are elsewhere; if they are lost, say --lost",
            soft_wrap=True,
        )
    return len(lines)
