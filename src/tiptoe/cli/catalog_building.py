"""How do commands bring the catalog of a crawl up to date?

How much of each file is committed comes from the keeper if it is running, otherwise from its database. A
catalog whose files have changed underneath it is rebuilt next to the one in use.
"""

import contextlib
import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiptoe.catalog.catalog_directory import CatalogDirectory, CatalogInUse, has_catalog, open_catalog
from tiptoe.catalog.catalog_index import IndexWriter
from tiptoe.catalog.catalog_update import (
    CatalogUpdate,
    CrawlFile,
    FilesChanged,
    UpdateAmounts,
    source_files,
    unread_bytes,
)
from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.catalog_companion import DATABASE_VARIABLE
from tiptoe.cli.options import Layers
from tiptoe.cli.progress_lines import ProgressLines
from tiptoe.cluster.member_file import read_member
from tiptoe.convert.progress import load
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.forget.journal import expect_nothing_pending
from tiptoe.frontier.filemarks import FileMarks
from tiptoe.keeper.database import DATABASE, claimed
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.document_lists import open_sizes
from tiptoe.keeper.running_crawl import ask
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.crawl_marker import no_crawl
from tiptoe.observe.crawl_members import member_directories
from tiptoe.protocol.operator import ListOutputs, OutputSizes
from tiptoe.settings.layers import Settings

__all__ = ["CATALOG_OPTIONS", "Building", "catalog_database", "committed_sizes", "expect_files", "refresh"]

CATALOG_OPTIONS: Final = ("catalog.database",)
"""Settings that catalog commands offer as options; a settings file may have all those of a crawl."""

REFRESH_BYTES_MAX: Final = 64_000_000
"""Maximum corpus that a search adds to the catalog by itself; above it, only a note is printed, or an error
raised if there is no catalog yet."""


def catalog_database(directory: Path, layers: Layers | None = None) -> str:
    """Return the database that `layers` or the settings of a crawl name for its catalog; empty if none."""
    is_given = layers is not None and (layers.file is not None or bool(layers.overrides))
    if DATABASE_VARIABLE in os.environ and not is_given:
        return os.environ[DATABASE_VARIABLE]
    # Without `state`, the directory has the files of a crawl but not its settings.
    remembered = _remembered(directory) if (directory / DATABASE.parent).is_dir() else None
    if layers is not None and is_given:
        return layers.load(remembered=remembered).catalog.database
    return "" if remembered is None else Settings.load(remembered=remembered).catalog.database


def _remembered(directory: Path) -> dict[str, object] | None:
    """Return the settings of a crawl; None if we are not permitted to read them."""
    try:
        return recall(directory)
    except SettingsError as error:
        if isinstance(error.__cause__, PermissionError):
            return None
        raise


def expect_files(directory: Path) -> None:
    """Raise SettingsError unless a directory, possibly a copy, holds files of a crawl."""
    expect_nothing_pending(directory)
    if not (directory / "crawl.json").is_file() and not (directory / "corpus").is_dir():
        raise no_crawl(directory, lacks="there is neither crawl.json nor corpus")


def committed_sizes(directory: Path) -> Mapping[str, int] | None:
    """Return how much of each file still being written is committed; None if unknown."""
    if not (directory / DATABASE).is_dir():
        return None
    converted = load(directory).marks
    if find_keeper(directory) is not None:
        try:
            return {**ask(directory, ListOutputs(), OutputSizes).sizes, **converted}
        except CrawlerError:
            return {}  # it is starting or ending: nothing is certain now
    if read_member(directory) is not None:
        return converted  # the shards know, and finish these files when the member runs again
    try:
        with claimed(directory) as store:
            return {**open_sizes(FileMarks(store).all()), **converted}
    except CrawlerError:
        return converted


