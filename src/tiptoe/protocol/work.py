"""What do keeper and harvesters say to each other about work?

Plain values; the same structs are stored, sent and returned. Fields are
positional on the wire: new ones go to the end and have a default. None of
them can be part of a cycle, so the garbage collector need not look at them.
"""

import enum

import msgspec

__all__ = [
    "Hint",
    "HostLinks",
    "HostWork",
    "LastVisit",
    "Purpose",
    "Question",
    "Remains",
    "Report",
    "Request",
    "Result",
    "RobotsNote",
    "RobotsState",
    "ShardTime",
    "Visit",
]


class Purpose(enum.Enum):
    """Why a URL is asked for."""

    PAGE = "page"
    SITEMAP = "sitemap"
    FEED = "feed"
    REQUISITE = "requisite"  # what a page needs to be shown: an image, a style sheet
    ROBOTS = "robots"  # rules of an origin, also when they moved to another host
    RULES_REQUEST = "rules_request"  # made by a harvester on the way to a host's rules; only counted
    LOGIN = "login"  # made by a harvester to be let in; only counted
    ADDRESS = "address"  # no request at all: the host's name is to be looked up again


class LastVisit(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What earlier visits of a page brought: what its next answer is compared with."""

    visits: int  # made so far; a result of an earlier one comes late
    visited_at: float = 0.0  # keeper's clock
    version: int = 0  # of the text in the corpus; 0 = it has none
    etag: str = ""
    last_modified: str = ""
    content_hash: bytes = b""
    text_hash: bytes = b""
    payload_digest: str = ""  # of the body that is stored, as it stands in the WARC
    stored_at: float = 0.0  # WARC-Date of that body
    outcome: str = ""  # of the last visit, as in its record; a text that had left the corpus may come back


class Remains(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is left of a page after a loss of files, by which it is asked for once more."""

    version: int = 0  # of its last text that still stands in the corpus; 0 = none does
    text_hash: bytes = b""  # of that text, if it is the one the page had when it was visited last


class Request(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One URL to ask for."""

    url: str
    purpose: Purpose = Purpose.PAGE
    depth: int = 0
    hops: int = 0  # redirects that led here
    tries: int = 0  # failed attempts so far
    via: str = ""  # where the link was found; ADDRESS: the trouble with the name
    usability: float = 1.0  # of the last judged document on the way to it; 1 when there is none
    for_origin: str = ""  # ROBOTS only: whose rules these are
    last_visit: LastVisit | None = None  # None = its first visit
    remains: Remains | None = None  # of a page whose files were lost; else None


class RobotsState(enum.Enum):
    """What is known of an origin's robots.txt."""

    RULES = "rules"  # read; no rules at all when it does not exist
    UNREACHABLE = "unreachable"  # 5xx, 429 or no answer: keep away
    MOVED = "moved"  # redirected to another host


class RobotsNote(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The rules of one origin for our robot."""

    state: RobotsState
    rules: list[tuple[bool, str]] = []
    crawl_delay: float = 0.0
    sitemaps: list[str] = []
    tdm: list[tuple[str, bool]] = []
    location: str = ""
    fetched_at: float = 0.0  # keeper's clock
    retry_after: float = 0.0  # unreachable: how long its server wants us to stay away
    is_partial: bool = False  # what is reserved against text mining is still to be asked for


class HostWork(msgspec.Struct, array_like=True, gc=False):
    """The part of a visit that concerns one host."""

    host: str
    delay: float  # seconds between an answer and the next request
    budget: int  # requests allowed, those for robots.txt included
    requests: list[Request]
    robots: dict[str, RobotsNote] = {}  # by origin; missing = to be fetched first
    texts: bytes = b""  # the last ones of this host, by which one that is repeated is known
    prose: bytes = b""  # what this host has said lately, by which a page that says nothing new is known


class ShardTime(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What time it is in a shard, for the log of its requests."""

    moment: float  # of the shard, when this was said
    offset: float  # from what the machine that said it counts to the moments of the shard
    boot: str = ""  # of which start of which machine; nothing where that is not known


class Visit(msgspec.Struct, array_like=True, gc=False):
    """A series of requests to one address, at most one at a time; politeness is already settled."""

    id: int
    address: str
    hosts: list[HostWork]
    time: ShardTime | None = None  # None: the crawl runs on one machine


class HostLinks(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Links found on one page to one host, with their store keys (16 bytes each) joined."""

    host: str
    urls: list[str]
    keys: bytes


class Hint(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A sitemap or a feed says when a page has changed."""

    url: str
    changed_at: float


class Result(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What came of one request, everything the keeper wants to know of it."""

    request: Request
    status: int = 0
    failure: str = ""  # value of fetch.outcome.Failure
    discard: str = ""  # why the page went no further
    seconds: float = 0.0
    body_bytes: int = 0
    text_chars: int = 0
    title: str = ""
    etag: str = ""
    last_modified: str = ""
    content_hash: bytes = b""
    text_hash: bytes = b""
    usability: float | None = None  # None = unknown: too little text to judge, or nobody was there to do it
    redirect: str = ""
    retry_after: float = 0.0
    links: list[HostLinks] = []
    sub_priority: int = -1  # class of the links found, -1 = by depth
    robots: RobotsNote | None = None
    feeds: list[str] = []
    sitemaps: list[str] = []  # further ones that a sitemap names
    usable_chars: int | None = None  # None = as many as its usability says
    fingerprint: bytes = b""  # of a text that was compared with all others: see Question
    is_changed: bool | None = None  # of a page visited again; None = the first visit, or nobody can say
    payload_digest: str = ""  # of a body that was stored; empty when none was
    stored_at: float = 0.0
    expires_at: float = 0.0  # until when its server calls it fresh; 0 = it does not say
    hints: list[Hint] = []
    has_little_text: bool = False  # too little to be judged, says the segmenter: a menu, a list of titles
    prose: bytes | None = None  # of a new page, hashes of what reads like text; None = nobody looked for any
    source: Purpose | None = None  # asked for as a page, and found to be a sitemap or a feed
    line_check: int = 0  # CRC-32 of the line that was written to the corpus or to a list; 0 when none was
    detail: str = ""  # why a login did not work, in words for the operator
    requisites: list[str] = []  # what the page, or style sheet, needs to be shown

    @property
    def is_unchanged(self) -> bool:
        """Whether the page is known to be as it was."""
        return self.is_changed is False


class Report(msgspec.Struct, array_like=True, gc=False):
    """News of one visit."""

    visit: int
    results: list[Result]
    returned: list[Request] = []  # not asked: the host was left early
    is_done: bool = False  # nothing left to do; answered with more work or the end
    wants_more: bool = True  # else the visit ends here

    @property
    def requests_made(self) -> int:
        return sum(bool(result.status or result.failure) for result in self.results)


class Question(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Which paragraphs of this page are known?"""

    number: int  # chosen by the asker; the answer bears it
    url: str
    fingerprint: bytes  # hash of the whole text, then of its long paragraphs, 8 bytes each
    is_revisit: bool = False  # then what stood on this page itself is known too
