"""What does one request log contain?

Lines become values with their place, `file:line`, so that anyone can verify a finding.
Moments are converted to a common scale, see `clocks.py`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from tiptoe.errors import CorruptFile, SettingsError
from tiptoe.observe.crawl_marker import no_crawl
from tiptoe.observe.crawl_members import member_files
from tiptoe.observe.cutoff import cut_off
from tiptoe.observe.merging import in_order_of_time
from tiptoe.write.logentries import (
    KIND,
    ClockEntry,
    Opening,
    OrderEntry,
    OtherEntry,
    RobotsEntry,
    Terms,
    TermsEntry,
)
from tiptoe.write.output_kinds import REQUEST_LOG

__all__ = [
    "Event",
    "Log",
    "LogRequest",
    "LogRobots",
    "Ordered",
    "find_logs",
    "read_all",
    "read_cut_off",
    "read_log",
]  # fmt: skip

LINE_BYTES_MAX = 32 * 1024 * 1024
CLOCK = KIND + b'clock"'
UNREAD = "unread"
"""State of a robots.txt that was requested according to a log that does not record its rules."""


class LogLine(msgspec.Struct, kw_only=True, gc=False):
    """A request as logged; fields that the audit does not use are not read."""

    started_at: float
    ended_at: float
    host: str
    address: str
    url: str
    purpose: str
    visit: str
    delay: float = 0.0
    status: int | None = None
    failure: str | None = None
    bytes_received: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] = 0
    retry_after: float | None = None


class LogRequest(LogLine, kw_only=True, gc=False, tag=1, array_like=True):
    """One request; if it was cut off by the death of its harvester, it ends when it began."""

    file: int = 0
    line: int = 0  # 0: from the list of requests in progress

    @property
    def at(self) -> float:
        return self.ended_at

    @property
    def is_cut_off(self) -> bool:
        return self.line == 0

    def is_of_visit(self, other: "LogRequest") -> bool:
        """Whether both belong to one visit: each is in one log; numbers repeat when a crawl starts over."""
        return self.visit == other.visit and self.file == other.file


class LogRobots(msgspec.Struct, kw_only=True, gc=False, tag=2, array_like=True):
    """What a robots.txt says, and from when on."""

    file: int
    line: int
    at: float
    origin: str
    state: str
    crawl_delay: float
    rules: tuple[tuple[bool, str], ...]
    is_cut: bool


class Ordered(msgspec.Struct, kw_only=True, gc=False, tag=3, array_like=True):
    """An order of the operator that took effect."""

    file: int
    line: int
    at: float
    order: str
    host: str


Event = LogRequest | LogRobots | Ordered


class Log(msgspec.Struct):
    """One file of the log."""

    path: Path
    index: int
    size: int
    opening: Opening | None  # None: the log does not begin with one
    first_at: float
    shift: float = 0.0  # to add to its moments, or those of its shard
    machine_shift: float = 0.0  # the same, by the machine's own count
    amended: list[tuple[float, Terms]] = []  # terms changed during the log, and since when
    clocks: list[ClockEntry] = []  # relate its moments to its shard's; empty without shards
    clocks_group: int = 0  # the relation of clocks in a group is known
    folder: str = ""  # its directory, if there are several
    damaged: int = 0  # number of lines that cannot be read
    damaged_first: int = 0  # line number of the first one
    damaged_last: int = 0  # line number of the last one

    @property
    def name(self) -> str:
        return f"{self.folder}/{self.path.name}" if self.folder else self.path.name

    @property
    def boot(self) -> str:
        """The boot of the machine that wrote it; empty if unknown."""
        return self.opening.boot if self.opening else ""

    @property
    def offset(self) -> float:
        """What to add to the machine's count to get moments of this log."""
        return self.opening.opened_at - self.opening.counted if self.opening else 0.0

    @property
    def shard(self) -> int | None:
        """The shard whose clock it uses; None if it only has the clock of its machine."""
        return self.clocks[0].shard if self.clocks else None

    @property
    def first_ahead(self) -> float:
        return self.clocks[0].ahead if self.clocks else 0.0

    @property
    def shard_offset(self) -> float:
        """What to add to the machine's count to get moments of the shard, as of the start of the log."""
        return self.offset + self.first_ahead

    @property
    def shard_began_at(self) -> float:
        """When the log began, by the clock of the shard."""
        return self.first_at + self.first_ahead

    @property
    def is_estimate(self) -> bool:
        return bool(self.clocks) and self.clocks[0].is_estimate

    def moment(self, at: float) -> float:
        """Return a moment of this log on the common scale."""
        return at + self.shift + (self._ahead_at(at) if self.clocks else 0.0)

    def lead_at(self, moment: float) -> float:
        """Return how much later a moment on the common scale is by the machine's own count."""
        if not self.clocks:
            return 0.0
        ahead = self.first_ahead
        for clock in self.clocks:
            if clock.since + clock.ahead + self.shift <= moment:
                ahead = clock.ahead
        return self.machine_shift - self.shift - ahead

    def _ahead_at(self, at: float) -> float:
        ahead = self.first_ahead
        for clock in self.clocks:
            if clock.since <= at:
                ahead = clock.ahead
        return ahead

    def note_damage(self, line: int) -> None:
        """Note a line that cannot be read; a log may be read more than once."""
        if line > self.damaged_last:
            self.damaged += 1
            self.damaged_first = self.damaged_first or line
            self.damaged_last = line

    def follow_clock(self, clock: ClockEntry) -> None:
        """Note how the clocks relate from a moment on; a log may be read more than once."""
        if not self.clocks or self.clocks[-1].since < clock.since:
            self.clocks.append(clock)

    @property
    def terms(self) -> Terms | None:
        return self.opening.terms if self.opening else None

    def terms_at(self, at: float) -> Terms | None:
        """Return the terms under which a request was made that began at this moment."""
        found = self.terms
        for since, terms in self.amended:
            if since <= at:
                found = terms
        return found

    def amend(self, since: float, terms: Terms) -> None:
        """Note that other terms apply from a moment on; a log may be read more than once."""
        if not self.amended or self.amended[-1][0] < since:
            self.amended.append((since, terms))


