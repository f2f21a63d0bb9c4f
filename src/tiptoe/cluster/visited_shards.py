"""In which shard was a host visited last?"""

from collections.abc import Iterable
from typing import Final

from tiptoe.protocol.work import HostWork

__all__ = ["VisitedShards"]

HOSTS_MAX: Final = 100_000
"""Maximum hosts remembered; above it all are forgotten."""


class VisitedShards:
    """The shards of hosts that were handed out for visits lately."""

    def __init__(self) -> None:
        self._shards: dict[str, int] = {}

    def note(self, shard: int, works: Iterable[HostWork]) -> None:
        """Note that hosts of a shard are visited."""
        if len(self._shards) > HOSTS_MAX:
            self._shards.clear()
        self._shards.update((work.host, shard) for work in works)

    def shard_of(self, host: str) -> int:
        """Return the shard of a host; -1 when it is not known."""
        return self._shards.get(host, -1)
