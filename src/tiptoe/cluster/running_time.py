"""How long has the whole crawl been running?

No two machines have the same clock, so the holder of shard 0 adds up the seconds in a key. All agents watch
the key, and measure with their own clocks how long it has not changed: the next holder adds that time, so
that none is lost when the holder changes. While no agent runs, nothing is added; a pause counts.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange, OutOfDate
from tiptoe.errors import CrawlerError

__all__ = ["SECONDS_KEY", "RunningTime"]

SECONDS_KEY: Final = "crawl.seconds"
ADD_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 0.1
"""Minimum time between two checks, however near the limit is."""


class RunningTime:
    """Adds up the seconds of a crawl, and reports when a limit is reached."""

    def __init__(
        self,
        engine: Engine,
        *,
        count: Callable[[], float],
        holds_first: Callable[[], bool],
        seconds_max: Callable[[], float],
        reached: Callable[[float], object],
    ) -> None:
        self.seconds = 0.0  # the value of the key
        self._engine = engine
        self._count = count  # of seconds, by this machine
        self._holds_first = holds_first  # shard 0
        self._seconds_max = seconds_max  # 0 = no limit
        self._reached = reached
        self._revision = -1
        self._changed_at = 0.0  # by our count

    async def run(self) -> None:
        """Check periodically until cancelled; call `reached` with the limit whenever it is exceeded."""
        while True:
            with contextlib.suppress(EngineUnavailable, OutOfDate):
                await self._look()
            limit = self._seconds_max()
            if 0 < limit <= self.seconds:
                self._reached(limit)
            left = limit - self.seconds if limit and self._holds_first() else ADD_SECONDS
            await asyncio.sleep(min(max(left, LOOK_SECONDS), ADD_SECONDS))

    async def _look(self) -> None:
        found = await self._engine.get(SECONDS_KEY)
        now = self._count()
        self._note(found, now)
        if self._holds_first():
            seconds = self.seconds + now - self._changed_at
            value = msgspec.msgpack.encode(seconds)
            revision = await self._engine.put(SECONDS_KEY, value, revision=max(0, self._revision))
            self._revision, self.seconds, self._changed_at = revision, seconds, now

    def _note(self, found: KeyChange | None, now: float) -> None:
        revision = found.revision if found is not None else 0
        if revision > self._revision:
            self._revision, self._changed_at = revision, now
            self.seconds = _decoded(found.value) if found is not None and found.value else 0.0


def _decoded(value: bytes) -> float:
    try:
        return msgspec.msgpack.decode(value, type=float)
    except msgspec.DecodeError as error:
        raise CrawlerError(f"{SECONDS_KEY}: this is no number of seconds ({error})") from error
