"""How does a crawl get over a damaged database?

    copy what can be read ─▶ pages that only the files know ─▶ let its tables agree
        ─▶ the copy takes the place of the damaged one, which stays beside it

Killed before the last step, nothing has happened; after it, all of it has.
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
    """What was saved of a database, and what was not."""

    tables: dict[Table, Salvaged]
    reconciled: Reconciled
    pages_restored: int = 0  # which the database had lost, and the files know
    set_aside: Path = field(default_factory=Path)  # the damaged one


def check_database(path: Path, advance: Advance = lambda count: None) -> None:
    """Read every row of a database; DamagedDatabase says what is wrong."""
    store = RocksStore(path, block_cache_bytes=BUFFER_BYTES, write_buffer_bytes=BUFFER_BYTES)
    with closing(store):
        for table in Table:
            for _ in store.scan(table):
                advance(1)


def rescue(
    directory: Path, path: Path, *, encoding: str, now: float, advance: Advance = lambda count: None
) -> Rescue:
    """Put a sound database in the place of a damaged one, with everything that can be read of that."""
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
    """Return a name for a damaged database that is put aside."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside


def _adopt_files(store: RocksStore, directory: Path, encoding: str) -> None:
    """Give open files a mark whose marks were lost: else all of them would count as never acknowledged."""
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
