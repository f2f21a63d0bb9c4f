"""Which failures are not held against hosts?

Those that happen while we are cut off: they are our own. Such a request counts as not
made and waits in its queue. Meanwhile nothing is handed out, except now and then a few
visits to find out whether the line is back, or a few names if no host with a known
address is left: once one has an address again, it is visited.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.patience import Trouble
from tiptoe.keeper.dns_outage import DnsOutage
from tiptoe.keeper.outage_detector import OutageDetector
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.messages import Lookup
from tiptoe.protocol.work import Report, Result, RobotsState
from tiptoe.url.address import host_of

__all__ = ["OutageGuard"]

SILENCES: Final = frozenset(
    trouble.value
    for trouble in (
        Trouble.NO_SUCH_HOST, Trouble.DNS_FAILED, Trouble.REFUSED, Trouble.UNREACHABLE, Trouble.TIMED_OUT,
        Trouble.RESET,
    )
)  # fmt: skip
"""Failures that a broken line can cause; others prove that a server was there, or prove nothing."""

TOLD: Final = frozenset({Trouble.NO_SUCH_HOST, Trouble.REFUSED, Trouble.TLS_FAILED})
"""Troubles that are answers in themselves, from a name server or from a machine."""


class OutageGuard:
    """Feeds the outage detector, and keeps hosts from being blamed for an outage."""

    def __init__(
        self, find_host: Callable[[str], HostRecord | None], log: EventLog, *, backoff_first: float
    ) -> None:
        self.outage_detector = OutageDetector(backoff_first)
        self.names = DnsOutage(find_host, log, backoff_first=backoff_first)
        self._find_host = find_host
        self._log = log

    def sift(self, reports: list[Report], now: float) -> list[Report]:
        """Return the reports to be settled."""
        was_cut_off = self.outage_detector.is_cut_off
        # Of reports that arrive together the answers count first: if the line failed, it did so after them.
        for report in reports:
            self._take_answer(report, now)
        for report in reports:
            self._take_silence(report, now)
        self._tell(was_cut_off)
        return (
            [_without_silences(report) for report in reports] if self.outage_detector.is_cut_off else reports
        )

    def sift_lookups(self, lookups: list[Lookup], now: float) -> tuple[list[Lookup], list[str]]:
        """Return the look-ups to be settled, and the names to be looked up again.

        An address proves nothing: a name server in our own network may know it while the line is down.
        """
        if not self.outage_detector.is_cut_off:
            return self.names.sift(lookups, now)
        again = [lookup.host for lookup in lookups if lookup.failure in SILENCES]
        return [lookup for lookup in lookups if lookup.failure not in SILENCES], again

    def room(self, now: float) -> int | None:
        """Return how many visits or look-ups may be handed out; None if any number may."""
        was_cut_off = self.outage_detector.is_cut_off
        room = self.outage_detector.room(now)
        self._tell(was_cut_off)
        return room

    def confirmed_troubles(self, now: float) -> frozenset[Trouble]:
        """Return the kinds of trouble that are known to be a host's own, not ours.

        Silence is one of them only while others answer.
        """
        if self.outage_detector.is_cut_off or self.names.are_down:
            return frozenset()
        told = TOLD
        if self.names.is_proven(now):
            told |= {Trouble.DNS_FAILED}
        if self.outage_detector.is_proven(now):
            told |= {Trouble.UNREACHABLE, Trouble.TIMED_OUT}
        return told

    def overrule(self) -> None:
        """Believe the operator that the line works."""
        was_cut_off = self.outage_detector.is_cut_off
        self.outage_detector.overrule()
        self.names.overrule()
        self._tell(was_cut_off)

    def _take_answer(self, report: Report, now: float) -> None:
        """Count one answer of a visit: all of them come from one address."""
        for result in report.results:
            if result.status:
                record = self._find_host(host_of(result.request.url))
                if record is not None:
                    self.outage_detector.answered(record.address, now)
                return

    def _take_silence(self, report: Report, now: float) -> None:
        for result in report.results:
            if result.failure in SILENCES:
                record = self._find_host(host_of(result.request.url))
                if record is not None and record.address:
                    was_well = bool(record.pages) and not (record.troubles or record.robots_troubles)
                    self.outage_detector.fell_silent(record.address, was_well=was_well, now=now)

    def _tell(self, was_cut_off: bool) -> None:
        if self.outage_detector.is_cut_off and not was_cut_off:
            self._log.note("line.down", seen=repr(self.outage_detector))
        elif was_cut_off and not self.outage_detector.is_cut_off:
            self._log.note("line.up")


def _without_silences(report: Report) -> Report:
    silent = [result.request for result in report.results if result.failure in SILENCES]
    results = [result for result in report.results if not _is_ours(result)]
    return msgspec.structs.replace(report, results=results, returned=[*report.returned, *silent])


def _is_ours(result: Result) -> bool:
    """Whether a result can be explained by our being cut off."""
    is_silent_robots = result.robots is not None and result.robots.state is RobotsState.UNREACHABLE
    return result.failure in SILENCES or (is_silent_robots and not result.status)
