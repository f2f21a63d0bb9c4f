"""How soon may a host be asked again?"""

from tiptoe.frontier.gate import Gate
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.politeness import Politeness, host_delay

__all__ = ["Pace"]


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
