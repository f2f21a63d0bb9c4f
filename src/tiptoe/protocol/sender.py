"""How does a busy process send without waiting for its event loop?

A local socket takes a few hundred kilobytes at once, and the event loop of a harvester
gets to it only a few times a second: too rarely for all it has to send. So a
thread hands the frames to the kernel as fast as the other side reads them.
"""

import contextlib
import os
import queue
import socket
import threading

__all__ = ["Sender"]

STALL_SECONDS = 60.0
"""Maximum wait for the other side to read the next piece; above it the connection ends."""

PIECE_BYTES = 1 << 20


class Sender:
    """Sends frames of a connected socket in order, from a thread of its own."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = socket.socket(fileno=os.dup(connected.fileno()))
        self._socket.settimeout(STALL_SECONDS)
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._queued_bytes = 0
        self._sent_bytes = 0
        self.is_broken = False
        self._thread = threading.Thread(target=self._run, name="sender", daemon=True)
        self._thread.start()

    @property
    def waiting_bytes(self) -> int:
        """Bytes that the kernel has not accepted yet."""
        return 0 if self.is_broken else self._queued_bytes - self._sent_bytes

    def send(self, frame: bytes) -> None:
        """Queue a frame."""
        self._queued_bytes += len(frame)
        self._frames.put(frame)

    def close(self) -> None:
        """Send what is queued, then close the socket."""
        self._frames.put(None)
        self._thread.join(1.0)

    def _run(self) -> None:
        with contextlib.closing(self._socket):
            while (frame := self._frames.get()) is not None:
                try:
                    self._send(frame)
                except OSError:
                    self.is_broken = True
                    with contextlib.suppress(OSError):
                        self._socket.shutdown(socket.SHUT_RDWR)  # so that the reading side notices
                    return
                self._sent_bytes += len(frame)

    def _send(self, frame: bytes) -> None:
        """Send in pieces; the time limit applies to each, so a frame may take long on a slow connection."""
        rest = memoryview(frame)
        while rest:
            rest = rest[self._socket.send(rest[:PIECE_BYTES]) :]
