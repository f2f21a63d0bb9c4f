"""How does a crawl move from one machine into an engine, and back?

In: its database was divided (`shard_division`); each shard then has a snapshot, a log that begins after it,
and a free lease with the clock of the crawl. The first agent to take a shard continues as if after an earlier
holder.

Out: all shards are read, while no agent holds one. Mail that was under way between them is delivered to the
copies, and these are united. Nothing is changed in the engine.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.cluster.batch_appender import BatchAppender
from tiptoe.cluster.crawl_ending import SOWN_KEY
from tiptoe.cluster.damage_notes import read_notes
from tiptoe.cluster.engine import MESSAGE_BYTES_MAX, Engine, LogMessage, OutOfDate
from tiptoe.cluster.far_mail import mail_subject
from tiptoe.cluster.log_batch import LogAuthor, LogPosition
from tiptoe.cluster.lost_members import files_of_lost
from tiptoe.cluster.mail_pump import opened_mail
from tiptoe.cluster.shard_clock import ClockReading, MachineTime, ShardClock
from tiptoe.cluster.shard_division import NotAtRest, unite
from tiptoe.cluster.shard_lease import LeaseRecord
from tiptoe.cluster.shard_log import append_whole, log_subject
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.cluster.shard_snapshot import take_snapshot
from tiptoe.cluster.text_blocks import TextBlocks
from tiptoe.cluster.text_messages import LearnTexts, ShardTexts, TextRow
from tiptoe.errors import CrawlerError
from tiptoe.frontier.duplicity import ForgottenTexts
from tiptoe.frontier.erasing import erase, meant_by
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.imported_files import imported_files
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.residence import ShardPlan
from tiptoe.frontier.standing_orders import StandingOrder
from tiptoe.frontier.wishes import NumberedWish, note_wish
from tiptoe.keeper.output_repair import OutputRepair
from tiptoe.store.partition import DividedStore, Partition
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.wish import read_wish

__all__ = ["apply_losses", "apply_orders", "apply_wishes", "bring_in", "take_out"]

FIRST_TERM: Final = 1
FRONT_HOSTS: Final = 500
"""Hosts in memory per shard while its mail is read; few are enough, because no host is visited."""

Tell = Callable[[int], object]


# -- in ------------------------------------------------------------------------


async def bring_in(
    engine: Engine, store: DividedStore, shards: int, *, agent: str, clock: ClockReading,
    tell: Tell = lambda shard: None,
) -> None:  # fmt: skip
    """Put the shards of a divided crawl, which are partitions of a store, into an engine that has none.

    `clock` is that of the crawl; `tell` is called with each shard that is complete. The partitions are then
    what the agent would have read itself, so it can go on with this store. Raises CrawlerError when the
    engine already has a shard.
    """
    for shard in range(shards):
        if await engine.last(log_subject(shard)) or await engine.get(_lease_key(shard)):
            raise CrawlerError(
                f"the crawl has a shard {shard} already; if an import was broken off, "
                "`tiptoe cluster remove` clears the way for the next one"
            )
    for shard in range(shards):
        await _begin_log(engine, shard, Partition(store, shard), LogAuthor(agent, FIRST_TERM))
        tell(shard)
    free = msgspec.msgpack.encode(LeaseRecord("", agent, FIRST_TERM, 0, clock))
    # Last, so that until then no agent finds a shard to take, and no shard counts as sown.
    for shard in range(shards):
        await engine.put(_lease_key(shard), free)
    with suppress(OutOfDate):  # an earlier answer was lost
        await engine.put(SOWN_KEY, b"")


async def _begin_log(engine: Engine, shard: int, partition: Partition, author: LogAuthor) -> None:
    """Begin the log of a shard after a snapshot of its rows.

    Two messages are written, and the snapshot removes the first: so readers see that something is missing
    before the second, and look for the snapshot.
    """
    appender = BatchAppender(author, LogPosition(), message_bytes_max=MESSAGE_BYTES_MAX)
    for _ in range(2):
        appender.begin(Writes())
        await append_whole(engine, log_subject(shard), appender)
    partition.write(appender.position.row())
    await take_snapshot(engine, shard, partition)


def _lease_key(shard: int) -> str:
    return f"shard.{shard}"


# -- out -----------------------------------------------------------------------


async def take_out(
    engine: Engine, store: DividedStore, target: Store, *, shards: int, plan: ShardPlan,
    policy: FrontierPolicy, machine_time: Callable[[], MachineTime], lease_seconds: float,
    tell: Tell = lambda shard: None,
) -> None:  # fmt: skip
    """Copy a crawl whose agents have all left, or died, from its engine to one database.

    `store` holds the copies of the shards; an agent's own store will do, but it cannot be used afterwards.
    `policy` is that of the crawl. Raises NotAtRest when an agent holds a shard.
    """
    leases = await _abandoned(engine, shards, lease_seconds)
    heard_at = machine_time().count
    partitions = [Partition(store, shard) for shard in range(shards)]
    for shard, partition in enumerate(partitions):
        await ShardReplica(engine, shard, partition).catch_up()
        tell(shard)
    small = replace(policy, front_hosts=min(policy.front_hosts, FRONT_HOSTS))
    frontiers = [
        Frontier(partition, small, shard=shard, plan=plan, shares_texts=True)
        for shard, partition in enumerate(partitions)
    ]
    now = machine_time()
    clocks = [ShardClock.resume(lease.clock if lease else None, heard_at, now) for _, lease in leases]
    moments = [clock.now(now.count) for clock in clocks]
    for shard, frontier in enumerate(frontiers):
        frontier.recover(moments[shard])  # visits of agents that died
        async for message in _messages(engine, mail_subject(shard)):
            frontier.receive(opened_mail(mail_subject(shard), message), moments[shard])
    _deliver(frontiers, moments)
    _deliver_texts([StillShard(*each) for each in zip(range(shards), partitions, frontiers, strict=True)])
    for frontier, moment in zip(frontiers, moments, strict=True):
        frontier.runs.end(now=moment, wall_ahead=now.wall - moment)
    if await _leases(engine, shards) != leases:
        raise NotAtRest("an agent has come meanwhile; stop all agents, and try again")
    unite(partitions, target)


def apply_orders(
    store: Store, policy: FrontierPolicy, orders: Iterable[StandingOrder], *, now: float
) -> None:
    """Carry out the standing orders in a crawl that was taken out, including those about unknown hosts."""
    frontier = Frontier(store, replace(policy, front_hosts=FRONT_HOSTS))
    for order in orders:
        if order.is_blocked is not None:
            if order.is_address:
                frontier.block_address(order.target, is_blocked=order.is_blocked)
            else:
                frontier.block(order.target, now, is_blocked=order.is_blocked)
        if order.slowed_to is not None:
            if order.is_address:
                frontier.slow_address(order.target, order.slowed_to)
            else:
                frontier.slow(order.target, order.slowed_to, now)


def apply_wishes(store: Store, wishes: Sequence[NumberedWish]) -> None:
    """Carry out owners' wishes in a crawl that was taken out, as far as no shard has done so."""
    if not wishes:
        return
    for one in wishes:
        batch, wish = Writes(), read_wish(one.wish.target)
        note_wish(batch, one.wish)
        store.write(batch)
        erase(store, wish, meant_by(store, wish))
    texts, batch = ForgottenTexts(read_wish(one.wish.target) for one in wishes), Writes()
    for key, row in store.scan(Table.PARAGRAPH):
        if texts.has(key, row):
            batch.delete(Table.PARAGRAPH, key)
    store.write(batch)


