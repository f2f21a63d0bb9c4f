"""Which crawls does this server manage?

A crawl is a directory; here it has a name. New ones are created in the directory of the server; existing ones
are opened in place, below the roots given when the server was started: no request can lead elsewhere.
"""

import json
import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore
from tiptoe.control.web_problem import WebProblem
from tiptoe.observe.crawl_marker import MARKER

__all__ = ["CrawlRegistry", "KnownCrawl", "crawl_name_fault"]

CRAWL_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
CRAWLS_FOLDER: Final = "crawls"
CRAWLS_MAX: Final = 1000


class KnownCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl that this server manages."""

    name: str
    directory: Path
    note: str = ""
    made_at: float = 0.0
    settings: dict[str, object] = {}  # for its first start, by full name; later the directory remembers them
    seeds: str = ""  # for its first start

    @property
    def has_begun(self) -> bool:
        """Whether the crawl has ever been started."""
        return (self.directory / MARKER).is_file()


class CrawlRegistry:
    """The managed crawls, by name."""

    def __init__(self, store: ControlStore, directory: Path | None, roots: tuple[Path, ...] = ()) -> None:
        self._store = store
        self._home = None if directory is None else directory.absolute() / CRAWLS_FOLDER
        self._roots = tuple(root.resolve() for root in roots)

    @property
    def can_make(self) -> bool:
        """Whether this server has a directory for new crawls."""
        return self._home is not None

    @property
    def roots(self) -> tuple[Path, ...]:
        """The directories below which existing crawls may be opened."""
        return self._roots

    def list_all(self) -> list[KnownCrawl]:
        """Return all crawls, sorted by name."""
        return [_known(row) for row in self._store.rows("SELECT * FROM crawl ORDER BY name")]

    def find(self, name: str) -> KnownCrawl | None:
        row = self._store.row("SELECT * FROM crawl WHERE name = ?", [name])
        return _known(row) if row else None

    def get(self, name: str) -> KnownCrawl:
        """Return the crawl with this name; raise WebProblem when there is none."""
        found = self.find(name)
        if found is None:
            raise WebProblem(404, f"there is no crawl {name!r} here")
        return found

    def plan(
        self, name: str, now: float, *, settings: Mapping[str, object], seeds: str, note: str = ""
    ) -> KnownCrawl:
        """Add a new crawl that can be started."""
        if self._home is None:
            raise WebProblem(409, "this server only looks at crawls; start it with --dir to make new ones")
        directory = self._home / name
        if directory.exists() and any(directory.iterdir()):
            raise WebProblem(
                409, f"{directory}: there is something already", errors={"name": "choose another name"}
            )
        return self._add(name, directory, now, settings=settings, seeds=seeds, note=note)

    def open(self, directory: Path, now: float, *, name: str = "") -> KnownCrawl:
        """Add an existing crawl that the operator names when starting the server; it may be anywhere."""
        whole = directory.resolve()
        if not (whole / MARKER).is_file():
            raise WebProblem(422, f"{directory}: not the directory of a crawl; there is no {MARKER} in it")
        row = self._store.row("SELECT * FROM crawl WHERE directory = ?", [str(whole)])
        if row is not None:
            return _known(row)
        return self._add(name or self._free_name(whole.name), whole, now, settings={}, seeds="")

    def open_asked(self, typed: str, now: float) -> KnownCrawl:
        """Add an existing crawl that is named in a request; it must be below the roots."""
        if not typed or "\0" in typed or len(typed) > 4000:
            raise WebProblem(422, "name the directory of a crawl", errors={"directory": "missing"})
        try:
            whole = Path(typed).resolve()
        except (OSError, RuntimeError) as error:
            raise WebProblem(
                422, f"{typed}: cannot be read", errors={"directory": "cannot be read"}
            ) from error
        if not any(whole.is_relative_to(root) for root in self._roots):
            text = ", ".join(map(str, self._roots)) or "none; start the server with --root DIR"
            raise WebProblem(403, f"only crawls below these directories may be opened: {text}")
        return self.open(whole, now)

    def forget(self, name: str) -> bool:
        """Remove a crawl from this server; its directory stays as it is."""
        return self._store.change("DELETE FROM crawl WHERE name = ?", [name]) == 1

    def replan(self, name: str, *, settings: Mapping[str, object], seeds: str | None = None) -> None:
        """Change the settings and seeds with which a crawl will be started."""
        with self._store.together():
            self._store.change(
                "UPDATE crawl SET settings = ? WHERE name = ?", [json.dumps(dict(settings)), name]
            )
            if seeds is not None:
                self._store.change("UPDATE crawl SET seeds = ? WHERE name = ?", [seeds, name])

    def note_started(self, crawl: KnownCrawl) -> None:
        """Drop the initial settings, which the directory remembers now, unless they were changed since."""
        sql = "UPDATE crawl SET settings = '{}' WHERE name = ? AND settings = ?"
        self._store.change(sql, [crawl.name, json.dumps(crawl.settings)])

    def set_note(self, name: str, note: str) -> None:
        self._store.change("UPDATE crawl SET note = ? WHERE name = ?", [note, name])

    def _add(
        self,
        name: str,
        directory: Path,
        now: float,
        *,
        settings: Mapping[str, object],
        seeds: str,
        note: str = "",
    ) -> KnownCrawl:
        if fault := crawl_name_fault(name):
            raise WebProblem(422, f"{name}: {fault}", errors={"name": fault})
        if len(self.list_all()) >= CRAWLS_MAX:
            raise WebProblem(409, f"there are {CRAWLS_MAX} crawls; let go of some first")
        values = [name, str(directory), note, now, json.dumps(dict(settings)), seeds]
        sql = (
            "INSERT OR IGNORE INTO crawl (name, directory, note, made_at, settings, seeds) "
            "VALUES (?, ?, ?, ?, ?, ?)"
        )
        if not self._store.change(sql, values):
            raise WebProblem(
                409, f"there is a crawl {name} already", errors={"name": "taken; choose another name"}
            )
        return self.get(name)

    def _free_name(self, wanted: str) -> str:
        base = re.sub(r"[^a-z0-9_-]+", "-", wanted.lower()).strip("-_")[:50] or "crawl"
        taken = {crawl.name for crawl in self.list_all()}
        return next(name for name in _numbered(base, len(taken) + 2) if name not in taken)


def crawl_name_fault(name: str) -> str:
    """Return what is wrong with the name of a crawl; empty if it is valid."""
    return "" if CRAWL_NAME.fullmatch(name) else "small letters, digits, - and _, at most 63 of them"


def _numbered(base: str, count: int) -> list[str]:
    return [base, *(f"{base}-{number}" for number in range(2, count + 1))]


def _known(row: sqlite3.Row) -> KnownCrawl:
    return KnownCrawl(
        name=row["name"],
        directory=Path(row["directory"]),
        note=row["note"],
        made_at=row["made_at"],
        settings=json.loads(row["settings"]),
        seeds=row["seeds"],
    )
