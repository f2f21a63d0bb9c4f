"""A relay between two parties that loses, cuts and holds up what passes through it.

    with Relay(("127.0.0.1", 7100)) as relay:
        relay.cut(after_bytes=500, side=Side.DOWN)

Up is from whoever called to whoever is called, down the other way. The relay runs in a
thread; its methods only leave orders and may be called from any other.
"""

import asyncio
import contextlib
import enum
import threading
from types import TracebackType

LOOPBACK = "127.0.0.1"
PIECE_BYTES = 65536


class Side(enum.Enum):
    """Which way bytes go."""

    UP = "up"
    DOWN = "down"


class Line:
    """One caller, and the connection made on its behalf."""

    def __init__(self, caller: asyncio.StreamWriter, called: asyncio.StreamWriter) -> None:
        self.writers = {Side.UP: called, Side.DOWN: caller}
        self.room: dict[Side, int] = {}  # bytes until the cut, where one is ordered
        self.hold_seconds = 0.0
        self.target = b""  # what an HTTP caller asks for at the moment
        self.is_over = asyncio.Event()

    def abort(self, *sides: Side) -> None:
        for side in sides:
            self.writers[side].transport.abort()


class Relay:
    """Takes connections at `address` and passes them on to `target`, more or less."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._lines: set[Line] = set()
        self._lost_replies: list[int] = []  # after how many bytes each of the next ones breaks off
        self._lost_targets: set[bytes] = set()
        self._loop = asyncio.new_event_loop()
        self._flows = asyncio.Event()
        self._is_open = threading.Event()
        self._thread = threading.Thread(target=self._run, name="relay")
        self.port = 0

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    def __enter__(self) -> "Relay":
        self._thread.start()
        self._is_open.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._main.cancel)
        self._thread.join()

    # -- orders ----------------------------------------------------------

    def cut(self, *, after_bytes: int, side: Side, hold_seconds: float = 0.0) -> None:
        """Break every connection after so many further bytes of this side.

        With `hold_seconds` only the called party hears of it at once; for the caller the
        line is dead for so long.
        """

        def order() -> None:
            for line in self._lines:
                line.room[side] = after_bytes
                line.hold_seconds = hold_seconds

        self._loop.call_soon_threadsafe(order)

    def hold_up(self, seconds: float) -> None:
        """Let nothing pass for a while, in no direction; then all of it."""

        def order() -> None:
            self._flows.clear()
            self._loop.call_later(seconds, self._flows.set)

        self._loop.call_soon_threadsafe(order)

    def lose_replies(self, after_bytes: list[int]) -> None:
        """Break off the next HTTP answers, each after so many bytes; none twice for the same target.

        A crawler gives a page up that fails again and again, and rightly so.
        """
        self._loop.call_soon_threadsafe(self._lost_replies.extend, after_bytes)

    # -- passing on ------------------------------------------------------

    def _run(self) -> None:
        with contextlib.closing(self._loop), contextlib.suppress(asyncio.CancelledError):
            self._main = self._loop.create_task(self._serve())
            self._loop.run_until_complete(self._main)

    async def _serve(self) -> None:
        self._flows.set()
        server = await asyncio.start_server(self._take, LOOPBACK, self.port)
        self.port = int(server.sockets[0].getsockname()[1])
        self._is_open.set()
        try:
            await server.serve_forever()
        finally:
            for line in self._lines:
                line.abort(*Side)
            others = asyncio.all_tasks() - {self._main}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answers, called = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        line = Line(writer, called)
        self._lines.add(line)
        pumps = [
            asyncio.ensure_future(self._pump(line, Side.UP, reader)),
            asyncio.ensure_future(self._pump(line, Side.DOWN, answers)),
        ]
        try:
            await line.is_over.wait()
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            if line.hold_seconds:
                line.abort(Side.UP)
                await asyncio.sleep(line.hold_seconds)
        finally:
            line.abort(*Side)
            self._lines.discard(line)

    async def _pump(self, line: Line, side: Side, reader: asyncio.StreamReader) -> None:
        writer = line.writers[side]
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(PIECE_BYTES):
                await self._flows.wait()
                self._look_at(line, side, data)
                room = line.room.get(side)
                if room is not None:
                    line.room[side] = room - len(data)
                writer.write(data[:room])
                await writer.drain()
                if room is not None and room <= len(data):
                    break
            else:
                await self._flows.wait()
                # Whoever hangs up has said everything; let it arrive.
                with contextlib.suppress(OSError):
                    writer.write_eof()
                    await asyncio.sleep(0.01)
                line.hold_seconds = 0.0
        line.is_over.set()

    def _look_at(self, line: Line, side: Side, data: bytes) -> None:
        """Arm a cut when an HTTP answer begins that is to be lost."""
        if side is Side.UP and data.startswith(b"GET "):
            line.target = data.split(b" ", 2)[1]
        elif data.startswith(b"HTTP/1.") and self._lost_replies and line.target not in self._lost_targets:
            self._lost_targets.add(line.target)
            line.room[Side.DOWN] = self._lost_replies.pop(0)
