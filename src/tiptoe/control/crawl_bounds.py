"""After what does a crawl end by itself?"""

from dataclasses import dataclass

from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.errors import SettingsError
from tiptoe.keeper.settings_file import recall

__all__ = ["CrawlBounds", "crawl_bounds"]


@dataclass(frozen=True, slots=True)
class CrawlBounds:
    """The limits of a crawl; 0: unlimited."""

    pages: float = 0
    bytes: float = 0
    seconds: float = 0  # of each run


def crawl_bounds(crawl: KnownCrawl) -> CrawlBounds:
    """Return the limits that a crawl remembers; none if it does not remember any, or cannot."""
    try:
        remembered = recall(crawl.directory) or {}
    except SettingsError:
        return CrawlBounds()  # its settings page says what is wrong
    values = (remembered.get(f"crawl.max_{name}") for name in ("pages", "bytes", "seconds"))
    return CrawlBounds(*(value if isinstance(value, int | float) else 0 for value in values))
