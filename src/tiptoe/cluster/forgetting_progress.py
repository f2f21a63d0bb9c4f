"""Who has carried out what owners want to be forgotten, in a crawl on many machines?

Read from the keys of the engine: the commands, what each shard says (`erased.<shard>`) and each member
(`forgot.<agent>`). Members that were declared lost have nothing any more.
"""

from collections.abc import Sequence

import msgspec

from tiptoe.cluster.cluster_operator import ClusterOperator, Confirmation, read_wishes
from tiptoe.cluster.crawl_agents import KnownAgent, read_agents
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.lost_members import lost_names
from tiptoe.cluster.member_progress import forgotten_by_member
from tiptoe.cluster.shard_erasing import erased_by_shard
from tiptoe.frontier.wishes import NumberedWish

__all__ = ["WishProgress", "are_shards_free", "progress_of", "read_progress"]


class WishProgress(msgspec.Struct, frozen=True):
    """One wish, and who has yet to carry it out."""

    target: str
    reason: str
    wished_at: float
    number: int
    shards: list[int]  # whose log or snapshot may still have something of it
    members: list[str]  # whose files may

    @property
    def is_done(self) -> bool:
        """Whether nothing is left anywhere."""
        return not self.shards and not self.members


async def read_progress(engine: Engine, shards: int) -> list[WishProgress]:
    """Return all wishes of a crawl with this many shards, oldest first."""
    wishes = await read_wishes(engine)
    if not wishes:
        return []
    agents, lost = await read_agents(engine), await lost_names(engine)
    members = [agent for agent in agents.values() if agent.name not in lost]
    return progress_of(
        wishes, await erased_by_shard(engine), await forgotten_by_member(engine), members, shards
    )


def progress_of(
    wishes: Sequence[NumberedWish], erased: dict[int, int], forgotten: dict[str, int],
    members: Sequence[KnownAgent], shards: int,
) -> list[WishProgress]:  # fmt: skip
    """Return the same, from what shards and members say."""
    return [
        WishProgress(
            one.wish.target, one.wish.reason, one.wish.wished_at, one.number,
            [shard for shard in range(shards) if erased.get(shard, 0) < one.number],
            [member.name for member in members if forgotten.get(member.name, 0) < one.number],
        )
        for one in wishes
    ]  # fmt: skip


async def are_shards_free(engine: Engine, shards: int, number: int, *, seconds: float) -> bool:
    """Return whether no shard has anything of a wish any more, now and from now on.

    All have to say so before and after every agent has confirmed that none has received a host since then
    that was on its way.
    """
    if not await _do_all_say_so(engine, shards, number):
        return False
    confirmation: Confirmation = await ClusterOperator(engine, name="").confirm(number, seconds=seconds)
    return confirmation.is_complete and await _do_all_say_so(engine, shards, number)


async def _do_all_say_so(engine: Engine, shards: int, number: int) -> bool:
    erased = await erased_by_shard(engine)
    return all(erased.get(shard, 0) >= number for shard in range(shards))
