"""When may a harvester hear of a step that concerns several shards?

When each of them has it in its log and is held for sure. A shard that is lost is not waited for; what
concerns lost shards only is never heard of, unless it is an order that everybody has to hear. What concerns
one shard goes out in the order of its steps.

Rule: certainty is asked for at the moment of going out. An acknowledgement may come late, from before a time
in which another agent could take the shard.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable
from functools import partial

from tiptoe.cluster.held_shard import HeldShard

__all__ = ["ReleaseQueue"]


class _Release:
    """Something that is to be done when some shards allow it."""

    __slots__ = ("act", "concerned", "missing", "or_lost")

    def __init__(self, act: Callable[[], object], shards: Iterable[HeldShard], *, or_lost: bool) -> None:
        self.act = act
        self.or_lost = or_lost
        self.concerned = set(shards)  # but those that were lost
        self.missing = set(self.concerned)  # acknowledgements


class ReleaseQueue:
    """What waits for acknowledgements and for certainty: for each shard a queue of its own."""

    def __init__(self) -> None:
        self._queues: dict[HeldShard, deque[_Release]] = {}

    def __len__(self) -> int:
        return len({id(release) for queue in self._queues.values() for release in queue})

    def put(self, act: Callable[[], object], shards: Collection[HeldShard], *, or_lost: bool = False) -> None:
        """Do something as soon as it is allowed by all of these shards; at once if there is none.

        `or_lost`: also when all of them are lost.
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
        """A shard is gone: nothing waits for it any more."""
        releases = self._queues.pop(held, ())
        for release in releases:
            release.concerned.discard(held)
            release.missing.discard(held)
            if release.or_lost and not release.concerned:
                release.act()
        # Only now: whoever lets out the first of them looks at the next.
        for other in dict.fromkeys(one for release in releases for one in release.concerned):
            self._let_out(other)

    def flush(self) -> None:
        """Do what is allowed now; to be called every now and then, for a shard may be certain again."""
        for held in list(self._queues):
            self._let_out(held)

    def _let_out(self, held: HeldShard) -> None:
        """Do what is first in the queue of a shard, and in those of all others that it concerns."""
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
