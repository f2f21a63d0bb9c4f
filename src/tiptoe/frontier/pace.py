"""How soon may the next request go to a host, and how many revisits does that leave room for?"""

from tiptoe.frontier.gate import Gate
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.politeness import Politeness, host_delay, rest_seconds
from tiptoe.frontier.shares import Shares
from tiptoe.frontier.workbench import Workbench

__all__ = ["Pace", "RevisitRoom"]


class Pace:
    """The pauses a host gets: by the settings, its own wishes and the operator's orders."""

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
        """Return when the pause after its last answer ends, by the delay that applies now."""
        return record.left_at + self.delay_of(record) if record.left_at else 0.0


class RevisitRoom:
    """Estimates the room for revisits from delays, rests, other hosts at the address, and their share."""

    def __init__(self, rules: Politeness, pace: Pace, bench: Workbench, shares: Shares) -> None:
        self._rules = rules
        self._pace = pace
        self._bench = bench
        self._shares = shares

    def rate_of(self, record: HostRecord) -> float:
        """Return roughly how many revisits a second there is room for."""
        rules = self._rules
        delay = self._pace.delay_of(record)
        turns = 1 + self._bench.backlog(record.gate) // rules.max_hosts
        visit_seconds = rules.max_reqs * (delay + record.response_seconds) + rest_seconds(rules, delay)
        rate = rules.max_reqs / (turns * visit_seconds)
        return rate * self._shares.share if record.queued_new else rate
