"""What does the request log say, line by line?

One JSON line per request, enough by itself to check every rule of politeness
afterwards. Between the requests stand a few lines of other kinds, each
with a `kind`:

    opening   the first line: who asks, and under which terms
    terms     other terms, which hold for every request that begins from now on
    clock     in a crawl on many machines: by how much the clock of the shard is ahead of that of the log
    robots    what a robots.txt said, right after it was read
    order     a word of the operator, at the moment it took effect here

Moments are seconds since 1970 by the log's own clock, see `logclock.py`. Within one log they never go back.
"""

from collections.abc import Sequence

import msgspec

__all__ = [
    "KIND", "ClockEntry", "Opening", "OrderEntry", "OtherEntry", "RequestEntry", "RobotsEntry", "Terms",
    "TermsEntry",
]  # fmt: skip

KIND = b'{"kind":"'
"""How a line begins that is not a request."""


class RequestEntry(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """One request, as the audit needs to know it."""

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
    failure: str | None = None  # why there is none
    bytes_received: int = 0
    crawl_delay: float | None = None  # what robots.txt asks for
    retry_after: float | None = None
    truncated: str | None = None  # what cut the body, as in the archive: length, time, disconnect

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended_at - self.started_at


class Terms(msgspec.Struct, kw_only=True, frozen=True):
    """The settings that requests were made under; delays in seconds."""

    user_agent: str
    agent: str  # the name that robots.txt may speak to
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
    counted: float  # what the machine itself had counted at that moment, in seconds,
    boot: str  # since it was started this time
    harvester: str
    terms: Terms


class TermsEntry(msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="terms"):
    """The operator has changed settings: what holds for requests that begin after this moment."""

    since: float
    terms: Terms


class ClockEntry(
    msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="clock", omit_defaults=True
):
    """By which clock requests of a shard that begin after this moment can be compared with those of others.

    The clock of a shard goes on whichever machine holds it, so it is the same in the logs of all of them.
    """

    since: float
    shard: int
    ahead: float  # seconds to be added to moments of this log
    is_estimate: bool = False  # the machine that counts for the shard is another one; it may be a little more


class RobotsEntry(
    msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="robots", omit_defaults=True
):
    """What the robots.txt of an origin says to us from this moment on."""

    read_at: float
    origin: str
    state: str  # rules, unreachable, moved
    crawl_delay: float = 0.0
    rules: Sequence[tuple[bool, str]] = ()  # allowed?, pattern
    is_cut: bool = False  # there were more rules than the log takes


class OrderEntry(
    msgspec.Struct, kw_only=True, frozen=True, tag_field="kind", tag="order", omit_defaults=True
):
    """A word of the operator, when this harvester began to obey it."""

    heard_at: float
    order: str  # hold: ask nobody; go_on; leave: end what visits want of the host; forget
    host: str = ""


OtherEntry = Opening | TermsEntry | ClockEntry | RobotsEntry | OrderEntry
"""What may stand in a line that is not a request."""
