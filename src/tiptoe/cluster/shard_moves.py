"""Which shards does an agent take, follow and give away next?

Pure. `assignment` decides where shards belong; this module moves them there gradually. A shard goes to its
new agent when that has read it and follows its log, so that only the tail is left; a few are moved at a time.
"""

from collections.abc import Collection, Mapping

import msgspec

from tiptoe.cluster.shard_lease import LeaseStage, ShardLease

__all__ = ["ShardMoves", "next_moves"]

GIVEN_AT_ONCE = 4
"""Maximum shards that an agent gives away at once, unless it leaves: a moving shard does not crawl."""

READ_AT_ONCE = 3
"""Maximum shards that an agent reads at once to get ready for them: with fewer, the first is ready sooner."""

HELD_STAGES = (LeaseStage.HELD, LeaseStage.RELEASING, LeaseStage.GIVING)
LEAVING_STAGES = (LeaseStage.RELEASING, LeaseStage.GIVING)


class ShardMoves(msgspec.Struct, frozen=True):
    """What one agent is to do with its shards."""

    wanted: frozenset[int]  # to be taken when that is allowed
    followed: frozenset[int]  # to be read and followed meanwhile
    given: Mapping[int, str]  # to which agent; empty: to any


def next_moves(
    agent: str,
    leases: Collection[ShardLease],
    assigned: Mapping[int, str],
    *,
    ready: Mapping[str, Collection[int]],
    followed: Collection[int] = (),
    is_leaving: bool = False,
    is_patient: bool = True,
) -> ShardMoves:
    """Return the next moves; `ready` has, by agent, the shards that each could take at once.

    A leaving agent that is no longer patient gives its shards away even to agents that are not ready.
    """
    wanted = {
        lease.shard
        for lease in leases
        if assigned.get(lease.shard) == agent and lease.stage not in HELD_STAGES and not is_leaving
    }
    kept = wanted & set(followed)
    reading = len(kept.difference(ready.get(agent, ())))
    new = [
        lease.shard
        for lease in sorted(leases, key=lambda lease: _is_renewed(lease, assigned))
        if lease.shard in wanted - kept and lease.stage is LeaseStage.FOREIGN
    ]
    given = {
        lease.shard: _receiver(lease, agent, assigned) for lease in leases if lease.stage in LEAVING_STAGES
    }
    for lease in leases:
        receiver = _receiver(lease, agent, assigned)
        if lease.stage is not LeaseStage.HELD or not (receiver or is_leaving):
            continue
        if not is_leaving and len(given) >= GIVEN_AT_ONCE:
            break
        if not receiver or not is_patient or lease.shard in ready.get(receiver, ()):
            given[lease.shard] = receiver
    return ShardMoves(frozenset(wanted), frozenset(kept.union(new[: max(0, READ_AT_ONCE - reading)])), given)


def _receiver(lease: ShardLease, agent: str, assigned: Mapping[int, str]) -> str:
    """Return the agent that is to get a shard; empty when there is no other one."""
    receiver = assigned.get(lease.shard, "")
    return "" if receiver == agent else receiver


def _is_renewed(lease: ShardLease, assigned: Mapping[int, str]) -> bool:
    """Return whether a live agent still holds it; shards that none holds are read first."""
    return lease.holder in assigned.values()
