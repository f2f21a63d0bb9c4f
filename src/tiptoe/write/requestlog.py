"""How does every request come to stand in the log?

Each line is written at once, and the log is never cut: the requests did happen, also those whose pages
were lost in a crash. What its lines say is in `logentries.py`.
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
"""Maximum length of the patterns of one robots.txt; those beyond it are left out."""

BETTER_SECONDS = 0.01
"""An estimate of a clock elsewhere is replaced by one that is better by this."""


class RequestLog:
    """Writes `log/requests-<incarnation>.jsonl`, each line at once.

    A killed harvester must not hide a request, so no line waits for a batch;
    a line that finds the disk full waits for the next `flush`. A request that
    has begun and not ended stands in `log/requests-<incarnation>.underway`.
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
        self._shard_time: ShardTime | None = None  # as it was noted last,
        self._ahead = 0.0  # with what was made of it
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
            self._file.append(self._encoder.encode(opening) + b"\n")  # goes out with the first request

    def begin(self, started_at: float, visit: int, host: str, address: str, purpose: str, url: str) -> int:
        """Note a request that is about to be made; return its place among those under way."""
        if not self._file.flushed_size:
            # A note beside no log would be found by nobody, and the request hidden.
            with suppress(DiskFull):
                self._file.flush()
        return self._underway.begin(started_at, visit, host, address, purpose, url)

    def write_request(self, entry: RequestEntry) -> None:
        """Log one request that has ended."""
        self._write(entry)

    def write_robots(
        self, origin: str, state: str, *, crawl_delay: float = 0.0, rules: Sequence[tuple[bool, str]] = ()
    ) -> None:
        """Log what a robots.txt says, before anything is asked by it."""
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
        """Log a word of the operator that is obeyed from this moment on."""
        self._write(OrderEntry(heard_at=self.now(), order=order, host=host))

    def write_terms(self, terms: Terms) -> None:
        """Log under which terms requests are made from this moment on."""
        self._write(TermsEntry(since=self.now(), terms=terms))

    def note_time(self, shard: int, time: ShardTime) -> None:
        """Log what time it is in the shard, if that is news; the line goes out with the next one.

        On another machine than the one that counts for the shard there is only the moment at which a message
        left, and that was heard later: the estimate is never ahead, and the largest one is the best.
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
        # Who flushes next hears of the full disk; the line is kept until then.
        with suppress(DiskFull):
            self._file.flush()

    def flush(self) -> None:
        """Write the lines that found no room before."""
        self._file.flush()

    def sync(self) -> None:
        """Make the log survive a power cut."""
        self._file.sync()

    def let_go(self) -> None:
        """Give descriptors back until something is written again."""
        self._file.let_go()
        self._underway.let_go()

    def close(self) -> None:
        """Write what waits and let go of the file; nothing may be under way."""
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
