"""Errors we raise.

What happens on the web is not an error but an outcome: see `fetch/outcome.py`.

    CrawlerError
    ├── SettingsError   the operator must change something: a setting, a seed, a file
    ├── CrawlInUse      another process uses this output directory
    ├── CorruptFile     a file of ours cannot be read back
    ├── DamagedDatabase the database cannot be read back, but can be repaired
    ├── DiskFull        there is no room to write; the crawl pauses
    └── ProtocolError   a peer (harvester, control) broke the protocol
        └── RefusedByKeeper   the keeper does not accept us, now or later
"""

import shlex
from pathlib import Path

__all__ = [
    "CorruptFile",
    "CrawlInUse",
    "CrawlerError",
    "DamagedDatabase",
    "DiskFull",
    "ProtocolError",
    "RefusedByKeeper",
    "SettingsError",
]


class CrawlerError(Exception):
    """Anything that went wrong on our side; the message says what, where, and what to do."""


class SettingsError(CrawlerError):
    """The operator must change something: a setting, a seed, a file."""


class CrawlInUse(CrawlerError):
    """Another process uses this output directory."""

    def __init__(self, directory: Path, *, pid: int | None) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(f"{directory}: in use by {who}; `tiptoe stop {shlex.quote(str(directory))}` ends it")
        self.directory = directory
        self.pid = pid


class CorruptFile(CrawlerError):
    """A file of ours cannot be read back."""

    def __init__(self, path: Path, *, offset: int, found: str) -> None:
        super().__init__(f"{path}: {found} at byte {offset}; see `tiptoe repair --help`")
        self.path = path
        self.offset = offset


class DamagedDatabase(CrawlerError):
    """At least part of the database cannot be read: the disk returns wrong bytes, or none."""

    def __init__(self, path: Path, *, found: str) -> None:
        super().__init__(
            f"{path}: the database is damaged ({found}); `tiptoe repair` saves what can be read of it, and "
            "says what is lost; nothing else of the crawl is touched"
        )
        self.path = path


class DiskFull(CrawlerError):
    """There is no room to write; the crawl pauses until there is."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: no space left on the disk; the crawl goes on when there is room")
        self.path = path


class ProtocolError(CrawlerError):
    """A peer (harvester, control) broke the protocol."""


class RefusedByKeeper(ProtocolError):
    """The keeper does not accept us, now or later."""
