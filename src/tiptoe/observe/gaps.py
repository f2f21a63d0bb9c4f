"""How often was each host asked?

Read from the request logs alone, one pass, memory by the number of hosts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tiptoe.observe.cutoff import cut_off
from tiptoe.observe.lines import request_files
from tiptoe.write.requestlog import read_requests

__all__ = ["HostGaps", "host_gaps"]


@dataclass(slots=True)
class HostGaps:
    """The requests to one host, as far as their spacing goes."""

    host: str
    spans: list[tuple[float, float]] = field(default_factory=list)  # start and end
    cut_off: int = 0  # of these: when they ended is not known, so they end where they began
    bytes_received: int = 0

    @property
    def requests(self) -> int:
        return len(self.spans)

    @property
    def shortest_gap(self) -> float | None:
        """Seconds between the end of an answer and the next request, at the least."""
        pairs = zip(self.spans, self.spans[1:], strict=False)
        return min((later[0] - earlier[1] for earlier, later in pairs), default=None)

    @property
    def mean_seconds(self) -> float:
        ended = len(self.spans) - self.cut_off
        return sum(end - start for start, end in self.spans) / ended if ended else 0.0

    def longest_series(self, pause: float) -> int:
        """Most requests without a pause of this length between two of them."""
        longest = series = 1
        for earlier, later in zip(self.spans, self.spans[1:], strict=False):
            series = 1 if later[0] - earlier[1] >= pause else series + 1
            longest = max(longest, series)
        return longest


def host_gaps(directory: Path) -> Iterator[HostGaps]:
    """Yield the spacing of the requests to every host of a crawl."""
    hosts: dict[str, HostGaps] = {}
    for log in request_files(directory):
        for entry in read_requests(log):
            gaps = hosts.setdefault(entry.host, HostGaps(entry.host))
            gaps.spans.append((entry.started_at, entry.ended_at))
            gaps.bytes_received += entry.bytes_received
        for begun in cut_off(log):
            gaps = hosts.setdefault(begun.host, HostGaps(begun.host))
            gaps.spans.append((begun.started_at, begun.started_at))
            gaps.cut_off += 1
    for gaps in hosts.values():
        gaps.spans.sort()
        yield gaps
