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
        # Asked for every host of every page: a plain loop takes half the time of a generator.
        for pattern in self.exclude_hosts:
            if pattern.search(host):
                return False
        for pattern in self.include_hosts:
            if pattern.search(host):
                return True
        return not self.include_hosts
