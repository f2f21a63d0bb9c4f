"""What stands in one request log?

Lines become values with their place, `file:line`, so that whoever doubts a finding
can look. Moments are moved to one scale: logs of one run of a machine are compared
by what the machine counted, so that a wall clock set in between cannot make a
pause shorter or longer. Logs of different machines agree as far as their clocks do.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from tiptoe.errors import CorruptFile, SettingsError
from tiptoe.observe.cutoff import cut_off
from tiptoe.observe.merging import in_order_of_time
from tiptoe.write.logentries import KIND, Opening, OrderEntry, RobotsEntry, Terms, TermsEntry
from tiptoe.write.output_kinds import REQUEST_LOG

__all__ = [
    "Event", "Log", "LogRequest", "Ordered", "Told", "find_logs", "read_all", "read_cut_off", "read_log",
]  # fmt: skip

LINE_BYTES_MAX = 32 * 1024 * 1024
UNREAD = "unread"
"""State of a robots.txt that was asked for by a log which does not say what it said."""


class LogLine(msgspec.Struct, kw_only=True, gc=False):
    """A request as the log has it; what the audit does not use is not read."""

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
    bytes_received: int = 0
    retry_after: float | None = None


class LogRequest(LogLine, kw_only=True, gc=False, tag=1, array_like=True):
    """One request; a request cut off by the death of its harvester ends where it began."""

    file: int = 0
    line: int = 0  # 0: from the list of requests under way

    @property
    def at(self) -> float:
        return self.ended_at

    @property
    def is_cut_off(self) -> bool:
        return self.line == 0


class Told(msgspec.Struct, kw_only=True, gc=False, tag=2, array_like=True):
    """What a robots.txt says from a moment on."""

    file: int
    line: int
    at: float
    origin: str
    state: str
    crawl_delay: float
    rules: tuple[tuple[bool, str], ...]
    is_cut: bool


class Ordered(msgspec.Struct, kw_only=True, gc=False, tag=3, array_like=True):
    """A word of the operator that took effect."""

    file: int
    line: int
    at: float
    order: str
    host: str


Event = LogRequest | Told | Ordered


class Log(msgspec.Struct):
    """One file of the log."""

    path: Path
    index: int
    size: int
    opening: Opening | None  # None: it does not begin with one
    first_at: float
    shift: float = 0.0  # to be added to its moments
    amended: list[tuple[float, Terms]] = []  # terms that were changed on the way, and since when

    @property
    def name(self) -> str:
        return self.path.name

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
        """Note that other terms hold from a moment on; a log may be read more than once."""
        if not self.amended or self.amended[-1][0] < since:
            self.amended.append((since, terms))


def find_logs(directory: Path) -> list[Log]:
    """Return the request logs of a crawl, on one scale of time."""
    paths = REQUEST_LOG.files(directory)
    if not paths:
        raise SettingsError(f"{directory}: no request log there (log/requests-*.jsonl)")
    logs = [log for path in paths if (log := _open(path)) is not None]
    for index, log in enumerate(logs):
        log.index = index
    _align([log for log in logs if log.opening is not None])
    return logs


def _align(logs: list[Log]) -> None:
    """Move the logs of each run of a machine to one scale; its last reading of the wall is believed."""
    offsets: dict[str, float] = {}
    for log in sorted(logs, key=lambda log: -log.opening.counted if log.opening else 0.0):
        opening = log.opening
        if opening is not None and opening.boot:
            offset = opening.opened_at - opening.counted
            log.shift = offsets.setdefault(opening.boot, offset) - offset


def _open(path: Path) -> Log | None:
    """Look at the first line of a log; None when it has none yet."""
    try:
        with path.open("rb") as file:
            line = file.readline(LINE_BYTES_MAX)
        size = path.stat().st_size
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    if not line.endswith(b"\n"):
        return None
    try:
        if line.startswith(KIND):
            opening = msgspec.json.decode(line, type=Opening)
            return Log(path, 0, size, opening, opening.opened_at)
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
    """Yield what a log says, in its order; `wanted` may pass over lines of requests unread.

    A last line torn by a crash is passed over. `read` hears how many bytes were read.
    """
    decode = msgspec.json.Decoder(LogLine).decode
    decode_other = msgspec.json.Decoder(Opening | RobotsEntry | OrderEntry | TermsEntry).decode
    number = offset = told = 0
    with log.path.open("rb") as file:
        while line := file.readline(LINE_BYTES_MAX):
            number += 1
            offset += len(line)
            if offset - told >= 1 << 20:
                read(offset - told)
                told = offset
            if not line.endswith(b"\n"):
                break
            is_other = line.startswith(KIND)
            if wanted is not None and not is_other and not wanted(line):
                continue
            try:
                if is_other:
                    event = _other(decode_other(line), log, number)
                    if event is not None:
                        yield event
                else:
                    yield from _requests(decode(line), log, number)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                where = f"line {number} is none of a request log ({error})"
                raise CorruptFile(log.path, offset=offset - len(line), found=where) from error
    read(offset - told)


def _requests(line: LogLine, log: Log, number: int) -> Iterator[Event]:
    shift = log.shift
    yield LogRequest(
        file=log.index,
        line=number,
        started_at=line.started_at + shift,
        ended_at=line.ended_at + shift,
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
        yield Told(
            file=log.index, line=number, at=line.ended_at, origin=origin, state=UNREAD, crawl_delay=0.0,
            rules=(), is_cut=False,
        )  # fmt: skip


def _other(entry: Opening | RobotsEntry | OrderEntry | TermsEntry, log: Log, number: int) -> Event | None:
    if isinstance(entry, RobotsEntry):
        return Told(
            file=log.index,
            line=number,
            at=entry.read_at + log.shift,
            origin=entry.origin,
            state=entry.state,
            crawl_delay=entry.crawl_delay,
            rules=tuple(entry.rules),
            is_cut=entry.is_cut,
        )
    if isinstance(entry, OrderEntry):
        return Ordered(
            file=log.index, line=number, at=entry.heard_at + log.shift, order=entry.order, host=entry.host
        )
    if isinstance(entry, TermsEntry):
        log.amend(entry.since + log.shift, entry.terms)
    return None


def read_cut_off(log: Log) -> list[LogRequest]:
    """Return the requests that were under way when the writer of this log died."""
    try:
        begun = cut_off(log.path)
    except OSError as error:
        raise SettingsError(f"{error.filename}: cannot be read: {error.strerror}") from error
    return [
        LogRequest(
            file=log.index,
            started_at=one.started_at + log.shift,
            ended_at=one.started_at + log.shift,
            host=one.host,
            address=one.address,
            url=one.url,
            purpose=one.purpose,
            visit=one.visit,
        )
        for one in begun
    ]


def read_all(
    logs: Sequence[Log],
    *,
    wanted: Callable[[bytes], bool] | None = None,
    read: Callable[[int], None] = lambda size: None,
) -> Iterator[Event]:
    """Yield the events of all logs, by the moment they were written or, if cut off, began."""
    streams: list[tuple[float, Iterator[Event]]]
    streams = [(log.first_at + log.shift, read_log(log, wanted=wanted, read=read)) for log in logs]
    streams += [(broken[0].at, iter(broken)) for log in logs if (broken := read_cut_off(log))]
    return in_order_of_time(streams, lambda event: event.at)
