"""Does this address belong to the crawl at all?

Asked before anything is remembered of a URL. Patterns search the host name, so
`\\.cz$` means a top-level domain and `^www\\.a\\.example$` one host. Exclusion wins.
"""

import re
from dataclasses import dataclass

__all__ = ["Scope"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Bounds of a crawl that can be told from the address alone."""

    include_hosts: tuple[re.Pattern[str], ...] = ()  # none: all hosts
    exclude_hosts: tuple[re.Pattern[str], ...] = ()
    depth_max: int = 0  # 0: unlimited

    def admits_host(self, host: str) -> bool:
        """Say whether pages of this host are wanted."""
        # Asked for every host of every page; most crawls have few patterns or none.
        if self.exclude_hosts and any(pattern.search(host) for pattern in self.exclude_hosts):
            return False
        return not self.include_hosts or any(pattern.search(host) for pattern in self.include_hosts)

    def admits_depth(self, depth: int) -> bool:
        """Say whether pages this many links away from a seed are wanted."""
        return self.depth_max <= 0 or depth <= self.depth_max
