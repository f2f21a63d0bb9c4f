"""How does a crawl stand at a moment?

One value for all who ask: the socket, `tiptoe status` and its JSON, the live display, and the file that each
run leaves in `log/figures-<run>.json`. Fields go by name; new ones have a default.
"""

import enum

import msgspec

__all__ = ["Cause", "Status", "WaitReason", "Waiting"]


class Cause(enum.Enum):
    """What is waited for; in the order in which it is told."""

    OPERATOR = "operator"  # paused
    DISK = "disk"  # paused until there is room
    SCHEDULE = "schedule"  # paused until the hours of the crawl begin again
    LINE = "line"  # paused: we seem to be cut off
    SERVERS = "servers"  # paused: those of the cluster do not confirm what this machine holds
    RESTART = "restart"  # everybody rests once, since nobody knows when they were asked last
    NAMES = "names"  # our name server does not answer
    HARVESTERS = "harvesters"  # nobody is there to make a visit, or none has room for another one
    EXCHANGE = "exchange"  # what was met since robots exchanged their lists waits for the next time
    LIMIT = "limit"  # as many pages or bytes as the operator wants
    LOOKUP = "lookup"  # names being looked up
    REST = "rest"  # an address rests after a visit, or other hosts of it come first
    PEACE = "peace"  # a server asked for it: 429, 503, Retry-After
    TROUBLE = "trouble"
    ROBOTS = "robots"  # robots.txt could not be had
    LOOKUP_AGAIN = "lookup_again"  # names that could not be looked up
    DEFERRED = "deferred"  # single requests that are to be repeated
    BLOCKED = "blocked"  # by the operator
    REVISIT = "revisit"  # pages that are not due yet
    IDLE = "idle"  # nothing is left to ask for; the crawl stays for what may come
    END_COMMAND = "end_command"  # the operator's command for the end of a crawl, or of a round, is at work


class WaitReason(msgspec.Struct, frozen=True, kw_only=True):
    """One cause, and for how many hosts, names or requests it holds."""

    cause: Cause
    count: int = 0  # 0 = it is not about a number of things
    next_at: float | None = None  # when the first of them is over; None = nobody can say
    host: str = ""  # whose moment that is
    trouble: str = ""  # value of `patience.Trouble`; of servers: what was heard of them


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is waited for at a moment."""

    reasons: list[WaitReason] = []
    next_at: float | None = None  # when something can be asked for again; in the past: now
    more_hosts: int = 0  # that wait behind those counted, on disk


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a crawl, over all its runs so far, and of the run that counts them."""

    # of the crawl
    pages: int = 0
    requests: int = 0
    bytes: int = 0
    documents: int = 0  # pages whose text stands in the corpus
    text_chars: int = 0
    usable_chars: int = 0  # of judged pages
    urls: int = 0
    queued: int = 0
    leased: int = 0
    due: int = 0
    hosts: int = 0
    parked_hosts: int = 0
    new_hosts: int = 0
    unproductive_hosts: int = 0
    unproductive: int = 0  # addresses that wait there
    visits: int = 0
    watched: int = 0  # pages that are to be visited again
    revisits: int = 0
    revisits_changed: int = 0
    revisits_unchanged: int = 0
    revisits_gone: int = 0
    revisits_queued: int = 0
    watched_seconds: float = 0.0  # between two visits of a page
    fresh_seconds: float = 0.0
    aged_seconds: float = 0.0
    rounds: int = 0  # how often everything was visited again, or begun anew, as `crawl.on_end` wants it
    # of the run
    open_visits: int = 0
    harvesters: int = 0
    lost_harvesters: int = 0
    refused_peers: int = 0
    holds: list[str] = []  # reasons for which nothing is asked
    troubles: list[str] = []  # what keeps harvesters from working
    waiting: Waiting = Waiting()
    # of the crawl
    gone_hosts: dict[str, int] = {}  # by the reason for which they were given up
    unjudged: int = 0  # texts that the segmenter did not judge in time
    segmenter: str = ""  # why it does not answer; empty when it does
    outcomes: dict[str, int] = {}
    discards: dict[str, int] = {}
    # of the run
    activities: dict[str, float] = {}  # seconds spent, by activity
    repaired: list[str] = []
    login_faults: dict[str, str] = {}  # hosts that did not let us in, and why
    now: float = 0.0  # when these figures were taken, by the keeper's clock
    seconds: float = 0.0  # since the run began
    memory_bytes: int = 0  # of the keeper
    cpu_seconds: float = 0.0
    stopped_because: str = ""  # value of `observe.stops.Stop`; empty while it runs, and after a crash
    started_at: float = 0.0
    encoding: str = "utf-8"  # of the corpus
