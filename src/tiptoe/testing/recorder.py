"""What arrived at the servers, and when?

One line per arrival, written only by the servers. Moments are wall-clock
seconds made from the monotonic clock and one offset, so that they never jump.
"""

import time
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec

from tiptoe.errors import CorruptFile

__all__ = ["Arrival", "Recorder", "read_arrivals"]

LINES_PER_WRITE: Final = 1_000


class Arrival(NamedTuple):
    """One request as the server saw it."""

    arrived_at: float  # the request had been read
    answered_at: float  # the last byte was handed to the socket, or the connection was lost
    host: str
    address: str  # of the server
    method: str
    target: str  # path and query
    status: int  # 0: the client left or was disconnected before an answer
    user_agent: str
    connection: int
    retry_after: float | None = None  # seconds, as answered

    @property
    def url(self) -> str:
        """The requested URL, without a port."""
        return f"http://{self.host}{self.target}"


class Recorder:
    """Keeps arrivals in memory, or appends them to a file of JSON lines."""

    def __init__(self, path: Path | None = None) -> None:
        self.arrivals: list[Arrival] = []
        self.count = 0
        self._offset = time.time() - time.monotonic()
        self._encoder = msgspec.json.Encoder()
        self._file: BinaryIO | None = path.open("ab") if path else None

    def now(self) -> float:
        """Return the wall-clock moment, free of jumps."""
        return time.monotonic() + self._offset

    def add(self, arrival: Arrival) -> None:
        """Record one arrival."""
        self.arrivals.append(arrival)
        self.count += 1
        if self._file and len(self.arrivals) >= LINES_PER_WRITE:
            self.flush()

    def flush(self) -> None:
        """Write what is buffered, if there is a file; then other processes can read it."""
        if self._file and self.arrivals:
            self._file.write(self._encoder.encode_lines(self.arrivals))
            self._file.flush()
            self.arrivals.clear()

    def close(self) -> None:
        """Write the rest and close the file."""
        self.flush()
        if self._file:
            self._file.close()
            self._file = None


def read_arrivals(path: Path) -> list[Arrival]:
    """Return all arrivals in a file; a last line still being written is left out."""
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    try:
        return msgspec.json.Decoder(Arrival).decode_lines(whole)
    except msgspec.MsgspecError as error:
        raise CorruptFile(path, offset=0, found=f"not a line of arrivals ({error})") from error
