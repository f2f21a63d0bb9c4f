"""When may a harvester be told of a step that concerns several shards?

When each of them has it in its log and is certainly held. Lost shards are not waited for; a release that
concerns only lost shards is dropped, unless it is an order that must be sent in any case. The releases of one
shard are made in the order of its steps.

Rule: certainty is checked at the moment of release. An acknowledgement may be late, and another agent may
have taken the shard since.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable
from functools import partial

from tiptoe.cluster.held_shard import HeldShard

__all__ = ["ReleaseQueue"]


class _Release:
    """An action to be carried out when all shards concerned allow it."""

    __slots__ = ("act", "concerned", "missing", "or_lost")

    def __init__(self, act: Callable[[], object], shards: Iterable[HeldShard], *, or_lost: bool) -> None:
        self.act = act
        self.or_lost = or_lost
        self.concerned = set(shards)  # without those that were lost
        self.missing = set(self.concerned)  # without an acknowledgement yet


class ReleaseQueue:
    """Actions that wait for acknowledgements and certainty, in one queue per shard."""

    def __init__(self) -> None:
        self._queues: dict[HeldShard, deque[_Release]] = {}

    def __len__(self) -> int:
        return len({id(release) for queue in self._queues.values() for release in queue})

    def put(self, act: Callable[[], object], shards: Collection[HeldShard], *, or_lost: bool = False) -> None:
        """Carry out an action as soon as all of these shards allow it; at once if there is none.

        `or_lost`: also if all of them are lost.
        """
        if not shards:
            act()
            return
        release = _Release(act, shards, or_lost=or_lost)
        for held in release.concerned:
            self._queues.setdefault(held, deque()).append(release)
        for held in list(release.concerned):
            held.log.after_commit(partial(self._stored, release, held))

    def _stored(self, release: _Release, held: HeldShard) -> None:
        release.missing.discard(held)
        self._let_out(held)

    def lose(self, held: HeldShard) -> None:
        """Remove a lost shard, so that nothing waits for it any more."""
        releases = self._queues.pop(held, ())
        for release in releases:
            release.concerned.discard(held)
            release.missing.discard(held)
            if release.or_lost and not release.concerned:
                release.act()
        # Only after all are updated: carrying out one release examines the next.
        for other in dict.fromkeys(one for release in releases for one in release.concerned):
            self._let_out(other)

    def flush(self) -> None:
        """Carry out what is allowed now; to be called periodically, because a shard may be certain again."""
        for held in list(self._queues):
            self._let_out(held)

    def _let_out(self, held: HeldShard) -> None:
        """Carry out releases that are first in the queue of a shard and of all others they concern."""
        while queue := self._queues.get(held):
            release = queue[0]
            if release.missing or not all(self._queues[one][0] is release for one in release.concerned):
                return
            if not all(one.is_certain for one in release.concerned):
                return
            for one in release.concerned:
                self._queues[one].popleft()
            release.act()
            for one in release.concerned - {held}:
                self._let_out(one)
        self._queues.pop(held, None)
