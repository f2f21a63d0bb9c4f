"""Which agents are alive?

Pure. Each agent changes its key `agent.<name>` with every beat, six times per lease. Observers measure with
their own clocks how long a key has not changed. There is no other sign of life, and a wrong guess does no
harm: leases alone decide who may act.
"""

import math

import msgspec

from tiptoe.cluster.assignment import UNLABELLED, Contender

__all__ = ["BEATS_PER_LEASE", "AgentPresence", "AgentsSeen"]

BEATS_PER_LEASE = 6

SILENT_PART = 0.5
"""Fraction of a lease: after three missed beats the others get ready to take an agent's shards. They take
none before its leases have expired, and stop preparing when it is heard again."""

JOINING_BEATS = 2
"""Beats before an agent is given shards, so that one that dies right after its start moves none."""


class AgentPresence(msgspec.Struct, frozen=True, array_like=True):
    """What an agent announces about itself."""

    name: str
    incarnation: str  # one run of its process
    beats: int  # since it began
    weight: int = 1
    takes: tuple[str, ...] = (UNLABELLED,)  # labels
    is_leaving: bool = False
    ready: tuple[int, ...] = ()  # shards that it has read and follows, so that it could take them at once
    has_room: bool = True  # on its disk; without room it holds shards only if no agent has any

    def contender(self) -> Contender:
        return Contender(self.name, max(1, self.weight), frozenset(self.takes))


class AgentsSeen:
    """The agents, with the last value of each key and the time at which it was first seen."""

    def __init__(self, lease_seconds: float) -> None:
        self._lease_seconds = lease_seconds
        self._seen: dict[str, tuple[AgentPresence, int, float]] = {}

    def seen(self, name: str, presence: AgentPresence | None, revision: int, now: float) -> None:
        """Note the value of an agent's key; None means that it was deleted because the agent has left."""
        if presence is None:
            self._seen.pop(name, None)
        elif name not in self._seen or revision > self._seen[name][1]:
            self._seen[name] = (presence, revision, now)

    def contender_of(self, name: str) -> AgentPresence | None:
        """Return an agent's presence with a bounded number of beats, so that beats do not change it."""
        if name not in self._seen:
            return None
        presence = self._seen[name][0]
        return msgspec.structs.replace(presence, beats=min(presence.beats, JOINING_BEATS))

    def names(self) -> set[str]:
        """Return the names of all known agents, including dead ones."""
        return set(self._seen)

    def is_heard(self, name: str, now: float) -> bool:
        """Return whether an agent was heard lately."""
        return name in self._seen and self._seen[name][2] > now - SILENT_PART * self._lease_seconds

    def heard(self, now: float) -> list[AgentPresence]:
        """Return the agents that were heard lately, including those that are leaving."""
        return [presence for name, (presence, _, _) in self._seen.items() if self.is_heard(name, now)]

    def dead(self, now: float) -> set[str]:
        """Return the names of the agents that were not heard for a whole lease."""
        since = now - self._lease_seconds
        return {name for name, (_, _, seen_at) in self._seen.items() if seen_at <= since}

    def contenders(self, now: float) -> list[AgentPresence]:
        """Return the agents that can be given shards."""
        return [
            presence
            for presence in self.heard(now)
            if not presence.is_leaving and presence.beats >= JOINING_BEATS
        ]

    def changes_at(self, now: float) -> float:
        """Return when the next agent will count as silent if none is heard again."""
        limit = SILENT_PART * self._lease_seconds
        return min(
            (seen_at + limit for _, _, seen_at in self._seen.values() if seen_at + limit > now),
            default=math.inf,
        )
