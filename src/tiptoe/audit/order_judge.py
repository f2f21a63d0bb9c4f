"""Were the operator's orders obeyed?

While the crawl is held, no request may begin. A slowed host shows in the pause that each
line promises, which `host_judge.py` compares. A log does not show whether a host that a
harvester left was blocked or only slowed.
"""

import re
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Final

from tiptoe.audit.clocks import ROUNDING_SECONDS
from tiptoe.audit.findings import Findings
from tiptoe.audit.log_lines import Log, LogRequest, Ordered

__all__ = ["OrderJudge"]

CONTACT: Final = re.compile(r"https?://\S|\S@\S")
HOLDS_REMEMBERED: Final = 8
"""Maximum number of holds remembered per log; a request that began before all of these ended long ago."""

NEVER: Final = float("inf")


class OrderJudge:
    """Judges requests by the harvester that made them: was it held, does its User-Agent name a contact?"""

    def __init__(self, findings: Findings, logs: Sequence[Log]) -> None:
        self._findings = findings
        self._nameless = {log.index for log in logs if log.terms and not CONTACT.search(log.terms.user_agent)}
        self._holds: defaultdict[int, deque[list[float]]] = defaultdict(
            lambda: deque(maxlen=HOLDS_REMEMBERED)
        )

    def ordered(self, ordered: Ordered) -> None:
        """Take note of an order that took effect in one harvester."""
        holds = self._holds[ordered.file]
        is_held = bool(holds) and holds[-1][1] == NEVER
        if ordered.order == "hold" and not is_held:
            holds.append([ordered.at, NEVER])
        elif ordered.order == "go_on" and is_held:
            holds[-1][1] = ordered.at

    def asked(self, asked: LogRequest) -> None:
        """Judge a request by the orders that its harvester had received."""
        if asked.file in self._nameless:
            self._nameless.discard(asked.file)
            self._findings.accuse("POL-7", "the User-Agent of this log names no contact", asked)
        if asked.file in self._holds:
            for since, until in self._holds[asked.file]:
                if since + ROUNDING_SECONDS < asked.started_at < until - ROUNDING_SECONDS:
                    what = f"asked {asked.started_at - since:.3f} s after the operator had everything paused"
                    self._findings.accuse("POL-10", what, asked, since=since)