def find_logs(*directories: Path, limits: Mapping[Path, int] | None = None) -> list[Log]:
    """Return the request logs of a crawl, which may be in several directories; each has its own clock.

    `limits`: read only these logs of the first directory, each up to this size.
    """
    paths = [
        path
        for path in member_files(REQUEST_LOG.files, *directories)
        if limits is None or path in limits or path.parent.parent != directories[0]
    ]
    if not paths:
        raise no_crawl(directories[0], lacks="there is no request log in it (log/requests-*.jsonl)")
    logs = [log for path in paths if (log := _open(path)) is not None]
    for index, log in enumerate(logs):
        log.index = index
        log.size = min(log.size, (limits or {}).get(log.path, log.size))
        if len(directories) > 1:
            log.folder = log.path.parent.parent.resolve().name
    return logs


def _open(path: Path) -> Log | None:
    """Read the first lines of a log; return None when it is still empty."""
    try:
        with path.open("rb") as file:
            line, second = file.readline(LINE_BYTES_MAX), file.readline(LINE_BYTES_MAX)
        size = path.stat().st_size
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    if not line.endswith(b"\n"):
        return None
    try:
        if line.startswith(KIND):
            opening = msgspec.json.decode(line, type=Opening)
            log = Log(path, 0, size, opening, opening.opened_at)
            if second.startswith(CLOCK) and second.endswith(b"\n"):
                log.follow_clock(msgspec.json.decode(second, type=ClockEntry))
            return log
        first = msgspec.json.decode(line, type=LogLine)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorruptFile(path, offset=0, found=f"no request log ({error})") from error
    return Log(path, 0, size, None, first.ended_at)


def read_log(
    log: Log,
    *,
    wanted: Callable[[bytes], bool] | None = None,
    read: Callable[[int], None] = lambda size: None,
) -> Iterator[Event]:
    """Yield the events of a log, in its order; `wanted` can make it skip requests unparsed.

    A last line torn by a crash is skipped; other unreadable lines are noted. `read` is told how many bytes
    were read.
    """
    decode = msgspec.json.Decoder(LogLine).decode
    decode_other = msgspec.json.Decoder(OtherEntry).decode
    number = offset = reported = 0
    with log.path.open("rb") as file:
        while line := file.readline(LINE_BYTES_MAX):
            number += 1
            offset += len(line)
            if offset > log.size:  # newer than the copies from other machines
                break
            if offset - reported >= 1 << 20:
                read(offset - reported)
                reported = offset
            if not line.endswith(b"\n"):
                # A killed process tears one line; a power cut leaves zeros, in any number of lines.
                if b"\0" in line or len(line) == LINE_BYTES_MAX:
                    log.note_damage(number)
                break
            is_other = line.startswith(KIND)
            if wanted is not None and not is_other and not wanted(line) and _looks_whole(line):
                continue
            try:
                if is_other:
                    event = _other(decode_other(line), log, number)
                    if event is not None:
                        yield event
                else:
                    yield from _requests(decode(line), log, number)
            except (msgspec.DecodeError, UnicodeDecodeError):
                log.note_damage(number)
    read(offset - reported)


