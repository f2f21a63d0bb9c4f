"""Do agents share their shards over the engine in memory and over NATS alike?"""

import asyncio
import time
from collections.abc import Callable

from cluster_grounds import ClusterGround
from tiptoe.cluster.membership import Membership
from tiptoe.cluster.shard_clock import MachineTime, ShardClock

SHARDS = 6
LEASE_SECONDS = 1.5


class Holder:
    """Looks after shards by noting which there are."""

    def __init__(self) -> None:
        self.held: set[int] = set()
        self.followed: set[int] = set()

    def prepare(self, shard: int) -> None:
        self.followed.add(shard)

    def is_ready(self, shard: int) -> bool:
        return shard in self.followed

    def forget(self, shard: int) -> None:
        self.followed.remove(shard)

    def take(self, shard: int, term: int, clock: ShardClock, *, was_outlasted: bool) -> None:
        self.followed.discard(shard)
        self.held.add(shard)

    async def release(self, shard: int) -> None:
        self.held.remove(shard)

    def lost(self, shard: int) -> None:
        self.held.discard(shard)


class Member:
    """One agent of the crawl."""

    def __init__(self, membership: Membership, holder: Holder) -> None:
        self.membership = membership
        self.holder = holder
        self.task = asyncio.get_running_loop().create_task(membership.run())

    def holds(self, *counts: int) -> bool:
        held = self.holder.held
        return len(held) in counts and all(self.membership.may_begin(shard) for shard in held)


async def joined(ground: ClusterGround, name: str) -> Member:
    loop, holder = asyncio.get_running_loop(), Holder()
    membership = Membership(
        await ground.connect(),
        holder,
        agent=name,
        incarnation=f"{name}-{loop.time()}",
        labels=[""] * SHARDS,
        machine_time=lambda: MachineTime("boot", loop.time(), time.time()),
        lease_seconds=LEASE_SECONDS,
    )
    return Member(membership, holder)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10 * LEASE_SECONDS):
        while not is_so():
            await asyncio.sleep(LEASE_SECONDS / 60)


def test_agents_join_leave_and_die_and_every_shard_has_its_holder(ground: ClusterGround) -> None:
    """One life of a small cluster: alone, two, one leaves, one joins, one dies, the last one leaves."""

    async def life() -> None:
        first = await joined(ground, "first")
        await until(lambda: first.holds(6))
        second = await joined(ground, "second")
        await until(lambda: first.holds(3) and second.holds(3))
        assert first.holder.held | second.holder.held == set(range(SHARDS))

        await first.membership.leave()
        await first.task
        assert first.holder.held == set()
        await until(lambda: second.holds(6))

        third = await joined(ground, "third")
        await until(lambda: third.holds(3))
        second.task.cancel()  # without a word to anybody
        await until(lambda: third.holds(6))
        await third.membership.leave()
        await third.task

        fourth = await joined(ground, "fourth")
        began = asyncio.get_running_loop().time()
        await until(lambda: fourth.holds(6))
        assert asyncio.get_running_loop().time() - began < LEASE_SECONDS  # they were free
        await fourth.membership.leave()
        await fourth.task

    ground.run(life())
