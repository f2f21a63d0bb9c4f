"""How are messages sent?

As length-prefixed MessagePack frames over a stream: four bytes, big endian, then
the message. The length of a frame is limited; a longer one ends the connection.
"""

import asyncio
from typing import Any, Generic, TypeVar

import msgspec

from tiptoe.errors import ProtocolError
from tiptoe.protocol.sender import Sender

__all__ = ["FRAME_BYTES_MAX", "HELLO_BYTES_MAX", "Connection"]

Incoming = TypeVar("Incoming")

FRAME_BYTES_MAX = 256 << 20
HELLO_BYTES_MAX = 64 << 10
"""Maximum size of the first frame, from a peer that has not identified itself yet."""

UNSENT_BYTES_MAX = 64 << 20
UNSENT_BYTES_WAIT = 4 << 20


class Connection(Generic[Incoming]):
    """One peer: typed messages in, any messages out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, incoming: Any) -> None:
        self._reader = reader
        self._writer = writer
        self._decoder = msgspec.msgpack.Decoder(incoming)
        self._encoder = msgspec.msgpack.Encoder()
        self._sender: Sender | None = None

    def send_from_thread(self) -> None:
        """Send from a thread from now on; nothing sent before may still be under way."""
        self._sender = Sender(self._writer.get_extra_info("socket"))

    async def receive(self, bytes_max: int = FRAME_BYTES_MAX) -> Incoming | None:
        """Return the next message, or None if the peer is gone."""
        try:
            size = int.from_bytes(await self._reader.readexactly(4), "big")
            if size > bytes_max:
                raise ProtocolError(f"a frame of {size} bytes; at most {bytes_max} are allowed")
            frame = await self._reader.readexactly(size)
        except (asyncio.IncompleteReadError, OSError):
            return None
        try:
            message: Incoming = self._decoder.decode(frame)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ProtocolError(f"a message that cannot be read: {error}") from error
        return message

    def send(self, message: object) -> None:
        """Queue a message; the connection to a peer that does not read is cut rather than buffered."""
        if self._writer.is_closing():
            return
        encoded = self._encoder.encode(message)
        frame = len(encoded).to_bytes(4, "big") + encoded
        if self._sender is not None:
            self._sender.send(frame)
            return
        self._writer.write(frame)
        if self._writer.transport.get_write_buffer_size() > UNSENT_BYTES_MAX:
            self._writer.transport.abort()

    async def drain(self) -> None:
        """Wait until most of what was queued has been sent."""
        while self._sender is not None and self._sender.waiting_bytes > UNSENT_BYTES_WAIT:
            await asyncio.sleep(0.01)
        try:
            await self._writer.drain()
        except OSError:
            return

    def close(self) -> None:
        """End the connection."""
        if self._sender is not None:
            self._sender.close()
        self._writer.close()
