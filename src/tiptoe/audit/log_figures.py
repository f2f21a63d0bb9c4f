"""How many requests were made, when, and with which pauses?

Counts that stay small however long the log is: moments in buckets whose width doubles
when there are too many, pauses in classes, and only as many hosts as are shown.
"""

import heapq
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tiptoe.audit.log_lines import LogRequest, LogRobots, Ordered

__all__ = ["AuditFigures", "HostFigures", "Moments", "Pauses", "busiest"]

HOSTS_SHOWN: Final = 200
BUCKETS_MAX: Final = 20_000
RULES_KEPT: Final = 20
ORDERS_KEPT: Final = 100
REQUESTS_KEPT: Final = 500
HOUR: Final = 3600

PAUSE_EDGES: Final = (
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0,
    6 * 3600.0, 24 * 3600.0, 7 * 24 * 3600.0,
)  # fmt: skip
"""Lower edges of the classes of pauses, in seconds; the first class begins at 0."""


class Moments:
    """Number of requests that began in each span of time."""

    def __init__(self, width: float = 0.125) -> None:
        self.width = width
        self._counts: Counter[int] = Counter()

    def add(self, at: float) -> None:
        self._counts[int(at // self.width)] += 1
        if len(self._counts) > BUCKETS_MAX:
            coarser: Counter[int] = Counter()
            for bucket, count in self._counts.items():
                coarser[bucket // 2] += count
            self._counts = coarser
            self.width *= 2

    def spans(self) -> list[tuple[float, int]]:
        """Return the start and count of each span, in order; empty ones are left out."""
        return [(bucket * self.width, count) for bucket, count in sorted(self._counts.items())]


@dataclass(slots=True)
class Pauses:
    """Pauses between an answer and the next request to the same host."""

    classes: list[int] = field(default_factory=lambda: [0] * (len(PAUSE_EDGES) + 1))
    count: int = 0
    shortest: float | None = None
    total: float = 0.0

    def add(self, gap: float) -> None:
        self.classes[bisect_right(PAUSE_EDGES, gap)] += 1
        self.count += 1
        self.total += gap
        if self.shortest is None or gap < self.shortest:
            self.shortest = gap

    def rows(self) -> list[tuple[float, int]]:
        """Return start and count of each class, from the first to the last that is not empty."""
        used = [place for place, count in enumerate(self.classes) if count]
        if not used:
            return []
        edges = (0.0, *PAUSE_EDGES)
        return [(edges[place], self.classes[place]) for place in range(used[0], used[-1] + 1)]


@dataclass(slots=True, order=True)
class HostFigures:
    """One host in a row of the table; the order decides which are shown first."""

    violations: int = 0
    requests: int = 0
    host: str = ""
    bytes_received: int = 0
    shortest: float | None = field(default=None, compare=False)
    series: int = field(default=0, compare=False)
    longest_series: int = field(default=0, compare=False)

    def add(self, asked: LogRequest, gap: float | None, general_pause: float) -> None:
        self.requests += 1
        self.bytes_received += asked.bytes_received
        if gap is not None and (self.shortest is None or gap < self.shortest):
            self.shortest = gap
        self.series = self.series + 1 if gap is not None and gap < general_pause else 1
        self.longest_series = max(self.longest_series, self.series)


@dataclass(slots=True)
class AuditFigures:
    """What a log says besides violations, about all hosts or one."""

    requests: int = 0
    cut_off: int = 0  # made by a harvester that died before the answer
    bytes_received: int = 0
    hosts: int = 0
    first_at: float | None = None
    last_at: float | None = None
    outcomes: Counter[str] = field(default_factory=Counter)
    purposes: Counter[str] = field(default_factory=Counter)
    addresses: Counter[str] = field(default_factory=Counter)  # of one host only
    moments: Moments = field(default_factory=Moments)
    hours: Counter[int] = field(default_factory=Counter)
    pauses: Pauses = field(default_factory=Pauses)
    table: list[HostFigures] = field(default_factory=list)
    latest: deque[LogRequest] = field(default_factory=lambda: deque(maxlen=REQUESTS_KEPT))  # of one host only
    rules_read: list[LogRobots] = field(default_factory=list)  # of one host only, the latest ones
    orders: list[Ordered] = field(default_factory=list)  # of one host only, and holds; the latest ones

    def add(self, asked: LogRequest) -> None:
        """Count one request."""
        self.requests += 1
        self.bytes_received += asked.bytes_received
        self.outcomes[str(asked.status) if asked.status else asked.failure or "cut off"] += 1
        self.purposes[asked.purpose] += 1
        self.cut_off += asked.is_cut_off
        self.moments.add(asked.started_at)
        self.hours[int(asked.started_at // HOUR)] += 1
        if self.first_at is None or asked.started_at < self.first_at:
            self.first_at = asked.started_at
        if self.last_at is None or asked.ended_at > self.last_at:
            self.last_at = asked.ended_at

    def note_robots(self, rules_read: LogRobots) -> None:
        """Keep what a robots.txt said; of repetitions, only the newest is kept."""
        same = [
            one
            for one in self.rules_read
            if one.origin == rules_read.origin and one.rules == rules_read.rules
        ]
        for one in same:
            if one.state == rules_read.state and one.crawl_delay == rules_read.crawl_delay:
                self.rules_read.remove(one)
        self.rules_read.append(rules_read)
        del self.rules_read[:-RULES_KEPT]

    def note_order(self, ordered: Ordered) -> None:
        """Keep an order of the operator."""
        self.orders.append(ordered)
        del self.orders[:-ORDERS_KEPT]

    def enter_hosts(self, hosts: Iterable[HostFigures], violations: Counter[str]) -> None:
        """Add the hosts of one part; only those that will be shown are kept."""
        for host in hosts:
            self.hosts += 1
            host.violations = violations[host.host]
            if len(self.table) < HOSTS_SHOWN:
                heapq.heappush(self.table, host)
            else:
                heapq.heappushpop(self.table, host)


def busiest(hours: Counter[int]) -> tuple[float, int] | None:
    """Return the start of the hour with the most requests, and their number."""
    if not hours:
        return None
    hour, count = max(hours.items(), key=lambda pair: (pair[1], -pair[0]))
    return float(hour * HOUR), count
