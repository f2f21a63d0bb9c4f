"""Where is a host, or a page, on its way through a crawl?

Plain facts as the tables have them, for whoever puts them into words. Fields go by name; new ones have a
default. Moments are by the keeper's clock; 0 = there is none.
"""

import msgspec

__all__ = ["HostWhereabouts", "OriginWhereabouts", "PageWhereabouts", "Whereabouts"]


class OriginWhereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the robots.txt of one origin."""

    origin: str
    fetched_at: float = 0.0
    rules: int = 0
    crawl_delay: float = 0.0
    shut_until: float = 0.0  # its rules cannot be had


class HostWhereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a host."""

    host: str
    state: str  # value of `frontier.host.HostState`
    gone_because: str = ""
    twin: str = ""  # the host that it repeats
    address: str = ""
    is_blocked: bool = False
    is_address_blocked: bool = False
    slowed_to: float = 0.0
    crawl_delay: float = 0.0
    next_at: float = 0.0  # earliest moment of the next request
    held_until: float = 0.0  # it asked for peace, or is in trouble
    free_at: float = 0.0  # its address rests until then
    is_address_busy: bool = False  # somebody is there
    lookup_at: float = 0.0  # its name is looked up again then
    trouble: str = ""  # its last one
    troubles: int = 0  # in a row
    troubled_at: float = 0.0
    chance_at: float = 0.0  # given up, it gets another chance then
    rested_at: float = 0.0  # unproductive, it may be tried again from then on
    left_at: float = 0.0  # when its last visit ended
    queued: list[int] = []  # requests that wait, by class; the last are revisits
    aside: int = 0  # requests that were laid aside
    unread: int = 0  # groups of links that wait unread for its turn; counted up to a limit
    deferred: int = 0  # requests to be repeated
    deferred_at: float = 0.0  # the first of them
    pages: int = 0
    requests: int = 0
    origins: list[OriginWhereabouts] = []


class PageWhereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a page."""

    url: str
    is_met: bool = False
    is_underway: bool = False  # a harvester has it
    queued_in: int | None = None  # its class
    queued_before: int = 0  # requests of its host that stand before it in this class
    via: str = ""  # the page that leads there; of one that was visited, by the archive
    is_aside: bool = False
    is_unread: bool = False  # it waits among links that nobody has looked at
    deferred_until: float = 0.0
    tries: int = 0
    outcome: str = ""  # empty: it was never asked for
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
    document_type: str = ""  # of a document that was stored aside: its media type, by its list
    document_fate: str = ""  # waiting, converted or textless, see `convert/document_fate.py`


class Whereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a host, and of one of its pages, if one was named."""

    now: float
    host: HostWhereabouts | None = None  # None: never heard of
    page: PageWhereabouts | None = None
    forgotten_as: str = ""  # the wish of an owner that covers what was asked about
    forgotten_at: float = 0.0  # when it was made
    unfollowed: dict[str, int] = {}  # links of the whole crawl that were not followed, by reason
    holds: list[str] = []  # reasons for which the whole crawl makes no request
    is_running: bool = False

    @property
    def is_never_met(self) -> bool:
        """Whether nothing that was followed has led to it."""
        return not self.page.is_met if self.page is not None else self.host is None
