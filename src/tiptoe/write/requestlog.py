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
from tiptoe.write.appendfile import Write
from tiptoe.write.logclock import LogClock
from tiptoe.write.logentries import Opening, OrderEntry, RequestEntry, RobotsEntry, Terms, TermsEntry
from tiptoe.write.output_kinds import REQUEST_LOG
from tiptoe.write.underway import Underway

__all__ = ["RequestLog"]

ROBOTS_CHARS_MAX = 1 << 20
"""Maximum length of the patterns of one robots.txt; those beyond it are left out."""


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
        self.now = clock.now
        self.marks = self._file.marks
        self.acknowledge = self._file.acknowledge
        underway = Underway(self._file.path.with_suffix(".underway"))
        self.begin = underway.begin
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
            self._file.append(self._encoder.encode(opening) + b"\n")  # goes out with the next line

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
