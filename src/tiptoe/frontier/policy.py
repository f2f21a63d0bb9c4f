"""What does the operator decide about the frontier?"""

from dataclasses import dataclass, field

from tiptoe.frontier.politeness import Politeness
from tiptoe.url.scope import Scope

__all__ = ["FrontierPolicy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPolicy:
    """Everything the operator decides about the frontier."""

    politeness: Politeness = field(default_factory=Politeness)
    scope: Scope = field(default_factory=Scope)
    cdn_ranges: tuple[str, ...] = ()
    pages_max: int = 0  # 0 = no limit
    bytes_max: int = 0
    pages_per_host: int = 0
    host_queue_max: int = 1_000_000
    redirects_max: int = 10
    shape_pages_max: int = 10_000
    follows_sitemaps: bool = True
    follows_feeds: bool = True
    reads_tdmrep: bool = True
    front_hosts: int = 50_000
