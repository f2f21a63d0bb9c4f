"""How is the status of a whole crawl on many machines shown, from any of its members?"""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec
from rich.console import RenderableType
from rich.table import Table

from tiptoe.cli.cluster_target import open_crawl_of
from tiptoe.cli.printer import Printer
from tiptoe.cli.wish_progress import print_progress
from tiptoe.cluster.crawl_agents import read_agents
from tiptoe.cluster.crawl_end import CrawlEnd
from tiptoe.cluster.crawl_ending import read_end
from tiptoe.cluster.crawl_record import read_record
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.forgetting_progress import WishProgress, read_progress
from tiptoe.cluster.member_file import MemberNote
from tiptoe.cluster.status_service import AgentStatus, WholeStatus, ask_statuses, whole_status
from tiptoe.cluster.whole_view import WholeView
from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import counted, human_count, human_seconds
from tiptoe.observe.meanings import MEANINGS
from tiptoe.protocol.status import Status

__all__ = ["member_rows", "show_whole_status"]

LOOK_SECONDS: Final = 2.0
"""Time between the two samples from which the speed of each agent is computed."""

SILENT: Final = 1

END_MEANINGS: Final = {
    CrawlEnd.FINISHED: MEANINGS["finished"],
    CrawlEnd.PAGES: MEANINGS["page_limit"],
    CrawlEnd.BYTES: MEANINGS["byte_limit"],
    CrawlEnd.TIME: MEANINGS["time_limit"],
}


def show_whole_status(
    member: MemberNote, table_of: Callable[[Status], RenderableType] | None, *, as_json: bool
) -> int:
    """Show a line for each agent, and the totals if wanted; exit code 1 if some do not answer."""
    whole, wishes = asyncio.run(_look_twice(member))
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(whole), indent=1).decode())
    else:
        _print(member, whole, table_of)
        print_progress([one for one in wishes if not one.is_done], Printer(highlight=False))
    return SILENT if whole.silent else 0


def member_rows(view: WholeView) -> list[tuple[str, str]]:
    """Return which part of the crawl the figures of a member cover, and the known figures of all of it."""
    held, whole = len(view.shards), view.latest
    rows = [("figures", f"of {human_count(held)} of {counted(view.shards_max, 'shard')}, held here")]
    if whole is None:
        return rows
    crawl = whole.crawl
    there = [agent for agent in whole.agents if agent.is_there]
    text = (
        f"{counted(crawl.pages, 'page')}, {counted(crawl.requests, 'request')}, "
        f"{counted(crawl.documents, 'document')}, {human_count(crawl.queued)} waiting, "
        f"{counted(len(there), 'member')}"
    )
    if whole.silent:
        text += f"; not counted, since they do not answer: {', '.join(whole.silent)}"
    elif whole.unheld:
        text += f"; not counted, since nobody holds them at the moment: {counted(whole.unheld, 'shard')}"
    return [*rows, ("whole crawl", text)]


async def _look_twice(member: MemberNote) -> tuple[WholeStatus, list[WishProgress]]:
    async with open_crawl_of(member) as engine:
        record = await read_record(engine)
        if record is None:
            raise SettingsError(f"{member.crawl}: there is no such crawl on these servers any more")
        earlier = await _look(engine, member, record.shards)
        await asyncio.sleep(LOOK_SECONDS)
        whole = await _look(engine, member, record.shards, earlier)
        return whole, await read_progress(engine, record.shards)


async def _look(
    engine: Engine, member: MemberNote, shards: int, earlier: WholeStatus | None = None
) -> WholeStatus:
    agents = await read_agents(engine)
    statuses = await ask_statuses(engine, agents)
    end = await read_end(engine)
    return whole_status(
        agents, statuses, earlier, shards=shards, clock_of=member.agent,
        ended_because=None if end is None else end.because,
    )  # fmt: skip


def _print(
    member: MemberNote, whole: WholeStatus, table_of: Callable[[Status], RenderableType] | None
) -> None:
    console = Printer(highlight=False)
    console.print(f"{member.crawl}, seen from {member.agent}", soft_wrap=True)
    lines = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    lines.add_column("agent")
    for name in ("shards", "pages there", "pages a minute", "harvesters", "running for"):
        lines.add_column(name, justify="right")
    lines.add_column("")
    for agent in whole.agents:
        lines.add_row(*_row(agent))
    console.print(lines)
    if whole.silent:
        console.print(f"[yellow]no answer from {', '.join(whole.silent)}[/yellow]", soft_wrap=True)
    is_deserted = not any(agent.is_there for agent in whole.agents)
    if whole.ended_because is not None:
        console.print(f"the crawl has ended: {END_MEANINGS[whole.ended_because]}")
    elif is_deserted:
        console.print("[yellow]no member is at work[/yellow]")
    elif whole.unheld:
        text = counted(whole.unheld, "shard")
        console.print(f"[yellow]{text} not counted: nobody who answers holds them[/yellow]")
    if table_of is not None and not is_deserted:  # the figures of nobody are zeros
        console.print(table_of(whole.crawl))


def _row(agent: AgentStatus) -> list[str]:
    if not agent.is_there:
        return [agent.name, human_count(len(agent.shards)), "", "", "", "", "does not answer"]
    rate = "" if agent.pages_per_minute is None else human_count(round(agent.pages_per_minute))
    return [
        agent.name,
        human_count(len(agent.shards)),
        human_count(agent.pages),
        rate,
        human_count(agent.harvesters),
        human_seconds(agent.seconds),
        "leaves" if agent.is_leaving else "",
    ]
