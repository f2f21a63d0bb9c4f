"""What do keeper and harvesters exchange about work?

Plain values; the same structs are stored, sent and returned. Fields are
positional on the wire: new ones go to the end and have a default. None of the
structs can be part of a cycle, so the garbage collector need not track them.
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
    """Why a URL is requested."""

    PAGE = "page"
    SITEMAP = "sitemap"
    FEED = "feed"
    REQUISITE = "requisite"  # what a page needs to be shown: an image, a style sheet
    ROBOTS = "robots"  # rules of an origin, also if they moved to another host
    RULES_REQUEST = "rules_request"  # made by a harvester on the way to a host's rules; only counted
    LOGIN = "login"  # made by a harvester to log in; only counted
    ADDRESS = "address"  # no request at all: the host's name is to be looked up again


class LastVisit(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What earlier visits of a page found, to be compared with its next answer."""

    visits: int  # made so far; by this a late result of an earlier visit is recognised
    visited_at: float = 0.0  # keeper's clock
    version: int = 0  # of the text in the corpus; 0 = it has none
    etag: str = ""
    last_modified: str = ""
    content_hash: bytes = b""
    text_hash: bytes = b""
    payload_digest: str = ""  # of the body that is stored, as in the WARC file
    stored_at: float = 0.0  # WARC-Date of that body
    outcome: str = ""  # of the last visit, as in its record: shows whether a text had left the corpus


class Remains(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is left of a page after a loss of files; sent with the request that fetches it once more."""

    version: int = 0  # of its last text that is still in the corpus; 0 = no text is
    text_hash: bytes = b""  # of that text, if the page had it when it was last visited


class Request(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One URL to request."""

    url: str
    purpose: Purpose = Purpose.PAGE
    depth: int = 0
    hops: int = 0  # redirects that led here
    tries: int = 0  # failed attempts so far
    via: str = ""  # where the link was found; ADDRESS: the trouble with the name
    usability: float = 1.0  # of the last judged document on the way to it; 1 if there is none
    for_origin: str = ""  # ROBOTS only: whose rules these are
    last_visit: LastVisit | None = None  # None = its first visit
    remains: Remains | None = None  # only of a page whose files were lost


class RobotsState(enum.Enum):
    """What is known about an origin's robots.txt."""

    RULES = "rules"  # read; no rules at all if it does not exist
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
    is_partial: bool = False  # the file with reservations against text mining is still to be requested


class HostWork(msgspec.Struct, array_like=True, gc=False):
    """The part of a visit that concerns one host."""

    host: str
    delay: float  # seconds between an answer and the next request
    budget: int  # requests allowed, including those for robots.txt
    requests: list[Request]
    robots: dict[str, RobotsNote] = {}  # by origin; missing = to be fetched first
    texts: bytes = b""  # hashes of the latest texts of this host, to recognise a repeated one
    prose: bytes = b""  # hashes of its latest paragraphs, to recognise a page that says nothing new


class ShardTime(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The time in a shard, for the log of its requests."""

    moment: float  # the shard's time when this was sent
    offset: float  # to be added to the monotonic clock of the sending machine to get the shard's time
    boot: str = ""  # identifies the boot of that machine; empty if unknown


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
    """When a page has changed, according to a sitemap or a feed."""

    url: str
    changed_at: float


class Result(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Everything that the keeper needs to know about the result of one request."""

    request: Request
    status: int = 0
    failure: str = ""  # value of fetch.outcome.Failure
    discard: str = ""  # why the page was discarded
    seconds: float = 0.0
    body_bytes: int = 0
    text_chars: int = 0
    title: str = ""
    etag: str = ""
    last_modified: str = ""
    content_hash: bytes = b""
    text_hash: bytes = b""
    usability: float | None = None  # None = unknown: too little text to judge, or it was not judged
    redirect: str = ""
    retry_after: float = 0.0
    links: list[HostLinks] = []
    sub_priority: int = -1  # class of the links found, -1 = by depth
    robots: RobotsNote | None = None
    feeds: list[str] = []
    sitemaps: list[str] = []  # further ones that a sitemap names
    usable_chars: int | None = None  # None = to be computed from its usability
    fingerprint: bytes = b""  # of a text that was compared with all others: see Question
    is_changed: bool | None = None  # of a revisited page; None = the first visit, or unknown
    payload_digest: str = ""  # of a body that was stored; empty if none was
    stored_at: float = 0.0
    expires_at: float = 0.0  # until when it is fresh according to its server; 0 = not given
    hints: list[Hint] = []
    has_little_text: bool = False  # too little for the segmenter to judge: a menu, a list of titles
    prose: bytes | None = None  # of a new page, hashes of what reads like text; None = not extracted
    source: Purpose | None = None  # requested as a page, but found to be a sitemap or a feed
    line_check: int = 0  # CRC-32 of the line that was written to the corpus or to a list; 0 if none was
    detail: str = ""  # why a login did not work, in words for the operator
    requisites: list[str] = []  # what the page, or style sheet, needs to be shown

    @property
    def is_unchanged(self) -> bool:
        """Whether the page is known to be unchanged."""
        return self.is_changed is False


class Report(msgspec.Struct, array_like=True, gc=False):
    """The report of one visit."""

    visit: int
    results: list[Result]
    returned: list[Request] = []  # not made, because the host was left early
    is_done: bool = False  # nothing left to do; answered with more work or the end
    wants_more: bool = True  # if not, the visit ends here

    @property
    def requests_made(self) -> int:
        return sum(bool(result.status or result.failure) for result in self.results)


class Question(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Which paragraphs of this page are known?"""

    number: int  # chosen by the sender; the answer has the same number
    url: str
    fingerprint: bytes  # hash of the whole text, then of its long paragraphs, 8 bytes each
    is_revisit: bool = False  # if so, the page's own earlier text is known too
