"""By which clock are requests compared that several machines have made?

The clocks of machines differ by minutes. But each shard of a crawl has a clock that goes on whichever machine
holds it, and a log says by how much that one is ahead (`ClockEntry`). Every rule about an address, and about
a host as long as it stays there, is decided in one shard: by its clock a pause can be judged exactly.

    one machine, no shards    by what the machine counted; across restarts by the wall clock
    one shard                 by the clock of the shard
    two shards                by what the machine counted; of two machines, by how their counts go together

How the counts of two machines go together is seen where a shard went from one to the other. Whoever takes a
shard goes on with its clock at that moment or a little earlier, never later. So each way gives a bound, and
the closest bounds are taken. Where no shard went between them there are only their wall clocks.

Rule: what clocks leave in doubt is not judged, and counted as such.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tiptoe.audit.log_lines import Log, LogRequest

__all__ = ["ROUNDING_SECONDS", "Gap", "align", "gap_between"]

ROUNDING_SECONDS: Final = 1e-6

ESTIMATE_SECONDS: Final = 1.0
"""Doubt about a log whose harvester was not on the machine that counted for its shard: messages take time,
and so did the word that a request had ended, from which on the pause was counted."""

LINKED_SECONDS: Final = 5.0
"""Doubt about the counts of two machines between which a shard went."""

WALLS_SECONDS: Final = 600.0
"""Doubt about the wall clocks of two machines."""


class Gap(NamedTuple):
    """The time between the end of one request and the start of another."""

    seconds: float
    slack: float = 0.0  # it may be longer by so much,
    excess: float = 0.0  # or shorter

    def is_at_least(self, wanted: float) -> bool | None:
        """Whether a pause was long enough; None when the clocks leave that in doubt."""
        if self.seconds - self.excess + ROUNDING_SECONDS >= wanted:
            return True
        return False if self.seconds + self.slack + ROUNDING_SECONDS < wanted else None


def gap_between(before: LogRequest, asked: LogRequest, logs: Sequence[Log]) -> Gap:
    """Return how long nothing was asked between two requests, by the best clock there is for them."""
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
    """Put the logs on one scale of time."""
    known = [log for log in logs if log.opening is not None]
    machines = _Machines(known)
    for log in known:
        if log.boot:
            log.machine_shift = machines.offsets[log.boot] - log.offset
            log.clocks_group = machines.groups[log.boot]
        log.shift = log.machine_shift
    # Of a shard, the machine that held it last is believed: the others follow by the shard's clock.
    by_shard: dict[int, Log] = {}
    for log in sorted(known, key=lambda log: log.shard_began_at):
        if log.shard is not None:
            by_shard[log.shard] = log
    for log in known:
        if log.shard is not None:
            last = by_shard[log.shard]
            log.shift = last.machine_shift - last.first_ahead


class _Machines:
    """What to add to the count of each machine, by its start, to have moments of one scale."""

    def __init__(self, logs: Sequence[Log]) -> None:
        self.offsets: dict[str, float] = {}
        self.groups: dict[str, int] = {}
        self._walls: dict[str, float] = {}
        for log in sorted(logs, key=lambda log: -log.opening.counted if log.opening else 0.0):
            if log.boot:  # its last reading of the wall is believed
                self._walls.setdefault(log.boot, log.offset)
        self._links = _links(logs)
        newest_first = sorted(logs, key=lambda log: -log.first_at)
        for boot in dict.fromkeys(log.boot for log in newest_first if log.boot):
            if boot not in self.offsets:
                self._place(boot)

    def _place(self, boot: str) -> None:
        """Place a machine by its wall clock, and by it all that are linked with it."""
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
    """Return how much more is to be added to the count of one machine than to that of another, both ways."""
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
