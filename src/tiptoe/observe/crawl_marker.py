"""How does one know the directory of a crawl?"""

from pathlib import Path
from typing import Final

import msgspec

from tiptoe.errors import SettingsError

__all__ = ["DEFAULT_DIRECTORY", "MARKER", "crawl_seeds", "default_said", "expect_crawl", "no_crawl"]

MARKER: Final = "crawl.json"
"""The file that only such a directory has: which crawl this is."""

DEFAULT_DIRECTORY: Final = Path("crawl")
"""What commands mean that are not told a directory."""


def expect_crawl(directory: Path) -> None:
    """Raise SettingsError unless a crawl lives there."""
    if not (directory / MARKER).is_file():
        raise SettingsError(
            f"{directory}: not the directory of a crawl; there is no {MARKER} in it{default_said(directory)}"
        )


def no_crawl(directory: Path) -> SettingsError:
    """Return the complaint about a directory where no crawl lives."""
    return SettingsError(f"{directory}: no crawl lives there{default_said(directory)}")


def default_said(directory: Path) -> str:
    """Return what is to be added to a complaint about a directory that perhaps nobody has named."""
    return "; it is the default, another directory can be named" if directory == DEFAULT_DIRECTORY else ""


class _Sown(msgspec.Struct):
    seeds: list[str] = []
    read_from: list[str] | None = None  # by `tiptoe read`


def crawl_seeds(directory: Path) -> list[str] | None:
    """Return the addresses that a crawl began with; None of what was read from other sources."""
    try:
        sown = msgspec.json.decode((directory / MARKER).read_bytes(), type=_Sown)
    except (OSError, msgspec.DecodeError):
        return []
    return sown.seeds if sown.read_from is None else None
