"""How is a log judged that does not fit in memory?

The memory of the judges grows with hosts and addresses, not with lines. A log
larger than `PART_BYTES` is first divided among files in a temporary directory: each
request goes to the part of its host, and again to the part of its address. Within a
part the order of time is kept; parts are judged one after the other. The disk space
needed is about the size of the log.
"""

import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import msgspec
import xxhash

from tiptoe.audit.log_lines import LogRequest, LogRobots

__all__ = ["PARTS_MAX", "PART_BYTES", "Partitions"]

PART_BYTES: Final = 128 * 1024 * 1024
"""Maximum size of a log or part that is judged at once: about 400 000 lines, maybe all of different hosts."""

PARTS_MAX: Final = 256
BUFFER_BYTES: Final = 256 * 1024
LENGTH: Final = struct.Struct("<I")


class Partitions:
    """Events divided among files by a name; the files are removed when the `with` ends."""

    def __init__(self, count: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tiptoe-audit-")
        paths = [Path(self._folder.name) / f"{number:03d}" for number in range(count)]
        self._files: list[IO[bytes]] = [path.open("w+b", buffering=BUFFER_BYTES) for path in paths]
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(LogRequest | LogRobots)

    def __enter__(self) -> "Partitions":
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._files:
            file.close()
        self._folder.cleanup()

    def put(self, name: str, event: LogRequest | LogRobots) -> None:
        """Append an event to the part of its name."""
        data = self._encoder.encode(event)
        part = xxhash.xxh3_64_intdigest(name.encode("utf-8", "replace")) % len(self._files)
        self._files[part].write(LENGTH.pack(len(data)) + data)

    def parts(self) -> Iterator[Iterator[LogRequest | LogRobots]]:
        """Yield each part once, as its events in the order of the `put` calls."""
        for file in self._files:
            file.seek(0)
            yield self._read(file)
            file.truncate(0)

    def _read(self, file: IO[bytes]) -> Iterator[LogRequest | LogRobots]:
        while length := file.read(LENGTH.size):
            yield self._decoder.decode(file.read(*LENGTH.unpack(length)))
