"""`tiptoe downlist export|merge|apply|exchange`: robots outside a common cluster download nothing twice."""

import re
import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tiptoe.cli.arguments import CRAWL_MARK, Directory
from tiptoe.cluster.member_file import read_member
from tiptoe.errors import SettingsError
from tiptoe.keeper.downlist_lists import apply_list, export_list
from tiptoe.keeper.list_exchange import exchange_lists
from tiptoe.observe.amounts import counted
from tiptoe.observe.downlist_file import ListHead
from tiptoe.observe.downlist_merge import merge_lists

__all__ = ["apply_command", "exchange_command", "export_command", "merge_command"]

NAME = re.compile(r"[^\s*=]{1,100}")

RobotName = Annotated[
    str, Parameter(name="--id", help="Name of the robot; by default that of its directory.")
]
Left = Annotated[
    tuple[str, ...],
    Parameter(
        name="--left", help="Robots that will not come back: what they have only claimed becomes free."
    ),
]


def export_command(
    directory: Directory,
    *,
    out: Annotated[Path, Parameter(help="File to write.")],
    robot: RobotName = "",
    since: Annotated[
        str, Parameter(help="Only what is new since an earlier list; give the list, or the mark in it.")
    ] = "",
) -> int:
    """Write what a crawl has downloaded, and what it claims."""
    _expect_single(directory)
    told = export_list(directory, out, robot=_name(robot, directory), since=_mark(since))
    claims = f", exchange {told.exchange}" if told.exchange else ""
    print(f"{counted(told.lines, 'address', 'addresses')} in {out}, mark {told.mark:.3f}{claims}")
    return 0


def merge_command(
    *lists: Annotated[Path, Parameter(help="Lists of robots.")],
    out: Annotated[Path, Parameter(help="File to write.")],
    known: Annotated[Path | None, Parameter(help="Result of the last merge.")] = None,
    left: Left = (),
) -> int:
    """Merge several lists into one that says which robot has each URL."""
    if not lists:
        raise SettingsError("no list is named")
    merged = merge_lists(lists, out, known=known, left=left)
    print(
        f"{counted(merged.addresses, 'address', 'addresses')} in {out}, {merged.downloaded:,} downloaded, "
        f"{merged.twice:,} by more than one robot"
    )
    return 0


def apply_command(
    directory: Directory,
    merged: Annotated[Path, Parameter(help="List of what all robots have.")],
    *,
    robot: RobotName = "",
    exchange: Annotated[
        int,
        Parameter(
            help="Number that `tiptoe downlist export` printed; what the crawl was assigned may "
            "then be requested."
        ),
    ] = 0,
) -> int:
    """Make a crawl, running or not, never request what other robots have."""
    _expect_single(directory)
    if exchange < 0:
        raise SettingsError(f"--exchange {exchange}: counted from 1")
    taken = apply_list(directory, merged, robot=_name(robot, directory), exchange=exchange)
    print(f"{counted(taken, 'address', 'addresses')} that others have and this crawl did not know of")
    return 0


def exchange_command(
    *directories: Annotated[
        Path, Parameter(help="Directories of crawls; each is a robot, named after its directory."), CRAWL_MARK
    ],
    known: Annotated[Path, Parameter(help="List of what all robots have; created if it does not exist.")],
    left: Left = (),
) -> int:
    """Exchange the lists of crawls on this machine: export, merge and apply at once."""
    robots: dict[str, Path] = {}
    for directory in directories:
        _expect_single(directory)
        name = _name("", directory)
        if robots.setdefault(name, directory) != directory:
            raise SettingsError(
                f"{directory}: another robot is called {name}, too; use export, merge and apply"
            )
    if not robots:
        raise SettingsError("no directory is named")
    done = exchange_lists(robots, known, since={}, left=left)
    print(
        f"{counted(done.merged.addresses, 'address', 'addresses')} in {known}, "
        f"{done.merged.downloaded:,} downloaded, {done.merged.twice:,} by more than one robot"
    )
    for name, taken in done.taken.items():
        print(f"{name}: {counted(taken, 'address', 'addresses')} of others that were news")
    return 0


def _name(given: str, directory: Path) -> str:
    name = given or directory.resolve().name
    if not NAME.fullmatch(name):
        raise SettingsError(f"{name!r} is no name for a robot: no spaces, no * and no =; see --id")
    return name


def _mark(since: str) -> float:
    if not since:
        return 0.0
    try:
        return float(since)
    except ValueError:
        head = ListHead.read(Path(since))
    if head is None:
        raise SettingsError(f"--since {since}: neither a mark such as 1767225600.0 nor a list that has one")
    return head.mark


def _expect_single(directory: Path) -> None:
    if read_member(directory) is not None:
        where = shlex.quote(str(directory))
        raise SettingsError(
            f"{directory}: is a member of a crawl on many machines, which divide the web among themselves; "
            f"see `tiptoe cluster status {where}`"
        )
