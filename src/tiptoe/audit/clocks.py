"""By which clock are requests of several machines compared?

The clocks of machines differ by minutes. But each shard of a crawl has a clock that continues whichever
machine holds it, and logs record how far that clock is ahead (`ClockEntry`). Every rule about an address, and
about a host while it stays at that address, is applied in one shard, whose clock measures pauses exactly.

    one machine, no shards    by the machine's own count; across restarts by the wall clock
    one shard                 by the clock of the shard
    two shards                by the machine's own count; for two machines, by how their counts relate

How the counts of two machines relate shows where a shard moved from one to the other. The new holder of a
shard continues its clock from that moment or a little earlier, never later. So each direction gives a bound,
and the closest bounds are used. If no shard moved between two machines, only wall clocks can be compared.

Rule: what the clocks leave in doubt is not judged, but counted as unjudged.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tiptoe.audit.log_lines import Log, LogRequest

__all__ = ["ROUNDING_SECONDS", "Gap", "align", "gap_between"]

ROUNDING_SECONDS: Final = 1e-6

ESTIMATE_SECONDS: Final = 1.0
"""Uncertainty about a log whose harvester was on another machine than the keeper of its shard: messages take
time, including the one that a request had ended, from which the pause was counted."""

LINKED_SECONDS: Final = 5.0
"""Uncertainty about the counts of two machines between which a shard moved."""

WALLS_SECONDS: Final = 600.0
"""Uncertainty about the wall clocks of two machines."""


class Gap(NamedTuple):
    """The time between the end of one request and the start of another."""

    seconds: float
    slack: float = 0.0  # it may be longer by this much
    excess: float = 0.0  # or shorter by this much

    def is_at_least(self, wanted: float) -> bool | None:
        """Whether a pause was long enough; None when the clocks leave it in doubt."""
        if self.seconds - self.excess + ROUNDING_SECONDS >= wanted:
            return True
        return False if self.seconds + self.slack + ROUNDING_SECONDS < wanted else None


def gap_between(before: LogRequest, asked: LogRequest, logs: Sequence[Log]) -> Gap:
    """Return the time between two requests, by the best clock available for both."""
    seconds = asked.started_at - before.ended_at
    one, other = logs[before.file], logs[asked.file]
    if one is other or (one.shard is None and other.shard is None):
        return Gap(seconds)
    estimated = Gap(seconds, slack=ESTIMATE_SECONDS if one.is_estimate or other.is_estimate else 0.0)
    if one.shard == other.shard:
        return estimated
    seconds += other.lead_at(asked.started_at) - one.lead_at(before.ended_at)
    if one.boot and one.boot == other.boot:
        return estimated._replace(seconds=seconds)
    doubt = LINKED_SECONDS if one.clocks_group == other.clocks_group else WALLS_SECONDS
    return Gap(seconds, slack=doubt, excess=doubt)


def align(logs: Iterable[Log]) -> None:
    """Put all logs on a common time scale."""
    known = [log for log in logs if log.opening is not None]
    machines = _Machines(known)
    for log in known:
        if log.boot:
            log.machine_shift = machines.offsets[log.boot] - log.offset
            log.clocks_group = machines.groups[log.boot]
        log.shift = log.machine_shift
    # For each shard, the machine that held it last is the reference: the others follow by the shard's clock.
    by_shard: dict[int, Log] = {}
    for log in sorted(known, key=lambda log: log.shard_began_at):
        if log.shard is not None:
            by_shard[log.shard] = log
    for log in known:
        if log.shard is not None:
            last = by_shard[log.shard]
            log.shift = last.machine_shift - last.first_ahead


class _Machines:
    """What to add to the counts of each machine, keyed by its boot, to get moments on a common scale."""

    def __init__(self, logs: Sequence[Log]) -> None:
        self.offsets: dict[str, float] = {}
        self.groups: dict[str, int] = {}
        self._walls: dict[str, float] = {}
        for log in sorted(logs, key=lambda log: -log.opening.counted if log.opening else 0.0):
            if log.boot:  # its last reading of the wall clock counts
                self._walls.setdefault(log.boot, log.offset)
        self._links = _links(logs)
        newest_first = sorted(logs, key=lambda log: -log.first_at)
        for boot in dict.fromkeys(log.boot for log in newest_first if log.boot):
            if boot not in self.offsets:
                self._place(boot)

    def _place(self, boot: str) -> None:
        """Place a machine by its wall clock, and from it all machines that are linked to it."""
        self.offsets[boot] = self._walls[boot]
        self.groups[boot] = len(self.groups)
        waiting = deque([boot])
        while waiting:
            one = waiting.popleft()
            for other, difference in self._links[one].items():
                if other not in self.offsets:
                    self.offsets[other] = self.offsets[one] + difference
                    self.groups[other] = self.groups[boot]
                    waiting.append(other)


def _links(logs: Sequence[Log]) -> defaultdict[str, dict[str, float]]:
    """Return how much more to add to the count of one machine than to that of another, in both directions."""
    lower: dict[tuple[str, str], float] = {}
    by_shard: defaultdict[int, list[Log]] = defaultdict(list)
    for log in logs:
        if log.shard is not None and log.boot and not log.is_estimate:
            by_shard[log.shard].append(log)
    for held in by_shard.values():
        held.sort(key=lambda log: log.shard_began_at)
        for before, after in pairwise(held):
            if before.boot != after.boot:
                way = before.boot, after.boot
                found = after.shard_offset - before.shard_offset
                lower[way] = max(found, lower.get(way, found))
    links: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for (one, other), least in lower.items():
        most = -lower[other, one] if (other, one) in lower else least
        difference = (least + most) / 2
        links[one][other], links[other][one] = difference, -difference
    return links
