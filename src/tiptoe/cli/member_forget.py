"""`tiptoe forget` for a member of a crawl on many machines.

The wish becomes a command of the whole crawl; the shards carry it out at once, every member in its own files
when no agent works there: now, or before its agent is next started.
"""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.markup import escape

from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.catalog_building import catalog_database
from tiptoe.cli.cluster_commands import operator_of
from tiptoe.cli.cluster_target import open_crawl_of
from tiptoe.cli.exits import Exit
from tiptoe.cli.wish_progress import print_progress
from tiptoe.cluster.command_row import ForgetTarget
from tiptoe.cluster.crawl_record import read_record
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.file_service import FileService
from tiptoe.cluster.forgetting_progress import WishProgress, are_shards_free, read_progress
from tiptoe.cluster.member_file import MemberNote
from tiptoe.cluster.member_forgetting import MemberForgetting
from tiptoe.errors import CrawlerError, CrawlInUse, SettingsError
from tiptoe.forget.forgetting import CrawlAtRest, survey_files
from tiptoe.forget.journal import Forgotten, Journal, records_of
from tiptoe.keeper.directory import CrawlDirectory, find_keeper
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.amounts import counted
from tiptoe.observe.eventlog import EventLog
from tiptoe.settings.layers import Settings
from tiptoe.url.wish import Wish

__all__ = [
    "forget_for_all", "forget_here", "list_for_all", "resume_at_member", "survey_member",
]  # fmt: skip

CONFIRM_SECONDS: Final = 60.0
SHARDS_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.5
WAITING: Final = 1
"""Exit code when somebody has yet to do it."""


async def forget_here(
    engine: Engine, note: MemberNote, settings: Settings, shards: int, directory: Path, console: Console
) -> list[Forgotten]:
    """Carry out all wishes in the directory of a member that the caller has locked; say what was removed."""
    with bar("reading the files", Bytes) as shown:
        lines = await MemberForgetting(
            engine=engine, directory=directory, agent=note.agent, robot=settings.crawl.name, shards=shards,
            log=EventLog.at(directory / "log" / "keeper.log", "keeper"),
            catalog=catalog_database(directory), chars_min=settings.text.duplicity_min_chars,
            tell=lambda said: console.print(escape(said), highlight=False, soft_wrap=True),
            advance=shown.advance,
        ).run()  # fmt: skip
    for line in lines:
        console.print(escape(_done_here(line)), highlight=False, soft_wrap=True)
    return lines


def _done_here(line: Forgotten) -> str:
    text = (
        f"{line.target} is forgotten in the files of this member: {counted(line.documents, 'document')} of "
        f"the corpus, {counted(line.answers, 'answer')} in the archive, "
        f"{counted(line.catalogued, 'page')} of the catalog"
    )
    if line.files_away:
        text += (
            f"; {counted(len(line.files_away), 'finished file')} elsewhere could not be read: put back what "
            f"is missing and run the command again. The first is {line.files_away[0]}"
        )
    return text


def forget_for_all(
    directory: Path, note: MemberNote, wish: Wish, reason: str, console: Console, *, as_json: bool
) -> int:
    """Make a wish a command of the whole crawl, and wait until no shard has anything of it."""
    return asyncio.run(_forget_for_all(directory, note, wish, reason, console, as_json=as_json))


async def _forget_for_all(
    directory: Path, note: MemberNote, wish: Wish, reason: str, console: Console, *, as_json: bool
) -> int:
    async with open_crawl_of(note) as engine:
        shards = await _shards(engine, note)
        given = await operator_of(engine).give(ForgetTarget(wish.target, reason), seconds=CONFIRM_SECONDS)
        if given.is_complete and given.confirmed and not as_json:
            console.print(
                escape(f"{wish.target} will never be requested again; what is stored of it is being removed"),
                soft_wrap=True,
            )
        if given.confirmed:
            await _wait_for_shards(engine, shards, given.number)
        if find_keeper(directory) is None:
            await _forget_at_rest(engine, note, shards, directory, console)
        (progress,) = [one for one in await read_progress(engine, shards) if one.number == given.number]
    if as_json:
        print(json.dumps(msgspec.to_builtins(progress), indent=2))
    else:
        print_progress([progress], console)
    return Exit.DONE if progress.is_done else WAITING