def _looks_whole(line: bytes) -> bool:
    """Whether a line shows no trace of a power cut, after which it is unknown whose request it was."""
    return line.startswith(b"{") and line.endswith(b"}\n") and b"\0" not in line


def _requests(line: LogLine, log: Log, number: int) -> Iterator[Event]:
    yield LogRequest(
        file=log.index,
        line=number,
        started_at=log.moment(line.started_at) if log.clocks else line.started_at + log.shift,
        ended_at=log.moment(line.ended_at) if log.clocks else line.ended_at + log.shift,
        host=line.host,
        address=line.address,
        url=line.url,
        purpose=line.purpose,
        visit=line.visit,
        delay=line.delay,
        status=line.status,
        failure=line.failure,
        bytes_received=line.bytes_received,
        retry_after=line.retry_after,
    )
    if log.opening is None and line.purpose == "robots":
        origin = line.url[: line.url.find("/", line.url.find("://") + 3)]
        yield LogRobots(
            file=log.index, line=number, at=line.ended_at, origin=origin, state=UNREAD, crawl_delay=0.0,
            rules=(), is_cut=False,
        )  # fmt: skip


def _other(entry: OtherEntry, log: Log, number: int) -> Event | None:
    if isinstance(entry, RobotsEntry):
        return LogRobots(
            file=log.index,
            line=number,
            at=log.moment(entry.read_at),
            origin=entry.origin,
            state=entry.state,
            crawl_delay=entry.crawl_delay,
            rules=tuple(entry.rules),
            is_cut=entry.is_cut,
        )
    if isinstance(entry, OrderEntry):
        return Ordered(
            file=log.index, line=number, at=log.moment(entry.heard_at), order=entry.order, host=entry.host
        )
    if isinstance(entry, TermsEntry):
        log.amend(log.moment(entry.since), entry.terms)
    if isinstance(entry, ClockEntry):
        log.follow_clock(entry)
    return None


def read_cut_off(log: Log) -> list[LogRequest]:
    """Return the requests that were in progress when the writer of this log died."""
    try:
        begun = cut_off(log.path)
    except OSError as error:
        raise SettingsError(f"{error.filename}: cannot be read: {error.strerror}") from error
    if begun and log.clocks:
        _read_clocks(log)
    return [
        LogRequest(
            file=log.index,
            started_at=log.moment(one.started_at),
            ended_at=log.moment(one.started_at),
            host=one.host,
            address=one.address,
            url=one.url,
            purpose=one.purpose,
            visit=one.visit,
        )
        for one in begun
    ]


def _read_clocks(log: Log) -> None:
    """Read how the clocks relate up to the end: requests in progress then are not in the order of lines."""
    with log.path.open("rb") as file:
        while line := file.readline(LINE_BYTES_MAX):
            if line.startswith(CLOCK) and line.endswith(b"\n"):
                with suppress(msgspec.DecodeError, UnicodeDecodeError):  # noted when the line itself is read
                    log.follow_clock(msgspec.json.decode(line, type=ClockEntry))


def read_all(
    logs: Sequence[Log],
    *,
    wanted: Callable[[bytes], bool] | None = None,
    read: Callable[[int], None] = lambda size: None,
) -> Iterator[Event]:
    """Yield the events of all logs, in order of when they were written or, if cut off, began."""
    streams: list[tuple[float, Iterator[Event]]]
    streams = [(log.moment(log.first_at), read_log(log, wanted=wanted, read=read)) for log in logs]
    streams += [(broken[0].at, iter(broken)) for log in logs if (broken := read_cut_off(log))]
    return in_order_of_time(streams, lambda event: event.at)
