"""Do single names fail to resolve, or does our own name server not answer?

This is judged apart from the line to the web: hosts whose address is known may answer
while nothing can be looked up. When many names fail in a row, at least half of them for
the first time, and none is answered in between, our name server is to blame. Such
failures are not held against the hosts, and only a few names are tried now and then.

Rules: "no such name" is an answer too. In a small crawl nothing is concluded: each of
its few names may have a name server of its own that is down.
"""

from collections.abc import Callable
from typing import Final

from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.patience import Trouble
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.outage_detector import SILENT_MIN, OutageDetector
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.messages import Lookup

__all__ = ["DnsOutage"]

SILENCE: Final = Trouble.DNS_FAILED.value
ANSWERS: Final = frozenset({"", Trouble.NO_SUCH_HOST.value, Trouble.PRIVATE_ADDRESS.value})
DOWN_MAX: Final = 24 * 60.0
"""Maximum time, in units of `backoff_first`, to blame our name server; after that, the names are blamed."""

TRIAL_NAMES: Final = 10
CHOICE_MAX: Final = 200
"""Maximum number of waiting names that are considered when those to try are chosen."""


class DnsOutage:
    """Whether names can be looked up, and which ones to try while they cannot."""

    def __init__(
        self, find_host: Callable[[str], HostRecord | None], log: EventLog, *, backoff_first: float
    ) -> None:
        self._line = OutageDetector(backoff_first, silent_least=SILENT_MIN, longest=DOWN_MAX)
        self._find_host = find_host
        self._log = log
        self._tried = 0

    @property
    def are_down(self) -> bool:
        return self._line.is_cut_off

    @property
    def try_at(self) -> float:
        """When look-ups are next tried, while they are down."""
        return self._line.try_at

    def sift(self, lookups: list[Lookup], now: float) -> tuple[list[Lookup], list[str]]:
        """Return the look-ups to be settled, and the names to be looked up again."""
        were_down = self.are_down
        for lookup in lookups:
            if lookup.failure == SILENCE:
                record = self._find_host(lookup.host)
                is_fresh = record is not None and not record.troubles
                self._line.fell_silent(lookup.host, was_well=is_fresh, now=now)
        # Answers are counted last: a failure takes a long wait, so an answer reported with it is newer.
        for lookup in lookups:
            if lookup.failure in ANSWERS and not _is_literal(lookup.host):
                self._line.answered(lookup.host, now)
        self._tell(were_down)
        if not self.are_down:
            return lookups, []
        again = [lookup.host for lookup in lookups if lookup.failure == SILENCE]
        return [lookup for lookup in lookups if lookup.failure != SILENCE], again

    def is_proven(self, now: float) -> bool:
        """Whether our name server has answered lately."""
        return self._line.is_proven(now)

    def room(self, now: float) -> int | None:
        """Return how many names may be tried; None if any number may."""
        were_down = self.are_down
        room = self._line.room(now)
        self._tell(were_down)
        return TRIAL_NAMES if room else room

    def tried(self, now: float) -> None:
        """Note that names were handed out as a trial."""
        self._line.tried(now)

    def take(self, frontier: CrawlFrontier, wanted: int) -> list[str]:
        """Take a few of the names that wait."""
        waiting = frontier.new_hosts(CHOICE_MAX)
        chosen = self.choose(waiting, wanted)
        frontier.forget_resolving([host for host in waiting if host not in chosen])
        return chosen

    def choose(self, waiting: list[str], wanted: int) -> list[str]:
        """Return names worth trying: preferably ones that had an address before, and others at each trial."""
        records = {host: self._find_host(host) for host in waiting}
        known = [host for host, record in records.items() if record is not None and record.resolved_at]
        names = known or waiting
        first = self._tried % len(names) if names else 0
        self._tried += wanted
        return [*names[first:], *names[:first]][:wanted]

    def overrule(self) -> None:
        """Believe the operator that names can be looked up."""
        were_down = self.are_down
        self._line.overrule()
        self._tell(were_down)

    def _tell(self, were_down: bool) -> None:
        if self.are_down and not were_down:
            self._log.note("names.down", seen=repr(self._line))
        elif were_down and not self.are_down:
            self._log.note("names.up")


def _is_literal(host: str) -> bool:
    """Whether a host is an IP address (or empty), so that nothing has to be looked up."""
    return not host or host.startswith("[") or host.rpartition(".")[2].isdigit()
