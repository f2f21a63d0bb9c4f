"""`tiptoe cluster gather|share`: fetch the files of all agents of a crawl, and let others fetch ours."""

import asyncio
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from tiptoe.cli.arguments import Directory
from tiptoe.cli.cluster_target import CrawlName, member_meant, open_crawl
from tiptoe.cli.exits import Exit
from tiptoe.cli.whole_crawl import gather_members, gathered_text
from tiptoe.cluster.cluster_operator import read_wishes
from tiptoe.cluster.file_protocol import FilePart
from tiptoe.cluster.file_service import FileService
from tiptoe.cluster.member_file import MemberNote, read_member
from tiptoe.errors import SettingsError
from tiptoe.forget.member_wishes import note_waiting, withheld_because
from tiptoe.keeper.directory import find_keeper
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.observe.crawl_members import MEMBERS_FOLDER
from tiptoe.observe.process import as_interrupts, stopping_signals

__all__ = ["gather_command", "share_command"]

INCOMPLETE: Final = 1

PARTS: Final = {
    "logs": (FilePart.LOGS,),
    "corpus": (FilePart.LOGS, FilePart.TEXTS),
    "all": tuple(FilePart),
}


def gather_command(
    directory: Directory = Path("crawl"),
    *,
    what: Annotated[
        Literal["logs", "corpus", "all"],
        Parameter(help="logs: the request logs; corpus: the texts, too; all: the archives as well."),
    ] = "all",
    cluster: Annotated[
        str,
        Parameter(
            help="If the directory is not that of a member: a credentials file, or addresses of servers."
        ),
    ] = "",
    name: CrawlName = "",
) -> int:
    """Copy new data from the other agents of a crawl to DIR/members; exit code 1 if some are missing."""
    member = _gathering_for(directory, cluster, name)
    missing = gather_members(
        directory, member, PARTS[what], told=lambda gathered: print(gathered_text(gathered))
    )
    for lost in missing.lost:
        print(f"{lost}: was lost with its files, and its pages are requested again")
    if missing.absent:
        print(f"not there, or not all of it: the files of {', '.join(missing.absent)}")
        return INCOMPLETE
    print(f"everything {'else ' if missing.lost else ''}is in {directory / MEMBERS_FOLDER}")
    return 0


def _gathering_for(directory: Path, cluster: str, name: str) -> MemberNote:
    member = read_member(directory)
    if member is not None and cluster:
        raise SettingsError(f"{directory}: is a member, which knows its servers; leave out --cluster")
    if member is None and not cluster:
        raise SettingsError(
            f"{directory}: is no member of a crawl on many machines; name its servers by --cluster to gather "
            "the files of a crawl that this machine takes no part in"
        )
    if member is None:
        if (directory / MARKER).exists():
            raise SettingsError(f"{directory}: holds another crawl; choose another directory")
        member = member_meant(cluster, name)
        directory.mkdir(parents=True, exist_ok=True)
    return member


@as_interrupts()
def share_command(directory: Directory = Path("crawl")) -> int:
    """Let the other members read the files of this one until Ctrl-C, while no crawl is running here."""
    member = read_member(directory)
    if member is None:
        raise SettingsError(f"{directory}: is no member of a crawl on many machines")
    if find_keeper(directory) is not None:
        raise SettingsError(f"{directory}: a crawl is running there, and others can read its files anyway")
    asyncio.run(_share(directory, member))
    return Exit.DONE


async def _share(directory: Path, member: MemberNote) -> None:
    async with open_crawl(str(directory)) as engine:
        note_waiting(directory, await read_wishes(engine))
        if reason := withheld_because(directory):
            print(f"others can read the logs, but no more: {reason}, or say `tiptoe forget --resume`")
        print(f"others can read the files of {member.agent} until Ctrl-C")
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        for number in stopping_signals():
            loop.add_signal_handler(number, over.set)
        service = FileService(engine, member.agent, directory, withheld=lambda: withheld_because(directory))
        serving = asyncio.create_task(service.run())
        try:
            await over.wait()
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            await service.announce_leaving()
