"""How fresh is a crawl on many machines, as any member can see it?"""

import asyncio
import secrets
import sys
import time
from pathlib import Path
from typing import Final

from tiptoe.cli.bar import Count, bar
from tiptoe.cli.cluster_target import open_crawl_of
from tiptoe.cluster.crawl_agents import read_agents
from tiptoe.cluster.crawl_record import read_record
from tiptoe.cluster.freshness_service import WholeFreshness, ask_freshness
from tiptoe.cluster.member_file import MemberNote
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.observe.amounts import counted

__all__ = ["survey_members"]

TOKEN_BYTES: Final = 8


def survey_members(directory: Path, member: MemberNote, *, hosts_max: int) -> WholeFreshness:
    """Have all agents survey their shards, and combine the results; missing shards are named in them."""
    found = asyncio.run(_survey(member, hosts_max))
    if not found.collection.pages and found.missing:
        raise CrawlerError(
            f"{member.crawl}: no agent tells of its shards, and only agents that run can; start one with "
            f"`tiptoe crawl --out {directory}`"
        )
    if found.missing:
        text = counted(len(found.missing), "shard")
        print(f"tiptoe: {text} not counted: nobody who answers holds them", file=sys.stderr)
    return found


async def _survey(member: MemberNote, hosts_max: int) -> WholeFreshness:
    async with open_crawl_of(member) as engine:
        record = await read_record(engine)
        if record is None:
            raise SettingsError(f"{member.crawl}: there is no such crawl on these servers any more")
        agents = [agent.name for agent in (await read_agents(engine)).values() if not agent.has_left]
        with bar("reading the pages", Count) as shown:
            before = 0

            def advance(read: int, expected: int) -> None:
                nonlocal before
                shown.expect(expected)
                shown.advance(read - before)
                before = read

            return await ask_freshness(
                engine, agents, token=secrets.token_hex(TOKEN_BYTES), shards=record.shards,
                now=time.time(), hosts_max=hosts_max, advance=advance,
            )  # fmt: skip
