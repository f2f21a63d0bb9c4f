"""What is the state of a crawl at a given time?

One struct for all uses: the socket, `tiptoe status` and its JSON, the live display, and the file that each
run leaves in `log/figures-<run>.json`. Fields are identified by name; new ones have a default.
"""

import enum

import msgspec

__all__ = ["Cause", "Status", "WaitReason", "Waiting"]


class Cause(enum.Enum):
    """What the crawl waits for, in the order in which causes are shown."""

    OPERATOR = "operator"  # paused
    DISK = "disk"  # paused until there is room
    SCHEDULE = "schedule"  # paused until the hours of the crawl begin again
    LINE = "line"  # paused: our connection seems to be down
    SERVERS = "servers"  # paused: the cluster's servers do not confirm the shards that this machine holds
    RESTART = "restart"  # every host rests once, because it is unknown when it was last visited
    NAMES = "names"  # our name server does not answer
    HARVESTERS = "harvesters"  # there is no harvester to make a visit, or none has room for another one
    EXCHANGE = "exchange"  # URLs found since robots last exchanged their lists wait for the next exchange
    LIMIT = "limit"  # a limit of pages or bytes has been reached
    LOOKUP = "lookup"  # names being looked up
    REST = "rest"  # an address rests after a visit, or its other hosts come first
    PEACE = "peace"  # a server wants to be left alone: 429, 503, Retry-After
    TROUBLE = "trouble"
    ROBOTS = "robots"  # robots.txt could not be fetched
    LOOKUP_AGAIN = "lookup_again"  # names that could not be looked up
    DEFERRED = "deferred"  # single requests that are to be repeated
    BLOCKED = "blocked"  # by the operator
    REVISIT = "revisit"  # pages that are not due yet
    IDLE = "idle"  # nothing is left to request; the crawl keeps running in case something is added
    END_COMMAND = "end_command"  # the operator's command for the end of a crawl, or of a round, is running


class WaitReason(msgspec.Struct, frozen=True, kw_only=True):
    """One cause, and how many hosts, names or requests wait for it."""

    cause: Cause
    count: int = 0  # 0 = the cause is not countable
    next_at: float | None = None  # when the first of them stops waiting; None = unknown
    host: str = ""  # the first host
    trouble: str = ""  # value of `patience.Trouble`; for SERVERS: the last message about them


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a crawl waits for at a given time."""

    reasons: list[WaitReason] = []
    next_at: float | None = None  # when something can be requested again; in the past: now
    more_hosts: int = 0  # hosts on disk, which wait behind those counted


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a crawl over all its runs so far, and of its current run."""

    # of the crawl
    pages: int = 0
    requests: int = 0
    bytes: int = 0
    documents: int = 0  # pages whose text is in the corpus
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
    unproductive: int = 0  # requests in the queues of unproductive hosts
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
    rounds: int = 0  # how often everything was visited again, or the crawl started over (`crawl.on_end`)
    # of the run
    open_visits: int = 0
    harvesters: int = 0
    lost_harvesters: int = 0
    refused_peers: int = 0
    holds: list[str] = []  # reasons for which no requests are made
    troubles: list[str] = []  # what keeps harvesters from working
    waiting: Waiting = Waiting()
    # of the crawl
    gone_hosts: dict[str, int] = {}  # by the reason for which they were given up
    unjudged: int = 0  # texts that the segmenter did not judge in time
    segmenter: str = ""  # why it does not answer; empty if it does
    outcomes: dict[str, int] = {}
    discards: dict[str, int] = {}
    # of the run
    activities: dict[str, float] = {}  # seconds spent, by activity
    repaired: list[str] = []
    login_faults: dict[str, str] = {}  # hosts that rejected our login, and why
    now: float = 0.0  # when these figures were taken, by the keeper's clock
    seconds: float = 0.0  # since the run began
    memory_bytes: int = 0  # of the keeper
    cpu_seconds: float = 0.0
    stopped_because: str = ""  # value of `observe.stops.Stop`; empty while it runs, and after a crash
    started_at: float = 0.0
    encoding: str = "utf-8"  # of the corpus
