"""Which agent is to hold which shard?

Pure: a function of the agents that are there and of who holds what now. All agents compute it by themselves
and come to the same answer when they see the same; when they do not, the leases decide and nothing but a
detour is lost.

Rendezvous hashing with bounded load: each pair of shard and agent has a score, and the highest scores win,
but nobody gets more than its share, rounded up, and nobody less than its share, rounded down. Plain
rendezvous hashing of 64 shards to 8 agents gives one of them 13 and another 2. Whoever holds a shard keeps
it within these bounds, so that no shard moves that need not: one that joins gets its share and no other
shard moves; of one that leaves only its own shards move. And whoever comes back after a stop finds its
shards, whose rows it has on disk.

Shards with a label (`cluster/shard_labels.py`) go to agents that take it, those without to agents that take
what has none. Each label is shared out by itself. With nobody there to take a label, all others do.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
import xxhash

__all__ = ["UNLABELLED", "Contender", "assign"]

UNLABELLED = ""
"""What shards without a label are known by; an agent that says nothing takes these."""


class Contender(msgspec.Struct, frozen=True, gc=False):
    """An agent that can hold shards."""

    name: str
    weight: int = 1  # how much it takes, compared with others
    takes: frozenset[str] = frozenset({UNLABELLED})


def assign(
    labels: Sequence[str], contenders: Collection[Contender], holders: Mapping[int, str]
) -> dict[int, str]:
    """Return who is to hold each shard, by their labels and who holds them now; nobody's without agents."""
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
    """The shards of one label, as they are shared out among those who take it."""

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
        """Let nobody keep more than its share."""
        for taker in self._takers:
            if self._loads[taker.name] > self._most[taker.name]:
                held = [shard for shard, name in self._given.items() if name == taker.name]
                for _, shard, name in reversed(_by_score(held, [taker])):
                    if self._loads[name] > self._most[name]:
                        del self._given[shard]
                        self._loads[name] -= 1

    def _hand_out(self, limits: Mapping[str, int]) -> None:
        """Give what nobody has to those who score highest and are below their limits."""
        orphans = [shard for shard in self._shards if shard not in self._given]
        takers = [taker for taker in self._takers if self._loads[taker.name] < limits[taker.name]]
        for _, shard, name in _by_score(orphans, takers):
            if shard not in self._given and self._loads[name] < limits[name]:
                self._given[shard] = name
                self._loads[name] += 1

    def _even_out(self) -> None:
        """Let those below their share take from those above theirs."""
        poor = [taker for taker in self._takers if self._loads[taker.name] < self._least[taker.name]]
        rich = [shard for shard, name in self._given.items() if self._loads[name] > self._least[name]]
        for _, shard, name in _by_score(rich, poor):
            giver = self._given[shard]
            if self._loads[name] < self._least[name] and self._loads[giver] > self._least[giver]:
                self._given[shard] = name
                self._loads[name] += 1
                self._loads[giver] -= 1


def _by_score(shards: Iterable[int], takers: Sequence[Contender]) -> list[tuple[float, int, str]]:
    """Return all pairs of shards and agents, the highest score first."""
    pairs = [(_score(shard, taker), shard, taker.name) for shard in shards for taker in takers]
    pairs.sort(reverse=True)
    return pairs


def _score(shard: int, taker: Contender) -> float:
    """Return the weighted score of rendezvous hashing: the same for all, higher for heavier agents."""
    hashed = xxhash.xxh3_64_intdigest(f"{shard} {taker.name}".encode())
    return -taker.weight / math.log((hashed + 1) / (2**64 + 2))
