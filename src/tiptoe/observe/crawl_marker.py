"""How is the directory of a crawl recognised?"""

from pathlib import Path
from typing import Final

import msgspec

from tiptoe.errors import SettingsError

__all__ = [
    "DEFAULT_DIRECTORY", "FORGOTTEN", "MARKER", "crawl_seeds", "expect_crawl", "expect_requests",
    "forgotten_targets", "no_crawl",
]  # fmt: skip

MARKER: Final = "crawl.json"
"""The file that identifies a crawl; only the directory of a crawl has it."""

FORGOTTEN: Final = "forgotten.jsonl"
"""File with a line for each host or page that was removed at its owner's request."""

DEFAULT_DIRECTORY: Final = Path("crawl")
"""The directory that commands use by default."""


def expect_crawl(directory: Path) -> None:
    """Raise SettingsError unless this is the directory of a crawl, or of a corpus made by `tiptoe read`."""
    if not (directory / MARKER).is_file():
        raise no_crawl(directory)


def expect_requests(directory: Path) -> None:
    """Raise SettingsError unless this is the directory of a crawl, which made requests."""
    expect_crawl(directory)
    if crawl_seeds(directory) is None:
        raise no_crawl(directory)


def no_crawl(directory: Path, *, lacks: str = "") -> SettingsError:
    """Return the error for a path that is not a crawl; `lacks` says what the directory is missing."""
    if not directory.exists():
        why = "there is no such directory"
    elif not directory.is_dir():
        why = "it is a file"
    elif crawl_seeds(directory) is None:
        why = f"`tiptoe read` made it, without requests; `tiptoe read --out {directory}` continues it"
    elif (directory / MARKER).is_file():
        why = lacks or "it has files of one, but not what it knows of itself (state/)"
    else:
        why = lacks or f"there is no {MARKER} in it"
    default = "; it is where a crawl is looked for unless another directory is named"
    told = default if directory == DEFAULT_DIRECTORY else ""
    return SettingsError(f"{directory}: not the directory of a crawl; {why}{told}")


class _Seeded(msgspec.Struct):
    seeds: list[str] = []
    read_from: list[str] | None = None  # by `tiptoe read`


def crawl_seeds(directory: Path) -> list[str] | None:
    """Return the seeds of a crawl; None for a corpus that was read from other sources."""
    try:
        sown = msgspec.json.decode((directory / MARKER).read_bytes(), type=_Seeded)
    except (OSError, msgspec.DecodeError):
        return []
    return sown.seeds if sown.read_from is None else None


class _Forgotten(msgspec.Struct):
    target: str


def forgotten_targets(directory: Path) -> list[str]:
    """Return what a crawl had to forget, as it was recorded."""
    path = directory / FORGOTTEN
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [msgspec.json.decode(line, type=_Forgotten).target for line in lines]
