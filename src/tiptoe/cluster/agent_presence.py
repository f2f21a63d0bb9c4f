"""Which agents are there?

Pure. Each agent changes its key `agent.<name>` with every beat, six times a lease. Whoever watches counts,
by its own clock, for how long a key has not changed. There is no other sign of life, and no harm in being
wrong: who may act is a matter of leases.
"""

import math

import msgspec

from tiptoe.cluster.assignment import UNLABELLED, Contender

__all__ = ["BEATS_PER_LEASE", "AgentPresence", "AgentsSeen"]

BEATS_PER_LEASE = 6

SILENT_PART = 0.5
"""Of a lease: after three beats that did not come others get ready for the shards of an agent. They take none
before its leases are over, and go back to what they did when it is heard again."""

JOINING_BEATS = 2
"""After so many beats an agent gets shards of others: one that dies as soon as it lives moves nothing."""


class AgentPresence(msgspec.Struct, frozen=True, array_like=True):
    """What an agent says of itself."""

    name: str
    incarnation: str  # one life of its process
    beats: int  # since it began
    weight: int = 1
    takes: tuple[str, ...] = (UNLABELLED,)  # labels
    is_leaving: bool = False
    ready: tuple[int, ...] = ()  # shards that it has read and follows, so that it could take them at once
    has_room: bool = True  # on its disk; without, it holds shards only if nobody else has any

    def contender(self) -> Contender:
        return Contender(self.name, max(1, self.weight), frozenset(self.takes))


class AgentsSeen:
    """The agents, by what their keys said last and when that was seen first."""

    def __init__(self, lease_seconds: float) -> None:
        self._lease_seconds = lease_seconds
        self._seen: dict[str, tuple[AgentPresence, int, float]] = {}

    def seen(self, name: str, presence: AgentPresence | None, revision: int, now: float) -> None:
        """The key of an agent holds this; None when it was deleted: the agent has left in good order."""
        if presence is None:
            self._seen.pop(name, None)
        elif name not in self._seen or revision > self._seen[name][1]:
            self._seen[name] = (presence, revision, now)

    def contender_of(self, name: str) -> AgentPresence | None:
        """Return what is known of an agent, without what changes with every beat."""
        if name not in self._seen:
            return None
        presence = self._seen[name][0]
        return msgspec.structs.replace(presence, beats=min(presence.beats, JOINING_BEATS))

    def names(self) -> set[str]:
        """Return all that are known, dead ones too."""
        return set(self._seen)

    def is_heard(self, name: str, now: float) -> bool:
        """Whether an agent was heard lately."""
        return name in self._seen and self._seen[name][2] > now - SILENT_PART * self._lease_seconds

    def heard(self, now: float) -> list[AgentPresence]:
        """Return those that were heard lately, leaving ones too."""
        return [presence for name, (presence, _, _) in self._seen.items() if self.is_heard(name, now)]

    def dead(self, now: float) -> set[str]:
        """Return those that were not heard for a whole lease."""
        since = now - self._lease_seconds
        return {name for name, (_, _, seen_at) in self._seen.items() if seen_at <= since}

    def contenders(self, now: float) -> list[AgentPresence]:
        """Return those that shards can be given to."""
        return [
            presence
            for presence in self.heard(now)
            if not presence.is_leaving and presence.beats >= JOINING_BEATS
        ]

    def changes_at(self, now: float) -> float:
        """Return when the next of those that were heard falls silent, if it is not heard again."""
        limit = SILENT_PART * self._lease_seconds
        return min(
            (seen_at + limit for _, _, seen_at in self._seen.values() if seen_at + limit > now),
            default=math.inf,
        )
