"""How soon may a host be asked again, and how many revisits does that leave room for?"""

from tiptoe.frontier.gate import Gate
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.politeness import Politeness, host_delay, rest_seconds
from tiptoe.frontier.shares import Shares
from tiptoe.frontier.workbench import Workbench

__all__ = ["Pace", "RevisitRoom"]


class Pace:
    """Says what pauses a host gets, by the rules, its own wishes and the operator's."""

    def __init__(self, rules: Politeness, gate: Gate) -> None:
        self._rules = rules
        self._gate = gate

    def delay_of(self, record: HostRecord) -> float:
        """Return the pause this host gets between an answer and the next request."""
        return host_delay(
            self._rules,
            crawl_delay=record.crawl_delay,
            slowed_to=max(record.slowed_to, self._gate.slowed_to(record.gate)),
            response_seconds=record.response_seconds,
        )

    def earliest(self, record: HostRecord) -> float:
        """Return when the pause after its last answer ends, as long as it has to be by now."""
        return record.left_at + self.delay_of(record) if record.left_at else 0.0


class RevisitRoom:
    """Estimates the room from delays, rests, the crowd at the address, and the share of new pages."""

    def __init__(self, rules: Politeness, pace: Pace, bench: Workbench, shares: Shares) -> None:
        self._rules = rules
        self._pace = pace
        self._bench = bench
        self._shares = shares

    def rate_of(self, record: HostRecord) -> float:
        """Return how many revisits a second there is room for, about."""
        rules = self._rules
        delay = self._pace.delay_of(record)
        turns = 1 + self._bench.backlog(record.gate) // rules.max_hosts
        visit_seconds = rules.max_reqs * (delay + record.response_seconds) + rest_seconds(rules, delay)
        rate = rules.max_reqs / (turns * visit_seconds)
        return rate * self._shares.share if record.queued_new else rate
