"""How are pages that are to be forgotten removed from a catalog?

They are found by their site and removed. The catalog keeps its read position in each file: for files that got
shorter the position is updated, unless it was in the middle of the file, which is then read again; so are
files of the corpus, if the catalog reads texts from them. Imported descriptions are files of the operator:
covered ones are removed from them too.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from isal.isal_zlib import crc32

from tiptoe.catalog.catalog_directory import FOLDER, CatalogDirectory, has_catalog, open_catalog
from tiptoe.catalog.catalog_index import CatalogIndex, Change, ReadPosition, rank_of
from tiptoe.catalog.catalog_update import CHECKED_BYTES, IMPORTS_FOLDER, imported_files
from tiptoe.catalog.entry import page_number
from tiptoe.catalog.query import HasValue
from tiptoe.catalog.soif import read_soif, write_soif
from tiptoe.errors import SettingsError
from tiptoe.forget.journal import FileChange
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.wish import Wish
from tiptoe.write.output_kinds import CORPUS
from tiptoe.write.replacing import replace_lines

__all__ = ["expect_free_catalog", "forget_in_catalog", "pages_in_catalog", "thin_descriptions"]

AT_ONCE: Final = 200
_canonical = Canonicalizer().canonical
MILLISECONDS: Final = 1000


def pages_in_catalog(directory: Path, database: str, wish: Wish) -> int:
    """Return how many pages of a catalog are covered; 0 if there is no readable catalog."""
    if not has_catalog(directory):
        return 0
    try:
        with open_catalog(directory, database) as catalog:
            return sum(1 for _ in _numbers_meant(catalog.index, wish))
    except SettingsError:
        return 0  # of another version, or moved elsewhere


def expect_free_catalog(directory: Path) -> None:
    """Raise CatalogInUse if another process is writing the catalog: better now than half-way."""
    if has_catalog(directory):
        with CatalogDirectory(directory).held():
            return


def forget_in_catalog(
    directory: Path, database: str, wish: Wish, changes: Mapping[str, FileChange], *,
    now: float, step: Callable[[], object] = lambda: None,
) -> None:  # fmt: skip
    """Remove covered pages from the catalog of a crawl; CatalogInUse if another process is writing it."""
    if not has_catalog(directory):
        return
    place = CatalogDirectory(directory, database)
    with place.held():
        imports = _thin_imports(directory, wish, step)
        writer = place.current_writer()
        if writer is None:
            # Of another version, or moved elsewhere: the next build makes a new one.
            for path in (directory / FOLDER).glob("index-*"):
                shutil.rmtree(path)
            return
        with contextlib.closing(writer):
            with open_catalog(directory, database) as catalog:
                numbers = list(_numbers_meant(catalog.index, wish))
            rank = rank_of(int(now * MILLISECONDS), is_gone=True)
            for start in range(0, len(numbers), AT_ONCE):
                some = numbers[start : start + AT_ONCE]
                writer.write([Change(number, rank, None, "", is_known=True) for number in some])
            positions = writer.positions()
            for name, change in {**changes, **imports}.items():
                before = positions.pop(name, None)
                has_moved = name.startswith(f"{CORPUS.folder}/") and not writer.has_texts
                if before is None or has_moved:  # then it is read again, for the new places of its texts
                    continue
                if before.offset >= change.before:
                    positions[name] = _position_at(directory / name, change.after)
                elif before.offset == change.after and _position_at(directory / name, change.after) == before:
                    positions[name] = before  # recorded by a process that was killed right afterwards
                else:
                    writer.remove_source(name)
            # The offsets in rating files have changed with the texts, but the ratings are the same.
            for name in [name for name in positions if name.startswith("usability/")]:
                if name.partition("/")[2] in changes:
                    del positions[name]
            step()
            writer.commit(positions)


def _numbers_meant(index: CatalogIndex, wish: Wish) -> Iterator[int]:
    """Yield the numbers of covered pages."""
    condition, offset = HasValue("site", wish.host), 0
    while found := index.search(condition, sort="sample", offset=offset, limit=AT_ONCE).entries:
        for _, entry in found:
            if _covers(wish, entry.described.url):
                yield page_number(entry.described.url)
        offset += len(found)


def _covers(wish: Wish, url: str) -> bool:
    """Whether a page is covered, even if a description spells its URL in another way."""
    return wish.covers(url) or wish.covers(_canonical(url) or url)


def _position_at(path: Path, offset: int) -> ReadPosition:
    """Return the catalog's read position for a file that was read up to this offset."""
    first = max(offset - CHECKED_BYTES, 0)
    with path.open("rb") as file:
        return ReadPosition(offset, crc32(os.pread(file.fileno(), offset - first, first)) if offset else 0)


def _thin_imports(directory: Path, wish: Wish, step: Callable[[], object]) -> dict[str, FileChange]:
    changes = {}
    for path in imported_files(directory):
        before = path.stat().st_size
        if count := thin_descriptions(path, [wish], step):
            changes[f"{IMPORTS_FOLDER}/{path.name}"] = FileChange(before, path.stat().st_size, count)
    return changes


def thin_descriptions(path: Path, wishes: Collection[Wish], step: Callable[[], object] = lambda: None) -> int:
    """Remove covered pages from a file of descriptions in SOIF; return how many that was."""

    def is_covered(url: str) -> bool:
        return any(_covers(wish, url) for wish in wishes)

    with path.open("rb") as file:
        count = sum(is_covered(one.url) for one in read_soif(file))
        if count:
            file.seek(0)
            step()
            replace_lines(path, (write_soif(one) for one in read_soif(file) if not is_covered(one.url)))
    return count
