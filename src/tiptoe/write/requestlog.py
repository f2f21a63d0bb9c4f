"""How is it ensured that every request is in the log?

Each line is written at once, and the log is never cut: the requests did happen, even those whose pages were
lost in a crash. The lines are described in `logentries.py`.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tiptoe.errors import DiskFull
from tiptoe.protocol.work import ShardTime
from tiptoe.write.appendfile import Write
from tiptoe.write.logclock import LogClock
from tiptoe.write.logentries import (
    ClockEntry,
    Opening,
    OrderEntry,
    RequestEntry,
    RobotsEntry,
    Terms,
    TermsEntry,
)
from tiptoe.write.output_kinds import REQUEST_LOG
from tiptoe.write.underway import Underway

__all__ = ["RequestLog"]

ROBOTS_CHARS_MAX = 1 << 20
"""Maximum total length of the patterns of one robots.txt; above it the rest is left out."""

BETTER_SECONDS = 0.01
"""Minimum improvement, in seconds, for which the estimate of another machine's clock is replaced."""


class RequestLog:
    """Writes `log/requests-<incarnation>.jsonl`, each line at once.

    A killed harvester must not hide a request, so no line waits for a batch;
    a line that does not fit on a full disk waits for the next `flush`. Requests
    that have begun and not ended are in `log/requests-<incarnation>.underway`.
    """

    def __init__(
        self,
        directory: Path,
        incarnation: str,
        *,
        terms: Terms | None = None,
        clock: LogClock | None = None,
        write: Write = os.write,
    ) -> None:
        self._file = REQUEST_LOG.log(directory, incarnation, write=write)
        self._encoder = msgspec.json.Encoder()
        clock = clock or LogClock()
        self._clock = clock
        self._shard_time: ShardTime | None = None  # as it was last noted
        self._ahead = 0.0  # seconds from the log's clock to the shard's, computed from it
        self.now = clock.now
        self.marks = self._file.marks
        self.acknowledge = self._file.acknowledge
        underway = Underway(self._file.path.with_suffix(".underway"))
        self.end = underway.end
        self._underway = underway
        if terms is not None:
            opening = Opening(
                opened_at=clock.opened_at,
                counted=clock.counted,
                boot=clock.boot,
                harvester=incarnation,
                terms=terms,
            )
            self._file.append(self._encoder.encode(opening) + b"\n")  # written with the first request

    def begin(self, started_at: float, visit: int, host: str, address: str, purpose: str, url: str) -> int:
        """Note a request that is about to be made; return its place among those under way."""
        if not self._file.flushed_size:
            # Without a log beside it the note would not be found, and the request would be hidden.
            with suppress(DiskFull):
                self._file.flush()
        return self._underway.begin(started_at, visit, host, address, purpose, url)

    def write_request(self, entry: RequestEntry) -> None:
        """Log one request that has ended."""
        self._write(entry)

    def write_robots(
        self, origin: str, state: str, *, crawl_delay: float = 0.0, rules: Sequence[tuple[bool, str]] = ()
    ) -> None:
        """Log the rules of a robots.txt before any request is made under them."""
        kept = _as_many_as_fit(rules)
        self._write(
            RobotsEntry(
                read_at=self.now(),
                origin=origin,
                state=state,
                crawl_delay=crawl_delay,
                rules=kept,
                is_cut=len(kept) < len(rules),
            )
        )

    def write_order(self, order: str, host: str = "") -> None:
        """Log an order of the operator that is obeyed from now on."""
        self._write(OrderEntry(heard_at=self.now(), order=order, host=host))

    def write_terms(self, terms: Terms) -> None:
        """Log the terms under which requests are made from now on."""
        self._write(TermsEntry(since=self.now(), terms=terms))

    def note_time(self, shard: int, time: ShardTime) -> None:
        """Log the time of the shard's clock, if that is news; the line is written with the next one.

        If another machine keeps the clock of the shard, only the time at which its message was sent is known,
        and the message arrives later: so estimates are never too large, and the largest is the best.
        """
        known, now = self._shard_time, self.now()
        is_exact = bool(time.boot) and time.boot == self._clock.boot
        ahead = time.offset - self._clock.offset if is_exact else time.moment - now
        is_same = known is not None and (known.boot, known.offset) == (time.boot, time.offset)
        if is_same and (is_exact or ahead < self._ahead + BETTER_SECONDS):
            return
        self._shard_time, self._ahead = time, ahead
        entry = ClockEntry(since=now, shard=shard, ahead=ahead, is_estimate=not is_exact)
        self._file.append(self._encoder.encode(entry) + b"\n")

    def _write(self, entry: RequestEntry | RobotsEntry | OrderEntry | TermsEntry) -> None:
        self._file.append(self._encoder.encode(entry) + b"\n")
        # The next flush reports the full disk; the line is kept until then.
        with suppress(DiskFull):
            self._file.flush()

    def flush(self) -> None:
        """Write the lines that did not fit on the disk before."""
        self._file.flush()

    def sync(self) -> None:
        """Make the log survive a power cut."""
        self._file.sync()

    def let_go(self) -> None:
        """Close descriptors until something is written again."""
        self._file.let_go()
        self._underway.let_go()

    def close(self) -> None:
        """Write what waits and close the file; no request may be under way."""
        self._file.flush()
        self._file.close()
        self._underway.close()


def _as_many_as_fit(rules: Sequence[tuple[bool, str]]) -> Sequence[tuple[bool, str]]:
    room = ROBOTS_CHARS_MAX
    for number, (_, pattern) in enumerate(rules):
        room -= len(pattern)
        if room < 0:
            return rules[:number]
    return rules
