"""How long must a host, and an address, be left alone?

Arithmetic only: no clock, no I/O. Delays count from the end of the last answer.

Rule: a server's wish may lengthen our delay, never shorten it.
"""

from dataclasses import dataclass, fields

__all__ = [
    "UNBROKEN_SECONDS",
    "Politeness",
    "backoff_seconds",
    "host_delay",
    "leaves_no_page",
    "rest_seconds",
]

UNBROKEN_SECONDS = 60.0
"""Maximum pause that is waited for within a visit, which uses the rules that were fresh when it began."""


@dataclass(slots=True, kw_only=True)
class Politeness:
    """The operator's rules (POL-1..4, POL-8), in seconds.

    All parts of a frontier share one object, which is updated when the operator changes the settings.
    """

    req_delay: float = 5.0
    max_hosts: int = 2
    max_reqs: int = 50
    general_pause: float = 300.0
    slow_factor: float = 2.0
    delay_max: float = 60.0
    retry_after_max: float = 86400.0
    robots_expiry: float = 86400.0
    backoff_first: float = 60.0
    backoff_max: float = 86400.0
    backoff_forgive: float = 1800.0

    def become(self, other: "Politeness") -> None:
        """Take the values of other rules."""
        for field in fields(self):
            setattr(self, field.name, getattr(other, field.name))


def host_delay(rules: Politeness, *, crawl_delay: float, slowed_to: float, response_seconds: float) -> float:
    """Return the pause between an answer and the next request to the same host."""
    # A host that answers slowly is under load. The cap keeps one bad minute from delaying it for long.
    by_pace = min(rules.slow_factor * response_seconds, rules.delay_max)
    # Without a cap, one absurd Crawl-delay would block the host for good.
    return max(rules.req_delay, min(crawl_delay, rules.retry_after_max), slowed_to, by_pace)


def leaves_no_page(rules: Politeness, crawl_delay: float, *, rules_requests: int) -> bool:
    """Whether with this delay a robots.txt always expires before a first page may be requested.

    `rules_requests` is the number of requests before that page, including the one for robots.txt.
    """
    delay = min(crawl_delay, rules.retry_after_max)
    return delay > max(UNBROKEN_SECONDS, rules.req_delay) and rules_requests * delay >= rules.robots_expiry


def rest_seconds(rules: Politeness, longest_delay: float) -> float:
    """Return how long an address rests after a visit, whatever the visit's length."""
    # A host may be the last one of a visit and the first one of the next.
    return max(rules.general_pause, longest_delay)


def backoff_seconds(rules: Politeness, first: float, level: int, *, salt: int) -> float:
    """Return the wait after the (level+1)-th trouble in a row: doubling, capped, jittered by a tenth.

    Without jitter, hosts that failed together would come back together.
    """
    wait = min(first * 2.0 ** min(level, 30), rules.backoff_max)
    return wait * (1.0 + (salt % 1000) / 10000.0)
