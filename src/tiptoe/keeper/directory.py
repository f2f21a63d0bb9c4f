"""Which crawl does a directory belong to, and is a process working in it?

    DIR/crawl.json        which crawl this is: its seeds, when it began
    DIR/state/            the frontier's database, lock, socket of the keeper, settings (`memory`)
    DIR/warc/ corpus/     what was gathered
    DIR/documents/        lists of what waits for `tiptoe convert`
    DIR/gone/             pages of the corpus that are no longer there
    DIR/log/              requests, disallowed URLs, one event log per process

One keeper at a time: the lock is held by the kernel and ends with the process.
"""

import fcntl
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

from tiptoe.errors import CrawlInUse, SettingsError
from tiptoe.observe.crawl_marker import MARKER, crawl_seeds, no_crawl
from tiptoe.write.replacing import replace_durably

__all__ = ["APART", "LONE_REQUESTS", "CrawlDirectory", "find_keeper", "take_busy_note"]

SOCKET_PATH_MAX = 100  # the kernel allows 107 bytes

APART = "apart-"
"""Prefix of the writer's name, and so of its log, when a single page is requested while no keeper runs."""

LONE_REQUESTS = Path("state", "asked-apart.json")
APART_LOGS = f"log/requests-{APART}*"


class CrawlDirectory:
    """The directory of one crawl. Once locked, it stays so until `release`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None
        self._unsown: list[str] = []  # all seeds, while some may not be in the database

    @property
    def socket(self) -> Path:
        """The socket of the keeper; in the directory for temporary files if this path would be too long."""
        own = self.path.absolute() / "state" / "keeper.sock"
        if len(os.fsencode(own)) <= SOCKET_PATH_MAX:
            return own
        name = hashlib.sha256(os.fsencode(self.path.resolve())).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"tiptoe-{os.getuid()}-{name}.sock"

    def claim(
        self,
        seeds: list[str],
        *,
        adds_seeds: bool = False,
        before_first: Callable[[], None] = lambda: None,
        is_shared: bool = False,
    ) -> list[str]:
        """Lock the directory for this crawl; return the seeds that are still to be queued.

        Without seeds, the crawl in this directory is continued. If a run died before it had queued all its
        seeds, the next one queues them. `before_first` is called before a new crawl becomes visible here. If
        the crawl `is_shared`, its seeds and its state are kept by all its members.
        """
        self._refuse_readings()
        marker = self._read_marker()
        known: list[str] | None = None if marker is None else marker["seeds"]
        if not seeds and not is_shared:
            self.expect_begun()
        if known is None:
            self.expect_unused()
        met = set(known or [])
        new = [seed for seed in seeds if seed not in met]
        if known is not None and new and not adds_seeds:
            raise SettingsError(
                f"{self.path}: holds another crawl (its first seed is {known[0] if known else 'unknown'}); "
                "choose another --out, or say --add-seeds to widen that crawl"
            )
        is_seeded = marker is None or marker["is_seeded"] is True
        if marker is not None and not is_shared and (is_seeded or self._has_asked()):
            self.expect_state()
        self.take_lock()
        if marker is None:
            before_first()
        every = [*(known or []), *new]
        if new or marker is None:
            self._write_marker(every, is_seeded=False)
        self._unsown = every if new or not is_seeded else []
        return new if is_seeded else every

    def expect_unused(self) -> None:
        """Refuse a directory that is used by something else."""
        if self._is_foreign():
            raise SettingsError(f"{self.path}: not empty and not a crawl of ours; choose another --out")

    def begin_seeded(self, seeds: list[str]) -> None:
        """Mark the directory as that of a crawl begun elsewhere with these seeds, whose database is here."""
        self._write_marker(seeds, is_seeded=True)

    def seed_again(self, more: Iterable[str] = ()) -> list[str]:
        """Note that all seeds and some more must be queued, by this run or the next; return them."""
        marker = self._read_marker()
        assert marker is not None, f"{self.path} is not claimed"
        self._unsown = list(dict.fromkeys([*marker["seeds"], *more]))
        self._write_marker(self._unsown, is_seeded=False)
        return self._unsown

    def note_seeded(self) -> None:
        """Note that all seeds are in the database."""
        if self._unsown:
            self._write_marker(self._unsown, is_seeded=True)

    def _has_asked(self) -> bool:
        """Whether a run of the crawl has made requests; those for single pages need no database."""
        return bool({*self.path.glob("log/requests-*")} - {*self.path.glob(APART_LOGS)})

    def _is_foreign(self) -> bool:
        """Whether something else is stored here; the log of a crawl in the background may already exist."""
        found = {*self.path.glob("*"), *self.path.glob("log/*"), *self.path.glob("state/*")}
        # What may exist before the crawl has begun: filters, for example, can be kept for a planned one.
        ours = ("filters", "log", "log/console.log", "state", "state/lock", "state/settings.json")
        parts = (f"{MARKER}.part", "state/settings.json.part")
        apart = {self.path / LONE_REQUESTS, *self.path.glob(APART_LOGS)}
        return bool(found - {self.path / name for name in (*ours, *parts)} - apart)

    def expect_state(self) -> None:
        """Refuse to go on without the database: even blocked hosts would get requests again."""
        if not any((self.path / "state" / "frontier").glob("*")):
            raise SettingsError(
                f"{self.path}: the state of this crawl is missing (state/frontier), and with it what was "
                "requested, what is left, and who is blocked; put state/ back as it was, or begin a new "
                "crawl with another --out; corpus/, warc/ and log/ are untouched and can be read"
            )

    def _refuse_readings(self) -> None:
        """Refuse a corpus made by `tiptoe read`: it was never a crawl, so none can continue it."""
        if crawl_seeds(self.path) is None:
            raise SettingsError(f"{no_crawl(self.path)}, a crawl needs another --out")

    def expect_begun(self) -> None:
        """Refuse to continue where no crawl has begun."""
        self._refuse_readings()
        if self._read_marker() is None:
            raise SettingsError(f"{self.path}: no crawl to continue; name at least one seed")

    def known_seeds(self) -> list[str] | None:
        """Return the seeds of the crawl in this directory; None if there is none."""
        marker = self._read_marker()
        return None if marker is None else marker["seeds"]

    def _read_marker(self) -> dict[str, Any] | None:
        try:
            marker: dict[str, Any] = json.loads((self.path / MARKER).read_text())
            list(marker["seeds"])
            bool(marker["is_seeded"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SettingsError(f"{self.path / MARKER}: cannot be read: {error}") from error
        return marker

    def _write_marker(self, seeds: list[str], *, is_seeded: bool) -> None:
        content = {"seeds": seeds, "written_at": time.time(), "is_seeded": is_seeded}
        try:
            replace_durably(self.path / MARKER, json.dumps(content, indent=1).encode())
        except OSError as error:
            raise SettingsError(f"{self.path}: cannot be written to: {error.strerror}") from error

    def take_lock(self) -> None:
        """Lock the directory, even before a crawl has begun; CrawlInUse if another process has locked it."""
        try:
            (self.path / "state").mkdir(parents=True, exist_ok=True)
            lock = (self.path / "state" / "lock").open("a+")
        except OSError as error:
            raise SettingsError(f"{self.path}: cannot be written to: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            pid = find_keeper(self.path)
            lock.close()
            raise CrawlInUse(self.path, pid=pid) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        self._lock = lock
        self.socket.unlink(missing_ok=True)

    def release(self) -> None:
        """Unlock the directory."""
        self.socket.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def find_keeper(path: Path) -> int | None:
    """Return the id of the process that works in a directory; None if there is none."""
    try:
        lock = (path / "state" / "lock").open()
    except OSError:
        return None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            text = lock.read().strip()
            return int(text) if text.isdigit() else None
    return None


def take_busy_note(directory: Path, incarnation: str) -> list[str]:
    """Return the URL a dead harvester was reading, if any, and remove its note."""
    note = directory / "state" / f"{incarnation}.busy"
    try:
        text = note.read_bytes().split(b"\n", 1)[0].strip(b"\0").decode("utf-8", "replace")
        note.unlink()
    except OSError:
        return []
    return [text] if text else []
