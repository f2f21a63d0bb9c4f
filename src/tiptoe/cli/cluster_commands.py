"""`tiptoe cluster commands|stop|drain|lost|remove`, and live commands to a crawl on many machines."""

import asyncio
import contextlib
import getpass
import os
import socket
from datetime import UTC, datetime
from typing import Annotated, Final

import msgspec
from cyclopts import Parameter
from rich.table import Table

from tiptoe.cli.arguments import AsJson
from tiptoe.cli.cluster_target import ClusterCrawl, CrawlName, member_meant, open_crawl
from tiptoe.cli.control_commands import status_table
from tiptoe.cli.exits import Exit
from tiptoe.cli.member_status import show_whole_status
from tiptoe.cli.printer import Printer
from tiptoe.cluster.cluster_operator import ClusterOperator, Confirmation
from tiptoe.cluster.command_row import ClusterCommand
from tiptoe.cluster.crawl_agents import agents_at_work
from tiptoe.cluster.crawl_record import change_settings, read_record
from tiptoe.cluster.engine import Engine, NoResponse
from tiptoe.cluster.file_protocol import check_agent
from tiptoe.cluster.lost_members import LostReply, lost_subject, note_lost
from tiptoe.cluster.member_services import drain_subject
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.observe.amounts import counted
from tiptoe.protocol.operator import Reconfigure, StopCrawl
from tiptoe.settings.layers import Settings
from tiptoe.settings.live import amended
from tiptoe.settings.remembering import SettingChange, changes_between, to_share

__all__ = [
    "agents_command",
    "commands_command",
    "drain_command",
    "lost_command",
    "operator_of",
    "remove_command",
    "set_for_all",
    "status_command",
    "stop_command",
    "tell_all",
]

ANSWER_SECONDS: Final = 10.0
LOOK_SECONDS: Final = 0.2


def tell_all(target: str, command: ClusterCommand, *, name: str = "") -> int:
    """Give a command to all members of a crawl, and print which of them have carried it out."""

    async def tell() -> Confirmation:
        async with open_crawl(target, name) as engine:
            return await operator_of(engine).give(command)

    return _say(asyncio.run(tell()))


def set_for_all(target: str, given: dict[str, str]) -> int:
    """Change live settings of a crawl for all its members, effective immediately."""

    async def change() -> tuple[list[SettingChange], Confirmation]:
        async with open_crawl(target) as engine:
            changes: list[SettingChange] = []

            def amend(stored: dict[str, object]) -> dict[str, object]:
                before = Settings.load(remembered=stored)
                after = amended(before, given)
                changes[:] = changes_between(before, after)
                return to_share(after)

            await change_settings(engine, amend)
            # Even if nothing changes: an earlier command may have been cut off before members were told.
            return changes, await operator_of(engine).give(Reconfigure(given))

    changes, confirmation = asyncio.run(change())
    for one in changes:
        print(one)
    if not changes:
        print("nothing has changed: so it was before")
    return _say(confirmation)


def operator_of(engine: Engine) -> ClusterOperator:
    """Return what gives commands in the name of the user."""
    return ClusterOperator(engine, name=f"{_user_name()}@{socket.gethostname()}")


