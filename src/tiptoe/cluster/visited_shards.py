"""In which shard was a host visited last?"""

from collections.abc import Iterable
from typing import Final

from tiptoe.protocol.work import HostWork

__all__ = ["VisitedShards"]

HOSTS_MAX: Final = 100_000
"""Hosts that are remembered; above it all are forgotten."""


class VisitedShards:
    """The shards of hosts that were visited lately, by what was handed out."""

    def __init__(self) -> None:
        self._shards: dict[str, int] = {}

    def note(self, shard: int, works: Iterable[HostWork]) -> None:
        """Hosts of a shard are visited."""
        if len(self._shards) > HOSTS_MAX:
            self._shards.clear()
        self._shards.update((work.host, shard) for work in works)

    def shard_of(self, host: str) -> int:
        """Return the shard of a host; -1 when it is not known."""
        return self._shards.get(host, -1)
