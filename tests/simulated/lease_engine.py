"""Keys of an engine on a virtual clock, behind a network that delays and loses messages and cuts connections.

One `KeyServer` has the keys; each simulated process reaches it by a `KeyLine` of its own. A message may
arrive a minute late and take effect then; an operation may be carried out without an answer ever arriving.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from simulated.virtual import Timeline, VirtualLoop
from tiptoe.cluster.engine import EngineUnavailable, KeyChange, OutOfDate

__all__ = ["KeyLine", "KeyServer"]

Answer = TypeVar("Answer")

ANSWER_SECONDS = 2.0


class KeyServer:
    """The keys, changed in one order."""

    def __init__(self, timeline: Timeline) -> None:
        self.loop = timeline.loop("server")
        self.keys: dict[str, KeyChange] = {}
        self.lines: list[KeyLine] = []
        self._revision = 0

    def get(self, key: str) -> KeyChange | None:
        return self.keys.get(key)

    def put(self, key: str, value: bytes, revision: int) -> int:
        self._expect(key, revision)
        self._change(key, value)
        return self._revision

    def delete(self, key: str, revision: int) -> None:
        self._expect(key, revision)
        self._change(key, None)
        del self.keys[key]

    def _expect(self, key: str, revision: int) -> None:
        there = self.keys.get(key)
        if (there.revision if there else 0) != revision:
            raise OutOfDate(key)

    def _change(self, key: str, value: bytes | None) -> None:
        self._revision += 1
        change = self.keys[key] = KeyChange(key, value, self._revision)
        for line in self.lines:
            line.tell(change)


class KeyLine:
    """How one process reaches the keys."""

    def __init__(
        self, server: KeyServer, loop: VirtualLoop, chance: random.Random, *, delay_max: float
    ) -> None:
        self.loss = 0.0  # part of messages that never come
        self.lateness = 0.0  # part of messages that come up to a minute late
        self._server = server
        self._loop = loop
        self._chance = chance
        self._delay_max = delay_max
        self._is_cut = False
        self._watches: dict[asyncio.Queue[KeyChange | None], str] = {}
        self._told_at = 0.0
        server.lines.append(self)

    def close(self) -> None:
        self._server.lines.remove(self)

    def cut(self) -> None:
        self._is_cut = True

    def mend(self) -> None:
        """Go on; all watches are told everything anew."""
        if self._is_cut:
            self._is_cut = False
            for queue in self._watches:
                self._tell_all(queue)

    # -- what the engine offers ------------------------------------------

    async def get(self, key: str) -> KeyChange | None:
        return await self._asked(lambda: self._server.get(key))

    async def put(self, key: str, value: bytes, *, revision: int = 0) -> int:
        return await self._asked(lambda: self._server.put(key, value, revision))

    async def delete(self, key: str, *, revision: int) -> None:
        await self._asked(lambda: self._server.delete(key, revision))

    @asynccontextmanager
    async def watch(self, prefix: str) -> AsyncIterator[AsyncIterator[KeyChange | None]]:
        if self._is_cut:
            raise EngineUnavailable("cut")
        queue: asyncio.Queue[KeyChange | None] = asyncio.Queue()
        self._watches[queue] = prefix
        self._tell_all(queue)
        try:
            yield self._told(queue)
        finally:
            del self._watches[queue]

    # -- the network -----------------------------------------------------

    async def _told(self, queue: "asyncio.Queue[KeyChange | None]") -> AsyncIterator[KeyChange | None]:
        while True:
            yield await queue.get()

    def tell(self, change: KeyChange) -> None:
        """Tell the watches of a change, in order."""
        if not self._is_cut:
            for queue, prefix in self._watches.items():
                if change.key.startswith(f"{prefix}."):
                    self._deliver(queue, change)

    def _tell_all(self, queue: "asyncio.Queue[KeyChange | None]") -> None:
        for change in list(self._server.keys.values()):
            if change.key.startswith(f"{self._watches[queue]}."):
                self._deliver(queue, change)
        self._deliver(queue, None)

    def _deliver(self, queue: "asyncio.Queue[KeyChange | None]", change: KeyChange | None) -> None:
        server = self._server.loop
        self._told_at = max(self._told_at, server.time() + self._delay(is_watch=True))
        server.call_at(self._told_at, self._loop.call_soon, queue.put_nowait, change)

    def _delay(self, *, is_watch: bool = False) -> float:
        if self._chance.random() < self.lateness:
            return self._chance.uniform(0, 5 if is_watch else 60)
        return self._chance.uniform(0.001, self._delay_max)

    async def _asked(self, ask: Callable[[], Answer]) -> "Answer":
        answered: asyncio.Future[Answer] = self._loop.create_future()
        if not self._is_lost():
            self._server.loop.call_later(self._delay(), self._served, ask, answered)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await answered
        except TimeoutError:
            raise EngineUnavailable("no answer") from None

    def _is_lost(self) -> bool:
        return (self._is_cut and self._chance.random() < 0.7) or self._chance.random() < self.loss

    def _served(self, ask: Callable[[], Answer], answered: "asyncio.Future[Answer]") -> None:
        if self._is_cut:  # kept by some buffer on the way, until the line is mended
            self._server.loop.call_later(1.0, self._served, ask, answered)
            return
        try:
            answer: Answer | OutOfDate = ask()
        except OutOfDate as fault:
            answer = fault
        if not self._is_lost():
            self._server.loop.call_later(self._delay(), self._loop.call_soon, _answer, answered, answer)


def _answer(answered: "asyncio.Future[Answer]", answer: "Answer | OutOfDate") -> None:
    if answered.done():
        return
    if isinstance(answer, OutOfDate):
        answered.set_exception(answer)
    else:
        answered.set_result(answer)