def _user_name() -> str:
    """Return the name of the user who gives commands; in a container, a user may have none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user-{os.getuid()}"


def _say(found: Confirmation) -> int:
    if found.confirmed:
        print(f"carried out by {counted(len(found.confirmed), 'member')}: {', '.join(found.confirmed)}")
    else:
        print("stored; no member is there")
    if found.silent:
        print(
            f"not heard of: {', '.join(found.silent)}; it is carried out there before anything else is done"
        )
    if not found.is_complete:
        raise CrawlerError(
            f"command {found.number} is stored, but somebody who may still make requests has not confirmed "
            "it: a member that is cut off stops by itself when its lease ends; `tiptoe cluster commands` "
            "shows what is stored"
        )
    return Exit.DONE


def status_command(crawl: ClusterCrawl = "crawl", *, name: CrawlName = "", as_json: AsJson = False) -> int:
    """Show the state of a crawl on many machines: all members, and their totals."""
    return show_whole_status(member_meant(crawl, name), status_table, as_json=as_json)


def agents_command(crawl: ClusterCrawl = "crawl", *, name: CrawlName = "", as_json: AsJson = False) -> int:
    """List the members of a crawl, and what each of them holds."""
    return show_whole_status(member_meant(crawl, name), None, as_json=as_json)


def commands_command(crawl: ClusterCrawl = "crawl", *, name: CrawlName = "") -> int:
    """List the commands that were given to a crawl."""

    async def read() -> list[tuple[str, str, str, str]]:
        async with open_crawl(crawl, name) as engine:
            return [
                (
                    str(given.number),
                    datetime.fromtimestamp(given.given_at, UTC).strftime("%Y-%m-%d %H:%M:%S"),
                    given.given_by,
                    _words(given.command),
                )
                for given in await operator_of(engine).history()
            ]

    rows = asyncio.run(read())
    if not rows:
        print("no command was given yet")
        return Exit.DONE
    table = Table(box=None)
    for title in ("number", "given (UTC)", "by", "command"):
        table.add_column(title, header_style="dim")
    for row in rows:
        table.add_row(*row)
    Printer().print(table)
    return Exit.DONE


def _words(command: ClusterCommand) -> str:
    tag = type(command).__struct_config__.tag
    fields = msgspec.structs.asdict(command)
    return " ".join([str(tag), *(str(value) for value in fields.values())])


def stop_command(crawl: ClusterCrawl = "crawl", *, name: CrawlName = "") -> int:
    """Stop the whole crawl: all members that are running leave cleanly."""
    return tell_all(crawl, StopCrawl(), name=name)


def drain_command(
    agent: Annotated[str, Parameter(help="Name of the member.")],
    crawl: ClusterCrawl = "crawl",
    *,
    name: CrawlName = "",
) -> int:
    """Make one member hand its part of the crawl over to the others and end."""

    async def ask() -> bytes:
        async with open_crawl(crawl, name) as engine:
            try:
                return await engine.request(drain_subject(check_agent(agent)), b"", seconds=ANSWER_SECONDS)
            except NoResponse:
                raise CrawlerError(f"{agent}: no such member answers") from None

    print(asyncio.run(ask()).decode())
    return Exit.DONE


def lost_command(
    agent: Annotated[str, Parameter(help="Name of the member whose disk is lost.")],
    crawl: ClusterCrawl = "crawl",
    *,
    name: CrawlName = "",
) -> int:
    """Have all pages requested again whose text or archive was on the disk of a lost member."""

    async def tell() -> tuple[int, int, int]:
        async with open_crawl(crawl, name) as engine:
            record = await read_record(engine)
            if record is None:
                raise SettingsError("there is no such crawl")
            await note_lost(engine, agent)
            return record.shards, *await _settled(engine, agent, record.shards)

    shards, done, pages = asyncio.run(tell())
    print(
        f"{counted(pages, 'page is', 'pages are')} requested again, in {done} of {counted(shards, 'shard')}"
    )
    if done < shards:
        print("the other shards are held by nobody who answers: they are looked through when they are taken")
    return Exit.DONE


async def _settled(engine: Engine, agent: str, shards: int) -> tuple[int, int]:
    """Wait until all shards have looked for pages of a lost member; return how many have, and the pages."""
    done: set[int] = set()
    pages: dict[str, int] = {}
    deadline = asyncio.get_running_loop().time() + ANSWER_SECONDS
    while len(done) < shards and asyncio.get_running_loop().time() < deadline:
        for holder in sorted(await operator_of(engine).holders()):
            with contextlib.suppress(NoResponse):
                answer = await engine.request(lost_subject(holder), agent.encode(), seconds=1.0)
                reply = msgspec.msgpack.decode(answer, type=LostReply)
                done |= set(reply.shards)
                pages[holder] = reply.pages
        await asyncio.sleep(LOOK_SECONDS)
    return len(done), sum(pages.values())


def remove_command(
    crawl: ClusterCrawl = "crawl",
    *,
    name: CrawlName = "",
    yes: Annotated[
        bool, Parameter(help="Confirm: everything that the servers hold of the crawl is lost.")
    ] = False,
) -> int:
    """Delete a crawl from the servers; what its members have written stays with them."""

    async def remove() -> None:
        async with open_crawl(crawl, name) as engine:
            if not yes:
                raise SettingsError(
                    "queues, page records and seeds of the crawl would be lost; say --yes to do it"
                )
            if agents := await agents_at_work(engine, await _lease_seconds(engine)):
                raise SettingsError(f"{', '.join(agents)}: still at work; `tiptoe cluster stop` first")
            await engine.remove()

    asyncio.run(remove())
    print("removed from the servers; the directories of the members are untouched")
    return Exit.DONE


async def _lease_seconds(engine: Engine) -> float:
    """Return the lease of a crawl; the default if its record is missing or of another version."""
    record = None
    with contextlib.suppress(SettingsError):
        record = await read_record(engine)
    return Settings.load(remembered=record.settings if record else {}).cluster.lease