async def apply_losses(
    engine: Engine, store: Store, policy: FrontierPolicy, directory: Path, *,
    robot: str, shards: int, now: float,
) -> int:  # fmt: skip
    """Queue again what members have lost in a crawl that was taken out, as far as no shard has done so.

    Returns the number of pages.
    """
    frontier = Frontier(store, replace(policy, front_hosts=FRONT_HOSTS))
    repair = OutputRepair(directory, frontier, now=now)
    for shard in range(shards):
        for damage in await read_notes(engine, shard):
            repair.account_for(damage)
    away = await files_of_lost(engine, repair.files(), robot, imported_files(store))
    repair.put_right([], away=away)
    frontier.outputs.forget_imported()  # there is only one machine from now on
    return repair.verdicts.asked


async def _leases(engine: Engine, shards: int) -> list[tuple[int, LeaseRecord | None]]:
    """Return the leases of all shards, each with its revision in the engine."""
    found = [await engine.get(_lease_key(shard)) for shard in range(shards)]
    return [
        (each.revision, msgspec.msgpack.decode(each.value, type=LeaseRecord))
        if each is not None and each.value is not None
        else (0, None)
        for each in found
    ]


async def _abandoned(
    engine: Engine, shards: int, lease_seconds: float
) -> list[tuple[int, LeaseRecord | None]]:
    """Return the leases of all shards if none is renewed for as long as a lease lasts."""
    before = await _leases(engine, shards)
    if any(lease is not None and lease.holder for _, lease in before):
        await asyncio.sleep(lease_seconds)
        for shard, (one, other) in enumerate(zip(before, await _leases(engine, shards), strict=True)):
            if one != other:
                holder = other[1].holder if other[1] is not None else "somebody"
                raise NotAtRest(f"agent {holder} holds shard {shard}; stop all agents, and try again")
    return before


async def _messages(engine: Engine, subject: str) -> AsyncIterator[LogMessage]:
    """Yield the messages that are in a log now."""
    last = await engine.last(subject)
    if last is None:
        return
    async with engine.follow(subject) as messages:
        async for message in messages:
            if message is not None:
                yield message
                if message.sequence >= last.sequence:
                    return


def _deliver(frontiers: Sequence[Frontier], moments: Sequence[float]) -> None:
    """Deliver mail between the shards until there is none."""
    is_moving = True
    while is_moving:
        is_moving = False
        for shard, frontier in enumerate(frontiers):
            frontier.tick(moments[shard])  # continues the moves of hosts that have begun
            for mail in frontier.outgoing():
                receiver = frontiers[mail.receiver]
                receiver.receive([mail], moments[mail.receiver])
                frontier.delivered({mail.receiver: receiver.received(shard)})
                is_moving = True


@dataclass(frozen=True, slots=True)
class StillShard:
    """A shard that no agent can hold meanwhile."""

    shard: int
    store: Store
    frontier: Frontier
    is_certain: bool = True

    def unhurried(self) -> AbstractContextManager[None]:
        return nullcontext()  # writes are immediate here


def _deliver_texts(shards: Sequence[StillShard]) -> None:
    """Deliver to every block the texts that were under way to it."""
    blocks: TextBlocks[StillShard] = TextBlocks(len(shards))
    for shard in shards:
        blocks.take(shard, settles_at=0.0)
    while waiting := [shard for shard in shards if shard.frontier.text_outbox]:
        for shard in waiting:
            outbox = shard.frontier.text_outbox
            assert outbox is not None
            rows = [TextRow(*row) for row in outbox.after(outbox.first - 1, outbox.last)]
            blocks.learn([LearnTexts(list(range(len(shards))), [ShardTexts(shard.shard, rows)])])
            outbox.drop([row.number for row in rows])
