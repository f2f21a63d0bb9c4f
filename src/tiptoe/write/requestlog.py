"""What was asked of whom, when, and by which rule?

One JSON line per request, enough by itself to check every rule of politeness
afterwards. The log is never cut: the requests did happen, also those whose pages
were lost in a crash.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from tiptoe.errors import CorruptFile, DiskFull
from tiptoe.write.appendfile import AppendFile, Write

__all__ = ["RequestEntry", "RequestLog", "read_requests"]


class RequestEntry(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """One request, as the audit needs to know it; moments are seconds since 1970."""

    started_at: float
    ended_at: float
    host: str
    address: str
    url: str
    purpose: str  # page, robots, sitemap, tdmrep, feed
    robots: str  # allowed, robots.txt, exempt...
    delay: float  # seconds required since the last answer of the host
    visit: str
    harvester: str
    status: int | None = None  # of the answer, or
    failure: str | None = None  # why there is none
    bytes_received: int = 0
    crawl_delay: float | None = None  # what robots.txt asks for
    retry_after: float | None = None

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended_at - self.started_at


class RequestLog:
    """Writes `log/requests-<incarnation>.jsonl`, each line at once.

    A killed harvester must not hide a request, so no line waits for a batch;
    a line that finds the disk full waits for the next `flush`.
    """

    def __init__(self, directory: Path, incarnation: str, *, write: Write = os.write) -> None:
        self._file = AppendFile(directory, f"log/requests-{incarnation}.jsonl", suffix="", write=write)
        self._encoder = msgspec.json.Encoder()

    def write_request(self, entry: RequestEntry) -> None:
        """Log one request that has ended."""
        self._file.append(self._encoder.encode(entry) + b"\n")
        # Who flushes next hears of the full disk; the line is kept until then.
        with suppress(DiskFull):
            self._file.flush()

    def flush(self) -> None:
        """Write the lines that found no room before."""
        self._file.flush()

    def sync(self) -> None:
        """Make the log survive a power cut."""
        self._file.sync()

    def close(self) -> None:
        """Write what waits and let go of the file."""
        self._file.flush()
        self._file.close()


def read_requests(path: Path) -> Iterator[RequestEntry]:
    """Yield the requests of one log; a last line torn by a crash is passed over."""
    decoder = msgspec.json.Decoder(RequestEntry)
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise CorruptFile(path, offset=offset, found=f"no request ({error})") from error
            offset += len(line)
