"""What was asked of whom, when, and by which rule?

One JSON line per request, enough by itself to check every rule of politeness
afterwards. The log is never cut: the requests did happen, also those whose pages
were lost in a crash. Between the requests stand a few lines of other kinds, each
with a `kind`:

    opening   the first line: who asks, and under which terms
    terms     other terms, which hold for every request that begins from now on
    robots    what a robots.txt said, right after it was read
    order     a word of the operator, at the moment it took effect here

Moments are seconds since 1970 by the log's own clock, see `logclock.py`. Within one log they never go back.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tiptoe.errors import CorruptFile, DiskFull
from tiptoe.write.appendfile import AppendFile, Write
from tiptoe.write.logclock import LogClock
from tiptoe.write.underway import Underway

__all__ = [
    "KIND", "Opening", "OrderEntry", "RequestEntry", "RequestLog", "RobotsEntry", "Terms", "TermsEntry",
    "read_requests",
]  # fmt: skip

KIND = b'{"kind":"'
"""How a line begins that is not a request."""

ROBOTS_CHARS_MAX = 1 << 20
"""Patterns of one robots.txt beyond this are left out; what was read of it is hardly ever more."""


class RequestEntry(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """One request, as the audit needs to know it."""

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
    truncated: str | None = None  # what cut the body, as in the archive: length, time, disconnect

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended_at - self.started_at


class Terms(msgspec.Struct, kw_only=True, frozen=True):
    """The settings that requests were made under; delays in seconds."""

    user_agent: str
    agent: str  # the name that robots.txt may speak to
    req_delay: float
    max_hosts: int
    max_reqs: int
    general_pause: float
    slow_factor: float
    delay_max: float
    retry_after_max: float
    backoff_first: float
    robots_expiry: float
    cdn_ranges: tuple[str, ...] = ()


class Opening(msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="opening"):
    """The first line of a log."""

    opened_at: float
    counted: float  # what the machine itself had counted at that moment, in seconds,
    boot: str  # since it was started this time
    harvester: str
    terms: Terms


class TermsEntry(msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="terms"):
    """The operator has changed settings: what holds for requests that begin after this moment."""

    since: float
    terms: Terms


class RobotsEntry(
    msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="robots", omit_defaults=True
):
    """What the robots.txt of an origin says to us from this moment on."""

    read_at: float
    origin: str
    state: str  # rules, unreachable, moved
    crawl_delay: float = 0.0
    rules: Sequence[tuple[bool, str]] = ()  # allowed?, pattern
    is_cut: bool = False  # there were more rules than the log takes


class OrderEntry(
    msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="order", omit_defaults=True
):
    """A word of the operator, when this harvester began to obey it."""

    heard_at: float
    order: str  # hold: ask nobody; go_on; leave: end what visits under way want of the host
    host: str = ""


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
        name = f"log/requests-{incarnation}"
        self._file = AppendFile(directory, f"{name}.jsonl", suffix="", write=write)
        self._encoder = msgspec.json.Encoder()
        clock = clock or LogClock()
        self.now = clock.now
        self.marks = self._file.marks
        self.acknowledge = self._file.acknowledge
        underway = Underway(directory / f"{name}.underway")
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


def read_requests(path: Path) -> Iterator[RequestEntry]:
    """Yield the requests of one log; a last line torn by a crash is passed over."""
    decoder = msgspec.json.Decoder(RequestEntry)
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            if not line.startswith(KIND):
                try:
                    yield decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise CorruptFile(path, offset=offset, found=f"no request ({error})") from error
            offset += len(line)
