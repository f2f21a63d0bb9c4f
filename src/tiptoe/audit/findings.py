"""Which rule was broken by which request, and on which line of the log?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from tiptoe.audit.log_lines import Log, LogRequest, LogRobots

__all__ = ["OTHER_HOST", "RULES", "Findings", "LogPlace", "Violation"]

RULES: Final = {
    "POL-1": "pause between an answer and the next request to a host",
    "POL-2": "hosts of an address in a series",
    "POL-3": "requests to a host in a series",
    "POL-4": "one request at a time to an address, and a rest after each visit",
    "POL-5": "robots.txt: first, obeyed, fresh; Crawl-delay",
    "POL-7": "a User-Agent with a contact",
    "POL-8": "Retry-After, 429, 503 and slow answers",
    "POL-10": "the operator's word",
}
"""All rules that are checked, by their numbers in the requirements."""

KEPT_MAX: Final = 10_000
"""Maximum number of violations listed individually; the rest are only counted."""


OTHER_HOST: Final = "another host"
"""Replaces the name of a host that shares the address of the reported one: its owner was not consulted."""


class LogPlace(msgspec.Struct, frozen=True):
    """A line of the log."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else f"{self.file} (under way)"


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """One rule broken by one request."""

    rule: str
    host: str
    address: str
    url: str  # empty for another host
    at: float  # start of the request that broke it
    since: float | None  # end of the answer it came too soon after
    shortfall: float  # seconds it came too early; 0 for rules not about time
    what: str
    lines: tuple[LogPlace, ...]  # the last one broke it


@dataclass(slots=True)
class Findings:
    """What the judges found, in the order they found it."""

    logs: Sequence[Log]
    about: str = ""  # the one host to report on; empty: all of them
    kept: list[Violation] = field(default_factory=list)
    by_rule: Counter[str] = field(default_factory=Counter)
    by_host: Counter[str] = field(default_factory=Counter)
    unjudged: int = 0  # requests about which the log does not say enough

    @property
    def count(self) -> int:
        return self.by_rule.total()

    def accuse(
        self,
        rule: str,
        what: str,
        asked: LogRequest,
        *before: LogRequest | LogRobots,
        since: float | None = None,
        shortfall: float = 0.0,
    ) -> None:
        """Record that a request broke a rule; `before` are the earlier requests that prove it."""
        self.by_rule[rule] += 1
        if self.by_host[asked.host] or len(self.by_host) < KEPT_MAX:
            self.by_host[asked.host] += 1
        is_shown = self.about in ("", asked.host)
        if len(self.kept) < KEPT_MAX:
            self.kept.append(
                Violation(
                    rule=rule,
                    host=asked.host if is_shown else OTHER_HOST,
                    address=asked.address,
                    url=asked.url if is_shown else "",
                    at=asked.started_at,
                    since=since,
                    shortfall=shortfall,
                    what=what,
                    lines=tuple(self._place(one) for one in (*before, asked)),
                )
            )

    def _place(self, one: LogRequest | LogRobots) -> LogPlace:
        log = self.logs[one.file]
        name = log.name if one.line else log.path.with_suffix(".underway").name
        return LogPlace(name, one.line)