@dataclass(slots=True)
class Building:
    """The update of one catalog, which it locks meanwhile."""

    directory: Path
    database: str = ""
    is_quiet: bool = True
    is_stopping: Callable[[], bool] = lambda: False
    tells_programs: bool = False  # print progress, one line a second

    def build(self, *, rebuild: bool = False) -> UpdateAmounts:
        """Bring the catalog up to date, or rebuild it."""
        place = CatalogDirectory(self.directory, self.database)
        with place.held():
            writer = None if rebuild else place.current_writer()
            if writer is not None:
                try:
                    with contextlib.closing(writer):
                        return self._update(self._updater(writer))
                except FilesChanged:
                    pass  # repaired damage: what is in the catalog may no longer be in the files
            with place.new_writer() as new:
                return self._update(self._updater(new))

    def follow(self, pause: Callable[[], bool]) -> None:
        """Keep the catalog up to date until `pause` returns True, then update it a last time.

        Waits for other writers, such as a search that updates the catalog first.
        """
        place = CatalogDirectory(self.directory, self.database)
        while True:
            try:
                with place.held():
                    return self._follow_held(place, pause)
            except CatalogInUse:
                if not pause():
                    raise

    def _follow_held(self, place: CatalogDirectory, pause: Callable[[], bool]) -> None:
        is_outdated = False
        while True:
            writer = None if is_outdated else place.current_writer()
            if writer is None:
                with place.new_writer() as new:
                    self._updater(new).run(self._committed())
                is_outdated = False
                continue
            with contextlib.closing(writer):
                try:
                    return self._follow(self._updater(writer), pause)
                except FilesChanged:
                    is_outdated = True

    def _follow(self, updater: CatalogUpdate, pause: Callable[[], bool]) -> None:
        is_last = False
        while not is_last:
            is_last = not pause()
            updater.run(self._committed(), goes_on=not is_last)

    def _updater(self, writer: IndexWriter) -> CatalogUpdate:
        members = functools.partial(member_directories, self.directory)
        return CatalogUpdate(self.directory, writer, members=members, is_stopping=self.is_stopping)

    def _committed(self) -> Mapping[str, int] | None:
        return committed_sizes(self.directory)

    def _update(self, updater: CatalogUpdate) -> UpdateAmounts:
        committed = self._committed()
        members = member_directories(self.directory)
        total = unread_bytes(source_files(self.directory, committed, members), updater.positions)
        with bar("indexing", Bytes, total=total, is_hidden=self.is_quiet) as shown:
            told = ProgressLines(total)
            updater.run(committed, told.advance if self.tells_programs else shown.advance)
        return updater.amounts


def refresh(directory: Path, database: str) -> str:
    """Bring a catalog up to date if that does not take long; return a note for the user."""
    files = source_files(directory, committed_sizes(directory), member_directories(directory))
    is_built = has_catalog(directory)
    unread = _unread(directory, database, files) if is_built else unread_bytes(files, {})
    command = f"`tiptoe catalog build {directory}`"
    if unread > REFRESH_BYTES_MAX:
        if not is_built:
            raise SettingsError(
                f"{directory}: it has no catalog yet, and there is much to read ({unread / 1e6:.0f} MB); "
                f"{command} makes it"
            )
        return f"{unread / 1e6:.0f} MB of the corpus are not in the catalog yet; {command} reads them"
    if unread or not is_built:
        try:
            Building(directory, database, is_quiet=False).build()
        except CatalogInUse:
            if not has_catalog(directory):
                raise
        except (CrawlerError, OSError) as error:
            if not is_built:
                raise
            return f"the catalog could not be brought up to date: {error}"
    return ""


def _unread(directory: Path, database: str, files: list[CrawlFile]) -> int:
    """Return how many bytes are not in a catalog yet: all, if it is of another kind and has to be rebuilt."""
    try:
        with open_catalog(directory, database) as catalog:
            return unread_bytes(files, catalog.index.positions())
    except SettingsError:
        return unread_bytes(files, {})
