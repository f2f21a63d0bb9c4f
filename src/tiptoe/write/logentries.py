"""What does the request log say, line by line?

One JSON line per request: the log alone is enough to check every rule of
politeness afterwards. Between the requests there are a few lines of other
kinds, each with a `kind`:

    opening   the first line: who makes the requests, and under which terms
    terms     new terms, which apply to every request that begins from now on
    clock     in a crawl on many machines: how far the clock of the shard is ahead of that of the log
    robots    what a robots.txt said, right after it was read
    order     an order of the operator, at the moment it took effect here

Moments are seconds since 1970 by the log's own clock, see `logclock.py`. Within one log they never go back.
"""

from collections.abc import Sequence

import msgspec

__all__ = [
    "KIND", "ClockEntry", "Opening", "OrderEntry", "OtherEntry", "RequestEntry", "RobotsEntry", "Terms",
    "TermsEntry",
]  # fmt: skip

KIND = b'{"kind":"'
"""Start of a line that is not a request."""


class RequestEntry(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """One request, with what the audit needs to know about it."""

    started_at: float
    ended_at: float
    host: str
    address: str
    url: str
    purpose: str  # page, robots, sitemap, tdmrep, feed, login
    robots: str  # allowed, robots.txt, exempt...
    delay: float  # seconds required since the last answer of the host
    visit: str
    harvester: str
    status: int | None = None  # of the answer, or
    failure: str | None = None  # why there is no answer
    bytes_received: int = 0
    crawl_delay: float | None = None  # what robots.txt requests
    retry_after: float | None = None
    truncated: str | None = None  # why the body was cut off, as in the archive: length, time, disconnect

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended_at - self.started_at


class Terms(msgspec.Struct, kw_only=True, frozen=True):
    """The settings that requests were made under; delays in seconds."""

    user_agent: str
    agent: str  # the name by which robots.txt may address us
    req_delay: float
    max_hosts: int
    max_reqs: int
    general_pause: float
    slow_factor: float
    delay_max: float
    retry_after_max: float
    backoff_first: float
    robots_expiry: float
    cdn_ranges: tuple[str, ...] = ()


class Opening(msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="opening"):
    """The first line of a log."""

    opened_at: float
    counted: float  # seconds that the machine itself had counted at that moment
    boot: str  # since this boot
    harvester: str
    terms: Terms


class TermsEntry(msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="terms"):
    """The terms for requests that begin after this moment, since the operator changed settings."""

    since: float
    terms: Terms


class ClockEntry(
    msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="clock", omit_defaults=True
):
    """The clock of a shard, by which its requests from now on can be compared with those in other logs.

    A shard keeps its clock whichever machine holds it, so it is the same in the logs of all of them.
    """

    since: float
    shard: int
    ahead: float  # seconds to be added to moments of this log
    is_estimate: bool = False  # another machine keeps the clock; the true value may be a little larger


class RobotsEntry(
    msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="robots", omit_defaults=True
):
    """The robots.txt of an origin, as it applies to us from this moment on."""

    read_at: float
    origin: str
    state: str  # rules, unreachable, moved
    crawl_delay: float = 0.0
    rules: Sequence[tuple[bool, str]] = ()  # allowed?, pattern
    is_cut: bool = False  # there were more rules than the log takes


class OrderEntry(
    msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="order", omit_defaults=True
):
    """An order of the operator, when this harvester began to obey it."""

    heard_at: float
    order: str  # hold: make no requests; go_on; leave: end visits of the host; forget
    host: str = ""


OtherEntry = Opening | TermsEntry | ClockEntry | RobotsEntry | OrderEntry
"""What a line that is not a request may contain."""
