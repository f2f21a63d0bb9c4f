"""Which directories does a command read when it reads a crawl?

tiptoe audit DIR            a crawl on one machine
tiptoe audit DIR            DIR of a member: new data of the other agents is gathered first
tiptoe audit DIR --local    only what is in this directory
tiptoe audit DIR DIR ...    directories that the user has collected; no agent is asked
"""

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.cluster_target import open_crawl_of
from tiptoe.cluster.cluster_operator import read_wishes
from tiptoe.cluster.crawl_agents import read_agents
from tiptoe.cluster.engine import EngineUnavailable
from tiptoe.cluster.file_protocol import FilePart
from tiptoe.cluster.gathered_forgetting import thin_gathered
from tiptoe.cluster.gathering import Gathered, gather_files, has_everything
from tiptoe.cluster.lost_members import lost_names
from tiptoe.cluster.member_file import MemberNote, read_member
from tiptoe.observe.amounts import counted, human_bytes
from tiptoe.observe.crawl_members import member_directories
from tiptoe.write.output_kinds import REQUEST_LOG

__all__ = ["Missing", "WholeCrawl", "gather_members", "gathered_text", "whole_crawl"]

OTHERS: Final = "other agents"


@dataclass(frozen=True, slots=True)
class WholeCrawl:
    """Everything of a crawl that can be read here."""

    directory: Path
    members: tuple[Path, ...] = ()
    missing: tuple[str, ...] = ()  # agents whose files are not here, or not all of them
    log_sizes: Mapping[Path, int] | None = None  # of our own logs when the others were gathered


@dataclass(frozen=True, slots=True)
class Missing:
    """Other agents whose files are not here, or not all of them."""

    absent: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # lost with their disks, for good


def whole_crawl(
    directory: Path, further: Iterable[Path], parts: Sequence[FilePart], *, local: bool
) -> WholeCrawl:
    """Return what a command has to read; for a member, gather the new data of the others first."""
    given = tuple(further)
    member = read_member(directory)
    if given or member is None:
        return WholeCrawl(directory, given)
    if local:
        return WholeCrawl(directory, missing=(OTHERS,))
    sizes: dict[Path, int] = {}
    try:
        missing = gather_members(directory, member, parts, begins=lambda: sizes.update(_log_sizes(directory)))
    except EngineUnavailable as error:
        _say(f"the servers of the cluster do not answer ({error}); going by what was gathered before")
        missing = Missing([OTHERS])
    for name in missing.absent:
        _say(f"not there, or not all of it: the files of {name}")
    for name in missing.lost:
        _say(f"lost, unless they were gathered before: the files of {name}")
    names = (*missing.absent, *missing.lost)
    return WholeCrawl(directory, tuple(member_directories(directory)), names, sizes or None)


def gather_members(
    directory: Path,
    member: MemberNote,
    parts: Sequence[FilePart],
    *,
    begins: Callable[[], object] = lambda: None,
    told: Callable[[Gathered], object] = lambda gathered: None,
) -> Missing:
    """Copy new data from all other agents of a crawl; return those from which something is missing."""
    return asyncio.run(_gather(directory, member, parts, begins, told))


async def _gather(
    directory: Path, member: MemberNote, parts: Sequence[FilePart], begins: Callable[[], object],
    told: Callable[[Gathered], object],
) -> Missing:  # fmt: skip
    async with open_crawl_of(member) as engine:
        if wishes := await read_wishes(engine):
            await thin_gathered(directory, wishes, _say)
        agents = await read_agents(engine)
        lost = [name for name in await lost_names(engine) if name in agents]
        others = [name for name in agents if name not in (member.agent, *lost)]
        with bar("gathering from other agents", Bytes) as shown:
            total = 0

            def expect(size: int) -> None:
                nonlocal total
                total += size
                shown.expect(total)

            begins()
            done = await gather_files(engine, directory, others, parts, expect=expect, advance=shown.advance)

    def is_here(name: str) -> bool:
        note = agents[name].note
        return note is not None and has_everything(directory, note, parts)

    missing = Missing(lost=[name for name in lost if not is_here(name)])
    for gathered in done:
        told(gathered)
        if not gathered.is_whole and not is_here(gathered.agent):
            missing.absent.append(gathered.agent)
        for fault in gathered.faults:
            _say(f"{gathered.agent}: {fault}")
    return missing


def _log_sizes(directory: Path) -> dict[Path, int]:
    return {path: path.stat().st_size for path in REQUEST_LOG.files(directory)}


def gathered_text(gathered: Gathered) -> str:
    """Return a line on the result of gathering from one agent."""
    if not gathered.is_there:
        return f"{gathered.agent}: does not answer"
    return f"{gathered.agent}: {counted(gathered.files, 'file')}, {human_bytes(gathered.received_bytes)}"


def _say(message: str) -> None:
    print(f"tiptoe: {message}", file=sys.stderr)
