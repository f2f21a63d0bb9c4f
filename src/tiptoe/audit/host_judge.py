"""Were requests made to each host as its owner and the operator wanted?

POL-1, 5, 8 and 10, for each host separately. Pure: given the events in order of
time, it reports violations. A pause counts from the end of an answer to
the start of the next request to the same host, as recorded in the log.

Rules:
    - Moments are rounded to a quarter of a microsecond; only this, and a little
    for sums of them, is tolerated (`ROUNDING_SECONDS`).
    - Where settings changed between two requests, the more lenient ones apply to
    the pause between them: it may have begun under either.
    - Only within a visit: the pause that the request's own line promises, and
    the longer pause after a slow answer. Between visits the address rests.
    - Rules of robots.txt that were fresh when a visit began hold until it ends.
    - What depends on the uncertainty of two clocks, or on a missing log, is not judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from tiptoe.audit.clocks import ROUNDING_SECONDS, gap_between
from tiptoe.audit.findings import Findings
from tiptoe.audit.log_lines import UNREAD, Log, LogRequest, LogRobots
from tiptoe.fetch.robots import Robots
from tiptoe.url.address import host_of, origin_of
from tiptoe.write.logentries import Terms

__all__ = ["EXPIRY_GRACE_SECONDS", "HostJudge"]

EXPIRY_GRACE_SECONDS: Final = 600.0
"""Tolerance for the age of rules: it counts from when the keeper received them, and a visit begins some time
after it was planned."""

WHOLE_CHARS: Final = 250
"""Maximum length of a URL that is compared; notes of requests in progress may cut longer ones."""

OVERLOADED: Final = frozenset({429, 503})
RULES: Final = "rules"
MOVED: Final = "moved"


@dataclass
class _Leave:
    """What one robots.txt allows, ready to be queried."""

    rules_read: LogRobots

    @cached_property
    def robots(self) -> Robots:
        return Robots(rules=self.rules_read.rules)


@dataclass(slots=True)
class _Host:
    """What is remembered about one host."""

    last: LogRequest | None = None  # the one that ended last
    overloaded: LogRequest | None = None  # its last answer that required a wait
    peace_until: float = float("-inf")  # end of that wait
    robots_asked: LogRequest | None = None  # request for robots.txt whose rules have not been logged yet
    visited_at: float = 0.0  # when its last visit began
    leaves: dict[str, list[_Leave]] = field(default_factory=dict)  # by origin, the newest last, two at most


class HostJudge:
    """Judges requests by the host they went to; memory grows with the number of hosts."""

    def __init__(self, findings: Findings, logs: Sequence[Log], *, is_partial: bool = False) -> None:
        self._findings = findings
        self._logs = logs
        self._misses_logs = is_partial  # some logs could not be read
        self._hosts: dict[str, _Host] = {}

    def note_robots(self, rules_read: LogRobots) -> None:
        """Take note that a robots.txt was read."""
        host = self._of(host_of(rules_read.origin))
        leaves = host.leaves.setdefault(rules_read.origin, [])
        leaves.append(_Leave(rules_read))
        # A request in progress was begun under the previous rules.
        del leaves[:-2]
        # The rules of each answer are logged once, right after it: later ones are from a host they moved to.
        asked, host.robots_asked = host.robots_asked, None
        if asked is not None and rules_read.state == RULES and _is_refused(asked):
            what = "robots.txt could not be fetched, and that was taken as permission"
            self._findings.accuse("POL-5", what, asked, rules_read)

    def asked(self, asked: LogRequest) -> float | None:
        """Judge a request; return the pause before it, None when it was the first one to its host."""
        terms = self._logs[asked.file].terms_at(asked.started_at)
        host = self._of(asked.host)
        before = host.last
        if terms is None:
            host.last = asked
            return None
        if before is None or not asked.is_of_visit(before):
            host.visited_at = asked.started_at
        leave = _leave_at(host, asked)
        gap = None if before is None else self._judge_pause(before, asked, terms, leave)
        self._judge_patience(host, asked, terms)
        if asked.purpose == "robots":
            host.robots_asked = None if asked.is_cut_off else asked
        elif not asked.url.startswith("file:"):
            self._judge_robots(host, asked, terms, leave)
        if before is None or asked.ended_at >= before.ended_at:
            host.last = asked
        return gap

    def _of(self, name: str) -> _Host:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = _Host()
        return host

    # -- pauses ----------------------------------------------------------

    def _judge_pause(
        self, before: LogRequest, asked: LogRequest, terms: Terms, leave: _Leave | None
    ) -> float:
        if asked.started_at < before.started_at:  # they overlapped, and the longer one ended later
            before, asked = asked, before
        between = gap_between(before, asked, self._logs)
        gap = between.seconds
        earlier = self._logs[before.file].terms_at(before.started_at) or terms
        req_delay = min(terms.req_delay, earlier.req_delay)
        crawl_delay = slow = due = seconds = 0.0
        if leave is not None and leave.rules_read.crawl_delay:
            crawl_delay = min(leave.rules_read.crawl_delay, terms.retry_after_max, earlier.retry_after_max)
        if between.is_at_least(max(req_delay, crawl_delay)) is None:
            self._findings.unjudged += 1
            return max(gap, 0.0)
        if gap < -ROUNDING_SECONDS:
            what = f"began {-gap:.6f} s before the answer to another request to the host had ended"
            self._accuse("POL-1", what, before, asked, req_delay - gap)
            return gap
        if asked.is_of_visit(before):
            seconds = before.ended_at - before.started_at - ROUNDING_SECONDS
            slow = min(terms.slow_factor * seconds, terms.delay_max)
            due = asked.delay
        enough = gap + ROUNDING_SECONDS
        if enough >= req_delay and enough >= crawl_delay and enough >= slow and enough >= due:
            return gap
        reasons = [
            ("POL-1", req_delay, "req_delay"),
            ("POL-5", crawl_delay, "Crawl-delay"),
            ("POL-8", slow, f"the answer before took {seconds:.3f} s"),
        ]
        broken = [reason for reason in reasons if enough < reason[1]]
        for rule, wanted, why in broken or [("POL-10", due, "due for this request by its own line")]:
            what = f"pause of {gap:.6f} s instead of {wanted:g} s ({why})"
            self._accuse(rule, what, before, asked, wanted - gap)
        return gap

    def _accuse(self, rule: str, what: str, before: LogRequest, asked: LogRequest, shortfall: float) -> None:
        self._findings.accuse(rule, what, asked, before, since=before.ended_at, shortfall=shortfall)

    def _judge_patience(self, host: _Host, asked: LogRequest, terms: Terms) -> None:
        if host.overloaded is not None:
            self._judge_wait(host.overloaded, host.peace_until, asked)
        if asked.status in OVERLOADED:
            # If the server requests no wait, our own first wait applies.
            wait = max(min(asked.retry_after or 0.0, terms.retry_after_max), terms.backoff_first)
            until = asked.ended_at + wait
            if until > host.peace_until:
                host.overloaded, host.peace_until = asked, until

    def _judge_wait(self, overloaded: LogRequest, peace_until: float, asked: LogRequest) -> None:
        wait = peace_until - overloaded.ended_at
        between = gap_between(overloaded, asked, self._logs)
        has_waited = between.is_at_least(wait)
        if has_waited is None:
            self._findings.unjudged += 1
        elif not has_waited:
            early, wish = wait - between.seconds, overloaded.retry_after
            what = f"asked {early:.3f} s before " + (
                f"Retry-After ({wish:g} s) was over" if wish else "the wait after an overload was over"
            )
            self._accuse("POL-8", what, overloaded, asked, early)

    # -- robots.txt ------------------------------------------------------

    @property
    def _is_partial(self) -> bool:
        """Whether a robots.txt may have been read that no available log mentions."""
        return self._misses_logs or any(log.damaged for log in self._logs)

    def _judge_robots(self, host: _Host, asked: LogRequest, terms: Terms, leave: _Leave | None) -> None:
        accuse = self._findings.accuse
        if leave is None:
            if self._is_partial:  # the unreadable part may say it
                self._findings.unjudged += 1
            else:
                accuse("POL-5", "asked before robots.txt was read", asked)
            return
        rules_read = leave.rules_read
        if rules_read.state == UNREAD or rules_read.is_cut:
            self._findings.unjudged += 1
            return
        if rules_read.state != RULES:
            accuse(
                "POL-5",
                f"requested although robots.txt could not be fetched ({rules_read.state})",
                asked,
                rules_read,
            )
            return
        age = host.visited_at - rules_read.at
        is_stale = age > terms.robots_expiry + EXPIRY_GRACE_SECONDS
        if is_stale and self._is_partial:
            self._findings.unjudged += 1
        elif is_stale:
            what = (
                f"robots.txt was read {age:.0f} s before the visit, and holds for {terms.robots_expiry:g} s"
            )
            accuse("POL-5", what, asked, rules_read, since=rules_read.at)
        is_whole = not asked.is_cut_off or len(asked.url) < WHOLE_CHARS
        if rules_read.rules and is_whole and not leave.robots.allows(asked.url[len(rules_read.origin) :]):
            accuse("POL-5", f"robots.txt forbids {asked.url}", asked, rules_read)


def _leave_at(host: _Host, asked: LogRequest) -> _Leave | None:
    """Return the rules that were known when a request began."""
    moved = None
    for leave in reversed(host.leaves.get(origin_of(asked.url), ())):
        if leave.rules_read.at <= asked.started_at + ROUNDING_SECONDS:
            if leave.rules_read.state != MOVED:
                return leave
            # It says where the rules are, not what they are: those known before still apply.
            moved = moved or leave
    return moved


def _is_refused(asked: LogRequest) -> bool:
    return asked.status is None or asked.status >= 500 or asked.status == 429
