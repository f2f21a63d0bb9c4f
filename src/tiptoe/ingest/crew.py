"""Which processes read, and what happens if one dies?

Each reader is a process, with a thread here that reads its pipe: so readers can go on, up to a limit, while
the results of another one are written. One that dies, or sends nothing for too long, is reported and
restarted. At the beginning readers are forked where possible, see `forked_reader.py`.
"""

import contextlib
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from typing import BinaryIO, Final, cast

import msgspec

from tiptoe.convert.frames import framed, read_frame
from tiptoe.ingest.crew_messages import FromReader, Unit, UnitDone
from tiptoe.ingest.forked_reader import ForkedReader, ReadUnits, may_fork
from tiptoe.ingest.worker import FRAME_BYTES_MAX

__all__ = ["Crew", "CrewReader"]

COMMAND: Final = (sys.executable, "-m", "tiptoe.ingest")
WAITING_BYTES_MAX: Final = 16 << 20
"""Maximum size of a reader's unprocessed messages, exceeded by one message at most; above it it waits."""


class CrewReader:
    """One reading process: idle, working, or dead. It starts with its first unit, unless it was forked."""

    def __init__(self, command: Sequence[str], greeting: bytes) -> None:
        self._command = list(command)
        self._greeting = greeting
        self._process: subprocess.Popen[bytes] | ForkedReader | None = None
        self._thread: threading.Thread | None = None
        self._told: deque[tuple[FromReader | None, int]] = deque()
        self._waiting_bytes = 0
        self._changed = threading.Condition()
        self._is_at_work = False

    @property
    def is_idle(self) -> bool:
        return not self._is_at_work

    def send(self, unit: Unit) -> None:
        """Give it a unit; it must be idle."""
        assert self.is_idle
        if self._thread is None:
            self._start()
        self._is_at_work = True
        self._write(msgspec.msgpack.encode(unit))

    def receive(self, seconds: float) -> FromReader | None:
        """Return its next message; None if it died, or was killed because it sent nothing."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._told, seconds):
                self._kill()
                self._changed.wait_for(lambda: self._told)
            message, size = self._told.popleft()
            self._waiting_bytes -= size
            self._changed.notify_all()
        if message is None:
            self.close()
        return message

    def close(self) -> None:
        """End the process."""
        self._kill()
        process, thread = self._process, self._thread
        if process is not None:
            with self._changed:
                self._told.clear()
                self._waiting_bytes = -FRAME_BYTES_MAX  # the thread must not wait for room
                self._changed.notify_all()
            if thread is not None:
                thread.join()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    cast(BinaryIO, pipe).close()
            process.wait()
        self._process = self._thread = None
        self._told.clear()
        self._waiting_bytes = 0
        self._is_at_work = False

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def fork(self, read_units: ReadUnits) -> None:
        """Begin its process as a child of this one; there must be no thread yet."""
        self._process = ForkedReader(read_units)

    def _start(self) -> None:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603  our own program
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True
            )
        self._write(self._greeting)
        self._thread = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
        self._thread.start()

    def _write(self, message: bytes) -> None:
        assert self._process is not None
        pipe = cast(BinaryIO, self._process.stdin)
        with contextlib.suppress(BrokenPipeError):  # `receive` notices its death
            pipe.write(framed(message))
            pipe.flush()

    def _listen(self, process: "subprocess.Popen[bytes] | ForkedReader") -> None:
        """Read messages from the pipe of a process until it ends or sends an invalid one."""
        decode = msgspec.msgpack.Decoder(FromReader).decode
        pipe = cast(BinaryIO, process.stdout)
        message: FromReader | None
        while True:
            try:
                frame = read_frame(pipe, FRAME_BYTES_MAX)
                message = decode(frame) if frame is not None else None
            except (msgspec.DecodeError, OSError, ValueError):
                frame = message = None
            with self._changed:
                self._changed.wait_for(lambda: self._waiting_bytes < WAITING_BYTES_MAX)
                size = len(frame or b"")
                self._told.append((message, size))
                self._waiting_bytes += size
                if isinstance(message, UnitDone):
                    self._is_at_work = False
                self._changed.notify_all()
            if message is None:
                return


class Crew:
    """Some readers, and a spare one for units that have to be read again.

    With `read_units`, readers are forked from this process when the crew is entered.
    """

    def __init__(
        self,
        size: int,
        greeting: bytes,
        *,
        command: Sequence[str] = COMMAND,
        read_units: ReadUnits | None = None,
    ) -> None:
        self.readers = [CrewReader(command, greeting) for _ in range(size)]
        self.spare = CrewReader(command, greeting)
        self._read_units = read_units

    def __enter__(self) -> "Crew":
        if self._read_units is not None and may_fork():
            for reader in self.readers:
                reader.fork(self._read_units)
        return self

    def __exit__(self, *problem: object) -> None:
        for reader in (*self.readers, self.spare):
            reader.close()

    @property
    def idle(self) -> CrewReader | None:
        """An idle reader; None if all are busy."""
        return next((reader for reader in self.readers if reader.is_idle), None)
