"""`tiptoe cluster gather`: have the files of all agents of a crawl here."""

from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from tiptoe.cli.arguments import Directory
from tiptoe.cli.whole_crawl import gather_members, gathered_said
from tiptoe.cluster.file_protocol import FilePart
from tiptoe.cluster.member_file import read_member
from tiptoe.errors import SettingsError
from tiptoe.observe.crawl_members import MEMBERS_FOLDER

__all__ = ["gather_command"]

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
        Parameter(help="logs: what was asked; corpus: the texts too; all: the archives as well."),
    ] = "all",
) -> int:
    """Copy what is new at the other agents of a crawl to DIR/members; exit code 1 if some are missing."""
    member = read_member(directory)
    if member is None:
        raise SettingsError(f"{directory}: is no member of a crawl on many machines; there is nobody to ask")
    missing = gather_members(
        directory, member, PARTS[what], told=lambda gathered: print(gathered_said(gathered))
    )
    if missing:
        print(f"not there, or not all of it: the files of {', '.join(missing)}")
        return INCOMPLETE
    print(f"everything is in {directory / MEMBERS_FOLDER}")
    return 0
