"""Which agent should hold which shard?

Pure: a function of the live agents and of the current holders. Every agent computes it by itself; those that
see the same state get the same answer. When they see different states, the leases decide, and the only cost
is a detour.

Rendezvous hashing with bounded load: each pair of shard and agent has a score, and the highest scores win,
but no agent gets more than its share, rounded up, or less than its share, rounded down. Plain
rendezvous hashing of 64 shards to 8 agents gives one of them 13 and another 2. Within these bounds holders
keep their shards, so that none moves without need: when an agent joins, only the shards of its share move;
when one leaves, only its own do. And an agent that comes back after a stop gets the shards whose rows it has
on disk.

Shards with a label (`cluster/shard_labels.py`) go to agents that accept it, those without one to agents that
accept unlabelled shards. The shards of each label are shared out separately. If no agent accepts a label, all
agents share its shards.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
import xxhash

__all__ = ["UNLABELLED", "Contender", "assign"]

UNLABELLED = ""
"""Stands for shards without a label; agents accept only these unless told otherwise."""


class Contender(msgspec.Struct, frozen=True, gc=False):
    """An agent that can hold shards."""

    name: str
    weight: int = 1  # its share, relative to those of others
    takes: frozenset[str] = frozenset({UNLABELLED})


def assign(
    labels: Sequence[str], contenders: Collection[Contender], holders: Mapping[int, str]
) -> dict[int, str]:
    """Return which agent is to hold each shard, given labels and current holders; empty without agents."""
    groups: dict[str, list[int]] = {}
    for shard, label in enumerate(labels):
        groups.setdefault(label, []).append(shard)
    assigned: dict[int, str] = {}
    for label, shards in groups.items():
        takers = [contender for contender in contenders if label in contender.takes] or list(contenders)
        if takers:
            assigned |= _Sharing(shards, takers, holders).shared_out()
    return assigned


class _Sharing:
    """The shards of one label while they are shared out among the agents that accept it."""

    def __init__(self, shards: list[int], takers: list[Contender], holders: Mapping[int, str]) -> None:
        total = sum(taker.weight for taker in takers)
        self._takers = sorted(takers, key=lambda taker: taker.name)
        self._shards = shards
        self._least = {taker.name: len(shards) * taker.weight // total for taker in takers}
        self._most = {taker.name: -(-len(shards) * taker.weight // total) for taker in takers}
        self._given = {shard: holders[shard] for shard in shards if holders.get(shard) in self._least}
        self._loads = Counter(self._given.values())

    def shared_out(self) -> dict[int, str]:
        self._take_back()
        self._hand_out(self._least)
        self._hand_out(self._most)
        self._even_out()
        return self._given

    def _take_back(self) -> None:
        """Take from every agent what exceeds its share."""
        for taker in self._takers:
            if self._loads[taker.name] > self._most[taker.name]:
                held = [shard for shard, name in self._given.items() if name == taker.name]
                for _, shard, name in reversed(_by_score(held, [taker])):
                    if self._loads[name] > self._most[name]:
                        del self._given[shard]
                        self._loads[name] -= 1

    def _hand_out(self, limits: Mapping[str, int]) -> None:
        """Give shards without a holder to the agents with the highest scores that are below their limits."""
        orphans = [shard for shard in self._shards if shard not in self._given]
        takers = [taker for taker in self._takers if self._loads[taker.name] < limits[taker.name]]
        for _, shard, name in _by_score(orphans, takers):
            if shard not in self._given and self._loads[name] < limits[name]:
                self._given[shard] = name
                self._loads[name] += 1

    def _even_out(self) -> None:
        """Move shards from agents above their share to agents below theirs."""
        poor = [taker for taker in self._takers if self._loads[taker.name] < self._least[taker.name]]
        rich = [shard for shard, name in self._given.items() if self._loads[name] > self._least[name]]
        for _, shard, name in _by_score(rich, poor):
            giver = self._given[shard]
            if self._loads[name] < self._least[name] and self._loads[giver] > self._least[giver]:
                self._given[shard] = name
                self._loads[name] += 1
                self._loads[giver] -= 1


def _by_score(shards: Iterable[int], takers: Sequence[Contender]) -> list[tuple[float, int, str]]:
    """Return all pairs of shards and agents with their scores, highest first."""
    pairs = [(_score(shard, taker), shard, taker.name) for shard in shards for taker in takers]
    pairs.sort(reverse=True)
    return pairs


def _score(shard: int, taker: Contender) -> float:
    """Return the weighted score of rendezvous hashing: equal on every machine, higher for greater weights."""
    hashed = xxhash.xxh3_64_intdigest(f"{shard} {taker.name}".encode())
    return -taker.weight / math.log((hashed + 1) / (2**64 + 2))