async def _forget_at_rest(
    engine: Engine, note: MemberNote, shards: int, directory: Path, console: Console
) -> list[Forgotten]:
    """Carry out all wishes in the directory of a member whose agent does not run."""
    with _claimed(directory):
        lines = await forget_here(engine, note, _settings(directory), shards, directory, console)
        if lines:  # its files have other sizes now than when it left
            await FileService(engine, note.agent, directory).announce_leaving()
    return lines


async def _wait_for_shards(engine: Engine, shards: int, number: int) -> None:
    """Wait until no shard has anything of a wish any more, though not for ever."""
    loop = asyncio.get_running_loop()
    until = loop.time() + SHARDS_SECONDS
    while loop.time() < until:
        if await are_shards_free(engine, shards, number, seconds=CONFIRM_SECONDS):
            return
        await asyncio.sleep(LOOK_SECONDS)


def resume_at_member(directory: Path, note: MemberNote, console: Console) -> int:
    """Carry out in the files of a member what is still to be forgotten."""

    async def resume() -> int:
        async with open_crawl_of(note) as engine:
            shards = await _shards(engine, note)
            if not await _forget_at_rest(engine, note, shards, directory, console):
                console.print("Nothing was left to be forgotten in the files of this member.")
            progress = await read_progress(engine, shards)
        print_progress([one for one in progress if not one.is_done], console)
        return Exit.DONE

    return asyncio.run(resume())


def list_for_all(directory: Path, note: MemberNote, console: Console, *, as_json: bool) -> int:
    """Show what a crawl has forgotten, and who has yet to do so."""

    async def read() -> list[WishProgress]:
        async with open_crawl_of(note) as engine:
            return await read_progress(engine, await _shards(engine, note))

    progress = asyncio.run(read())
    if as_json:
        lines = [msgspec.to_builtins(line) for line in records_of(directory)]
        print(json.dumps({"crawl": msgspec.to_builtins(progress), "here": lines}, indent=2))
        return Exit.DONE
    for one in progress:
        moment = datetime.fromtimestamp(one.wished_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        console.print(escape(f"{moment}  {one.target}: {one.reason}"), soft_wrap=True)
    for line in records_of(directory):
        console.print(escape(f"{line.forgotten_at[:19]}Z  {_done_here(line)}"), soft_wrap=True)
    print_progress([one for one in progress if not one.is_done], console)
    if not progress:
        console.print("Nothing was forgotten so far.")
    return Exit.DONE


def survey_member(directory: Path, wish: Wish) -> Journal:
    """Return what would be removed from the files of a member."""
    with _claimed(directory), bar("reading the files", Bytes) as shown:
        return survey_files(CrawlAtRest(directory, catalog_database(directory), shown.advance), wish)


async def _shards(engine: Engine, note: MemberNote) -> int:
    record = await read_record(engine)
    if record is None or record.identity != note.identity:
        raise SettingsError(f"{note.crawl}: there is no such crawl on these servers any more")
    return record.shards


def _settings(directory: Path) -> Settings:
    return Settings.load(remembered=recall(directory) or {})


@contextmanager
def _claimed(directory: Path) -> Iterator[None]:
    crawl = CrawlDirectory(directory)
    try:
        crawl.claim([], is_shared=True)
    except CrawlInUse as error:
        raise CrawlerError(
            f"{error}; an agent cannot change its files while it runs: stop it, or start it anew, which does "
            "it first"
        ) from error
    try:
        yield
    finally:
        crawl.release()
