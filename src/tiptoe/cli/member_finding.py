"""What do the members of a crawl on many machines know about a host or a page?"""

import asyncio

from tiptoe.cli.cluster_target import open_crawl_of
from tiptoe.cluster.crawl_agents import read_agents
from tiptoe.cluster.locating_service import FoundAmongMembers, ask_whereabouts
from tiptoe.cluster.member_file import MemberNote
from tiptoe.errors import CrawlerError
from tiptoe.protocol.whereabouts import Whereabouts

__all__ = ["find_out_from_members"]


def find_out_from_members(member: MemberNote, host: str, url: str) -> Whereabouts:
    """Ask all running agents; raise CrawlerError when the one that may know does not answer."""
    found = asyncio.run(_ask(member, host, url))
    if found.whereabouts is None:
        raise CrawlerError(f"{member.crawl}: no member answers; only members that run can tell")
    if found.whereabouts.host is None and found.silent:
        raise CrawlerError(
            f"{host}: none of those who answered knows it, and {', '.join(found.silent)} did not answer"
        )
    return found.whereabouts


async def _ask(member: MemberNote, host: str, url: str) -> FoundAmongMembers:
    async with open_crawl_of(member) as engine:
        agents = [agent.name for agent in (await read_agents(engine)).values() if not agent.has_left]
        return await ask_whereabouts(engine, agents, host, url)
