"""How does one know the directory of a crawl?"""

from pathlib import Path
from typing import Final

from tiptoe.errors import SettingsError

__all__ = ["MARKER", "expect_crawl"]

MARKER: Final = "crawl.json"
"""The file that only such a directory has: which crawl this is."""


def expect_crawl(directory: Path) -> None:
    """Raise SettingsError unless a crawl lives there."""
    if not (directory / MARKER).is_file():
        raise SettingsError(f"{directory}: not the directory of a crawl; there is no {MARKER} in it")
