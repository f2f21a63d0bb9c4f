"""Where in a crawl is a host, or a page?

Plain facts from the tables; others put them into words. Fields are identified by name; new ones have a
default. Times are by the keeper's clock; 0 = none.
"""

import msgspec

__all__ = ["HostWhereabouts", "OriginWhereabouts", "PageWhereabouts", "Whereabouts"]


class OriginWhereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the robots.txt of one origin."""

    origin: str
    fetched_at: float = 0.0
    rules: int = 0
    crawl_delay: float = 0.0
    shut_until: float = 0.0  # left alone until then, because its rules cannot be fetched


class HostWhereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a host."""

    host: str
    state: str  # value of `frontier.host.HostState`
    gone_because: str = ""
    twin: str = ""  # the host with which it shares most texts
    address: str = ""
    is_blocked: bool = False
    is_address_blocked: bool = False
    slowed_to: float = 0.0
    crawl_delay: float = 0.0
    next_at: float = 0.0  # earliest time of the next request
    held_until: float = 0.0  # left alone until then, at its own wish or after trouble
    free_at: float = 0.0  # its address rests until then
    is_address_busy: bool = False  # its address is being visited
    lookup_at: float = 0.0  # when its name is looked up again
    trouble: str = ""  # its last one
    troubles: int = 0  # in a row
    troubled_at: float = 0.0
    chance_at: float = 0.0  # when it gets another chance, if it was given up
    rested_at: float = 0.0  # when it may be tried again, if it is unproductive
    left_at: float = 0.0  # when its last visit ended
    queued: list[int] = []  # requests in its queues, by class; the last are revisits
    aside: int = 0  # requests that were laid aside
    unread: int = 0  # groups of links that wait unread for its turn; counted up to a limit
    deferred: int = 0  # requests to be repeated
    deferred_at: float = 0.0  # when the first of them is due
    pages: int = 0
    requests: int = 0
    origins: list[OriginWhereabouts] = []


class PageWhereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a page."""

    url: str
    is_met: bool = False
    is_underway: bool = False  # leased to a harvester
    queued_in: int | None = None  # its class
    queued_before: int = 0  # requests of its host before it in this class
    via: str = ""  # the page that leads there; for a visited page, according to the archive
    is_aside: bool = False
    is_unread: bool = False  # it is among the unread links in the inbox of its host
    deferred_until: float = 0.0
    tries: int = 0
    outcome: str = ""  # empty: it was never requested
    status: int = 0
    visits: int = 0
    first_visit_at: float = 0.0
    last_visit_at: float = 0.0
    next_visit_at: float = 0.0
    location: str = ""
    depth: int = 0
    title: str = ""
    is_in_corpus: bool = False
    robots_line: str = ""  # the line of robots.txt that forbids it, as we know it
    is_unsearched: bool = False  # the queue is too long to be searched for it
    document_type: str = ""  # media type of a document that was stored aside, from its list
    document_fate: str = ""  # waiting, converted or textless, see `convert/document_fate.py`


class Whereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a host, and about one of its pages, if one was named."""

    now: float
    host: HostWhereabouts | None = None  # None: unknown
    page: PageWhereabouts | None = None
    forgotten_as: str = ""  # the owner's wish that covers this host or page
    forgotten_at: float = 0.0  # when it was made
    unfollowed: dict[str, int] = {}  # links of the whole crawl that were not followed, by reason
    holds: list[str] = []  # reasons for which the whole crawl makes no request
    is_running: bool = False

    @property
    def is_never_met(self) -> bool:
        """Whether the crawl has followed no link to it."""
        return not self.page.is_met if self.page is not None else self.host is None
