"""What does the operator decide about the frontier?"""

from dataclasses import dataclass, field

from tiptoe.decide.revisiting import RevisitPoint, revisit_point
from tiptoe.decide.scheduling import SchedulePoint, schedule_point
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.sieve import SIEVE_ROW_URLS
from tiptoe.url.canonical import Canonicalizer

__all__ = ["FrontierPolicy", "RevisitPolicy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisitPolicy:
    """When a page is visited again."""

    strategy: str = "none"  # none, uniform, adaptive, optimal
    first_seconds: float = 5 * 86400.0
    min_seconds: float = 3600.0
    max_seconds: float = 180 * 86400.0
    shrink: float = 0.2
    grow: float = 0.2
    objective: str = "freshness"  # freshness, changes, age
    visits_per_day: int = 0  # 0 = every page once per `first_seconds`
    share: float = 0.3  # of requests, while new pages wait too
    point: RevisitPoint = field(default_factory=revisit_point)  # which pages
    uses_hints: bool = True
    is_endless: bool = False  # the crawl waits for pages to be due again


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPolicy:
    """Everything the operator decides about the frontier."""

    politeness: Politeness = field(default_factory=Politeness)
    schedule: SchedulePoint = field(default_factory=schedule_point)
    cdn_ranges: tuple[str, ...] = ()
    pages_max: int = 0  # 0 = no limit
    bytes_max: int = 0
    pages_per_host: int = 0
    hosts_max: int = 0  # of the whole crawl; 0 = no limit
    host_queue_max: int = 1_000_000
    shape_pages_max: int = 10_000
    textless_pages_max: int = 1000  # 0 = no limit
    follows_sitemaps: bool = True
    follows_feeds: bool = True
    reads_tdmrep: bool = True
    front_hosts: int = 50_000
    sieve_row_urls: int = SIEVE_ROW_URLS
    min_yield: float = 0.03  # share of the average; 0 = no host is left alone for a low yield
    trial_pages: int = 30
    leaves_mirrors: bool = True  # a host that only repeats another one is given up
    unproductive_rest_seconds: float = 30 * 24 * 3600.0  # 0 = for good
    canonicalizer: Canonicalizer = field(default_factory=Canonicalizer)  # for links of converted documents
    revisit: RevisitPolicy = field(default_factory=RevisitPolicy)
    awaits_exchanges: bool = False  # request only what was compared with other robots: see `exchanges`

    @property
    def rules_requests(self) -> int:
        """Requests for the rules of a host, which come before its first page."""
        return 2 if self.reads_tdmrep else 1
