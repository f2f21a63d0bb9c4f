"""How many requests went to each host, and how close together?

Read from the request logs alone, in memory of fixed size: once to find the hosts with the most requests,
and again for the spacing of those. Logs are read side by side only where they overlap in time.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.observe.cutoff import cut_off
from tiptoe.observe.file_lines import whole_lines
from tiptoe.observe.merging import in_order_of_time
from tiptoe.observe.tally import BoundedTally
from tiptoe.write.logentries import KIND
from tiptoe.write.output_kinds import REQUEST_LOG

__all__ = ["HostGaps", "RequestGaps", "read_gaps"]

NAMES_MAX: Final = 10_000
"""Maximum number of hosts that are told apart; above it, those with few requests are only counted."""


CUT_OFF: Final = -1
"""In place of the number of bytes, for a request whose end is unknown."""


class _RequestLine(msgspec.Struct, gc=False):
    started_at: float
    ended_at: float
    host: str
    bytes_received: int = 0


_decode = msgspec.json.Decoder(_RequestLine).decode


@dataclass(slots=True)
class HostGaps:
    """The spacing of the requests to one host."""

    host: str
    requests: int = 0
    cut_off: int = 0  # of these, requests whose end is unknown: they end where they began
    seconds: float = 0.0
    shortest_gap: float | None = None  # between the end of an answer and the next request
    longest_series: int = 0  # without a pause of at least the given length
    _series: int = 0
    _last: tuple[float, float] = (0.0, 0.0)

    @property
    def mean_seconds(self) -> float:
        ended = self.requests - self.cut_off
        return self.seconds / ended if ended else 0.0

    def add(self, span: tuple[float, float], pause: float) -> None:
        """Count the request that ended next."""
        if self.requests:
            earlier, later = sorted((self._last, span))
            gap = later[0] - earlier[1]
            self.shortest_gap = gap if self.shortest_gap is None else min(gap, self.shortest_gap)
            self._series = 0 if gap >= pause else self._series
        self.requests += 1
        self.seconds += span[1] - span[0]
        self._series += 1
        self.longest_series = max(self.longest_series, self._series)
        self._last = span


@dataclass(slots=True)
class RequestGaps:
    """All requests of a crawl."""

    count: int = 0
    cut_off: int = 0
    bytes_received: int = 0
    bad_lines: int = 0
    hosts: int = 0
    has_more_hosts: bool = False  # more than were told apart
    most_asked: list[HostGaps] = field(default_factory=list)


def read_gaps(directory: Path, *, pause: float, hosts_max: int) -> RequestGaps:
    """Return what the logs say about all requests, and the spacing of those to the busiest hosts."""
    found = RequestGaps()
    tally = BoundedTally(names_max=NAMES_MAX)
    begins: list[tuple[float, Path]] = []
    for log in REQUEST_LOG.files(directory):
        first_at = None
        for _, ended_at, host, size in _spans(log, found):
            first_at = ended_at if first_at is None else first_at
            tally.add(host)
            found.count += 1
            found.bytes_received += max(size, 0)
            found.cut_off += size == CUT_OFF
        if first_at is not None:
            begins.append((first_at, log))
    found.hosts, found.has_more_hosts = len(tally), tally.error_max > 0
    hosts = {row.name: HostGaps(row.name) for row in tally.top(hosts_max)}
    logs = [(first_at, _wanted(log, hosts)) for first_at, log in begins]
    for ended_at, started_at, host, is_cut_off in in_order_of_time(logs, itemgetter(0)):
        hosts[host].add((started_at, ended_at), pause)
        hosts[host].cut_off += is_cut_off
    found.most_asked = list(hosts.values())
    return found


def _spans(log: Path, found: RequestGaps) -> Iterator[tuple[float, float, str, int]]:
    """Yield start, end, host and bytes of the requests in a log; those cut off come last, with -1 bytes."""
    for line in whole_lines(log):
        if line.startswith(KIND):
            continue
        try:
            entry = _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            found.bad_lines += 1
            continue
        yield entry.started_at, entry.ended_at, entry.host, entry.bytes_received
    for begun in cut_off(log):
        yield begun.started_at, begun.started_at, begun.host, CUT_OFF


def _wanted(log: Path, hosts: Collection[str]) -> Iterator[tuple[float, float, str, bool]]:
    """Yield the requests to these hosts: end, start, host, and whether it was cut off."""
    for started_at, ended_at, host, size in _spans(log, RequestGaps()):
        if host in hosts:
            yield ended_at, started_at, host, size == CUT_OFF
