"""How do simulated processes communicate?

A wire has two ends that behave like `protocol/wire.py`: messages are encoded, take some time,
and arrive in order or not at all. A wire can be slow, and it can be lost, which each end notices
at a different time.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import msgspec

from simulated.trace import Trace
from simulated.virtual import VirtualLoop
from tiptoe.protocol.messages import FromKeeper, News, ToKeeper
from tiptoe.protocol.wire import FRAME_BYTES_MAX, Connection

__all__ = ["Wire", "WireEnd"]

QUIET: Final = frozenset({"Beat"})
"""Messages that would only fill the trace."""


class WireEnd(Connection[Any]):
    """One end of a wire: what `Connection` is to a process."""

    def __init__(self, wire: "Wire", loop: VirtualLoop, incoming: Any) -> None:
        self.wire = wire
        self.loop = loop
        self.other: WireEnd
        self.is_closed = False
        self._decoder = msgspec.msgpack.Decoder(incoming)
        self._encoder = msgspec.msgpack.Encoder()
        self._inbox: deque[bytes | None] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._last_at = 0.0  # when the last thing sent arrives

    def send_from_thread(self) -> None:
        """Sending never waits here."""

    async def receive(self, bytes_max: int = FRAME_BYTES_MAX) -> Any:
        while not self._inbox:
            if self.is_closed:
                return None
            self._waiter = self.loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        message = self._inbox.popleft()
        if message is None:
            self._inbox.append(None)
            return None
        return self._decoder.decode(message)

    def send(self, message: object) -> None:
        if self.is_closed or self.wire.is_lost or self.loop.is_dead:
            return
        kind = type(message).__name__
        if kind not in QUIET:
            self.wire.trace.note(self.loop.name, "said", what=kind, to=self.other.loop.name)
        tells = isinstance(message, News) and bool(message.reports)
        self._post(self._encoder.encode(message), tells=tells)

    async def drain(self) -> None:
        """Everything is on its way at once."""

    def close(self) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        self._inbox.clear()
        self._inbox.append(None)
        self._wake()
        if not self.wire.is_lost:
            self._post(None)

    def _post(self, frame: bytes | None, *, tells: bool = False) -> None:
        wire = self.wire
        now = wire.outside.time()
        self._last_at = max(self._last_at, now + wire.delay())
        wire.outside.call_at(self._last_at, self.other.arrive, frame, now if tells else None)

    def arrive(self, frame: bytes | None, told_at: float | None = None, *, is_notice: bool = False) -> None:
        """Something reaches this end; None is the end of the connection."""
        if self.is_closed or (self.wire.is_lost and not is_notice):
            return
        if told_at is not None:
            self.wire.told(self.other.loop.name, told_at)
        self._inbox.append(frame)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Wire:
    """A connection between the keeper and somebody else."""

    def __init__(
        self,
        outside: VirtualLoop,
        peer: VirtualLoop,
        keeper: VirtualLoop,
        delay: Callable[[], float],
        told: Callable[[str, float], None],
        trace: Trace,
    ) -> None:
        self.outside = outside
        self.delay = delay
        self.told = told  # is told of news that arrived: by whom, and when it was sent
        self.trace = trace
        self.is_lost = False
        self.peer_end = WireEnd(self, peer, FromKeeper)
        self.keeper_end = WireEnd(self, keeper, ToKeeper)
        self.peer_end.other, self.keeper_end.other = self.keeper_end, self.peer_end

    @property
    def is_open(self) -> bool:
        return not (self.is_lost or self.peer_end.is_closed or self.keeper_end.is_closed)

    def lose(self, *, peer_notices_after: float, keeper_notices_after: float) -> None:
        """Break: what is under way is gone, and each end hears of it in its own time."""
        self.is_lost = True
        for end, seconds in ((self.peer_end, peer_notices_after), (self.keeper_end, keeper_notices_after)):
            self.outside.call_later(seconds, lambda end=end: end.arrive(None, is_notice=True))

    def hang_up(self, loop: VirtualLoop, *, delivers: bool) -> None:
        """The process at one end is dead: its kernel closes, with or without what was under way."""
        end = self.peer_end if self.peer_end.loop is loop else self.keeper_end
        if delivers:
            end.close()
        elif not end.is_closed:
            end.is_closed = True
            self.is_lost = True
            self.outside.call_later(self.delay(), lambda: end.other.arrive(None, is_notice=True))
