"""When is the list of hosts of a crawl made again?

When it is viewed and too old; the longer it takes to make, the older it may be. At most two are made at a
time, and pages shown meanwhile use the previous list."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.host_index import HostRows, QueueRank, read_index, read_ranks
from tiptoe.keeper.database import DATABASE

__all__ = ["HostIndexes"]

FRESH_SECONDS: Final = 10.0
TIMES_AS_LONG: Final = 20.0
"""Maximum age of a list, as a multiple of the time it takes to make."""

BUILD_SECONDS: Final = 1800.0
AT_ONCE: Final = 2


class HostIndexes:
    """The lists of hosts, as files in a folder."""

    def __init__(self, folder: Path, clock: Callable[[], float]) -> None:
        self.folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._building: set[str] = set()
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._took: dict[str, float] = {}
        self._faults: dict[str, str] = {}

    def is_possible(self, crawl: KnownCrawl) -> bool:
        """Return whether a crawl has a database that can be listed."""
        return (crawl.directory / DATABASE / "CURRENT").is_file()

    def is_building(self, crawl: KnownCrawl) -> bool:
        return crawl.name in self._building

    def fault(self, crawl: KnownCrawl) -> str:
        """Return why the last list could not be made; empty when it could."""
        return self._faults.get(crawl.name, "")

    def look(
        self, crawl: KnownCrawl, *, sort: str, is_rising: bool, words: str, state: str, page: int, size: int
    ) -> HostRows | None:
        """Return a page of the current list; None while the first one is being made."""
        path = self._path(crawl)
        if not self._is_fresh(crawl, path):
            self._build(crawl, path)
        if not path.exists():
            return None
        return read_index(
            path, sort=sort, is_rising=is_rising, words=words, state=state, page=page, size=size
        )

    def ranks(self, crawl: KnownCrawl) -> list[QueueRank] | None:
        """Return the queue by rank, from the same list; None while there is none."""
        path = self._path(crawl)
        if not self._is_fresh(crawl, path):
            self._build(crawl, path)
        return read_ranks(path) if path.exists() else None

    def forget(self, crawl: KnownCrawl) -> None:
        """Delete the list of a crawl, so that a later one of the same name does not show it."""
        self._faults.pop(crawl.name, None)
        self._path(crawl).unlink(missing_ok=True)

    def _path(self, crawl: KnownCrawl) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self.folder / f"hosts-{crawl.name}.sqlite"

    def _is_fresh(self, crawl: KnownCrawl, path: Path) -> bool:
        try:
            made_at = path.stat().st_mtime
        except OSError:
            return False
        allowed = max(FRESH_SECONDS, TIMES_AS_LONG * self._took.get(crawl.name, 0.0))
        return self._clock() - made_at < allowed

    def _build(self, crawl: KnownCrawl, path: Path) -> None:
        with self._lock:
            if crawl.name in self._building:
                return
            self._building.add(crawl.name)
        threading.Thread(target=self._run, args=(crawl, path), daemon=True).start()

    def _run(self, crawl: KnownCrawl, path: Path) -> None:
        with self._turns:
            began_at = self._clock()
            words = [sys.executable, "-m", "tiptoe.control.host_index", str(crawl.directory), str(path)]
            try:
                done = subprocess.run(  # noqa: S603  our own module
                    words, capture_output=True, timeout=BUILD_SECONDS, check=False,
                    preexec_fn=lambda: os.nice(10),
                )  # fmt: skip
                fault = done.stderr.decode("utf-8", "replace")[:500] if done.returncode else ""
            except (OSError, subprocess.SubprocessError) as error:
                fault = str(error)
            self._faults[crawl.name] = fault
            self._took[crawl.name] = max(0.0, self._clock() - began_at)
            self._building.discard(crawl.name)
