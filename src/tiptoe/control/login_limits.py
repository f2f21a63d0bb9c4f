"""How often may someone guess a password?

Failures are counted by name and by address, and forgiven over time. Pure: `now` is an argument. Memory is
bounded: when there are too many names and addresses, those whose failures are oldest are forgotten first."""

from collections import OrderedDict
from typing import Final

__all__ = ["LoginLimits"]

FAILURES_MAX: Final = {"name": 8, "address": 30}
"""Maximum failures without a wait; more for an address, because many people may share one."""

FORGIVEN_EVERY: Final = 30.0
"""Seconds after which one failure is forgiven."""

REMEMBERED_MAX: Final = 10_000


class LoginLimits:
    """The recent failures by name and by address."""

    def __init__(self) -> None:
        self._failures: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()  # count, at

    def __len__(self) -> int:
        return len(self._failures)

    def wait_seconds(self, name: str, address: str, now: float) -> float:
        """Return how long to wait until the next attempt; 0 = no wait."""
        waits = [self._wait("name", name, now), self._wait("address", address, now)]
        return max(waits)

    def note_failure(self, name: str, address: str, now: float) -> None:
        for key in (("name", name), ("address", address)):
            self._failures[key] = (self._count(key, now) + 1, now)
            self._failures.move_to_end(key)
        while len(self._failures) > REMEMBERED_MAX:
            self._failures.popitem(last=False)

    def note_success(self, name: str, address: str) -> None:
        """Note a login: forgive all failures of the name, and one failure (this attempt) of the address."""
        self._failures.pop(("name", name), None)
        count, at = self._failures.get(("address", address), (1.0, 0.0))
        self._failures[("address", address)] = (max(0.0, count - 1), at)

    def _wait(self, kind: str, who: str, now: float) -> float:
        over = self._count((kind, who), now) + 1 - FAILURES_MAX[kind]
        return max(0.0, over * FORGIVEN_EVERY)

    def _count(self, key: tuple[str, str], now: float) -> float:
        count, at = self._failures.get(key, (0.0, now))
        return max(0.0, count - max(0.0, now - at) / FORGIVEN_EVERY)
