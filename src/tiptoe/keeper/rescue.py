"""How does a crawl recover from a damaged database?

    copy what can be read ─▶ pages that only the files know ─▶ let its tables agree
        ─▶ the copy takes the place of the damaged one, which stays beside it

If the process is killed before the last step, nothing has changed; after it, everything is done.
"""

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiptoe.frontier.filemarks import FileMark, FileMarks
from tiptoe.frontier.reconciling import Reconciled, reconcile
from tiptoe.keeper.page_rescue import restore_pages
from tiptoe.store.rocks import RocksStore
from tiptoe.store.salvage import Salvaged, salvage
from tiptoe.store.tables import Table, Writes
from tiptoe.write.archive import Advance
from tiptoe.write.contents import damage_in
from tiptoe.write.output_kinds import harvester_kind, open_names
from tiptoe.write.recovery import path_of

__all__ = ["Rescue", "check_database", "free_name", "rescue"]

BUFFER_BYTES: Final = 16 << 20


@dataclass(slots=True)
class Rescue:
    """What was saved from a database, and what was not."""

    tables: dict[Table, Salvaged]
    reconciled: Reconciled
    pages_restored: int = 0  # that the database had lost, and the files still have
    set_aside: Path = field(default_factory=Path)  # the damaged one


def check_database(path: Path, advance: Advance = lambda count: None) -> None:
    """Read every row of a database; raise DamagedDatabase if that fails."""
    store = RocksStore(path, block_cache_bytes=BUFFER_BYTES, write_buffer_bytes=BUFFER_BYTES)
    with closing(store):
        for table in Table:
            for _ in store.scan(table):
                advance(1)


def rescue(
    directory: Path, path: Path, *, encoding: str, now: float, advance: Advance = lambda count: None
) -> Rescue:
    """Replace a damaged database by a sound one with everything that can still be read."""
    copy = path.with_name(f"{path.name}.new")
    tables = salvage(path, copy, buffer_bytes=BUFFER_BYTES, advance=advance)
    store = RocksStore(copy, block_cache_bytes=BUFFER_BYTES, write_buffer_bytes=BUFFER_BYTES)
    with closing(store):
        _adopt_files(store, directory, encoding)
        restored = restore_pages(store, directory)
        reconciled = reconcile(store, now)
    aside = free_name(path)
    path.rename(aside)
    copy.rename(path)
    return Rescue(tables, reconciled, restored, aside)


def free_name(path: Path) -> Path:
    """Return an unused name for a damaged database that is set aside."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside


def _adopt_files(store: RocksStore, directory: Path, encoding: str) -> None:
    """Give open files new marks if theirs were lost: otherwise everything in them would be cut off."""
    marks, batch = FileMarks(store), Writes()
    known = marks.all()
    for name in open_names(directory):
        file = path_of(directory, name)
        if name in known or file is None:
            continue
        size = file.stat().st_size
        damage = damage_in(file, harvester_kind(name), size, encoding=encoding)
        whole = damage[-1][0] if damage and damage[-1][1] == size else size
        marks.put(batch, name, FileMark(whole))
    store.write(batch)
