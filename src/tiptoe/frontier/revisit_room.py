"""How many revisits does the politeness towards a host have room for?"""

from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.pace import Pace
from tiptoe.frontier.politeness import Politeness, rest_seconds
from tiptoe.frontier.shares import Shares
from tiptoe.frontier.workbench import Workbench

__all__ = ["RevisitRoom"]


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
