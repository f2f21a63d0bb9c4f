"""How far has the reading of sources progressed?

One database, `state/read`, has the position up to which each file was read, the counters, how much of each
output file belongs to that, and the index of texts. One write there commits a batch. `mend` cuts off what a
killed run has written beyond.
"""

import os
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.ingest.file_position import BEGINNING, FilePosition
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.contents import whole_lines_end
from tiptoe.write.numbered_files import rename_finished
from tiptoe.write.output_kinds import CORPUS, GONE_LIST

__all__ = ["DATABASE", "WRITER", "FileProgress", "IngestProgress", "ProgressStore"]

DATABASE: Final = Path("state", "read")
WRITER: Final = "read"
"""Prefix of the names of output files."""

KEY: Final = b"read"
CACHE_BYTES: Final = 16 << 20
BUFFER_BYTES: Final = 8 << 20


class FileProgress(msgspec.Struct, array_like=True, frozen=True):
    """How much of a source file is done."""

    position: FilePosition = BEGINNING
    is_done: bool = False
    size: int = 0  # of the file when it was finished
    modified_ns: int = 0
    version: int = 1


class IngestProgress(msgspec.Struct):
    """What has been read."""

    run: str = ""  # part of the names of the last run's files
    counts: dict[str, int] = {}  # what was met, by result
    text_chars: int = 0
    files: int = 0
    read_bytes: int = 0
    cpu_seconds: float = 0.0  # of readers
    lost_readers: int = 0
    marks: dict[str, int] = {}  # committed bytes of each open output file

    def count(self, what: str, times: int = 1) -> None:
        """Add to a counter."""
        self.counts[what] = self.counts.get(what, 0) + times


class ProgressStore:
    """The database of one output directory."""

    def __init__(self, directory: Path) -> None:
        (directory / DATABASE).parent.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self.rows = RocksStore(
            directory / DATABASE, block_cache_bytes=CACHE_BYTES, write_buffer_bytes=BUFFER_BYTES
        )

    def load(self) -> IngestProgress:
        """Return the progress of earlier runs."""
        row = self.rows.get(Table.META, KEY)
        return msgspec.msgpack.decode(row, type=IngestProgress) if row else IngestProgress()

    def files(self, paths: list[Path]) -> list[FileProgress]:
        """Return how much of each of these source files is done."""
        rows = self.rows.get_many(Table.PAGE, list(map(_key, paths)))
        return [msgspec.msgpack.decode(row, type=FileProgress) if row else FileProgress() for row in rows]

    def put_file(self, batch: Writes, path: Path, progress: FileProgress) -> None:
        """Note how much of a source file is done."""
        batch.put(Table.PAGE, _key(path), msgspec.msgpack.encode(progress))

    def commit(self, batch: Writes, progress: IngestProgress) -> None:
        """Commit a batch, completely or not at all."""
        batch.put(Table.META, KEY, msgspec.msgpack.encode(progress))
        self.rows.write(batch)

    def mend(self, progress: IngestProgress) -> dict[str, int]:
        """Cut the files of a killed run back to what is committed; return how much of that is lost."""
        lost = {}
        for kind in (CORPUS, GONE_LIST):
            for path in kind.files(self._directory):
                name = path.name.removesuffix(OPEN_SUFFIX)
                if path.name == name or not name.startswith(f"{WRITER}-"):
                    continue
                mark = progress.marks.get(f"{kind.folder}/{name}", 0)
                whole = whole_lines_end(path, mark) if mark else 0
                if whole < mark:
                    lost[f"{kind.folder}/{name}"] = mark - whole
                if whole:
                    os.truncate(path, whole)
                    rename_finished(path)
                else:
                    path.unlink()
        return lost

    def close(self) -> None:
        self.rows.close()


def _key(path: Path) -> bytes:
    """Return the key of a source file, without `.open`: a crawl that goes on will rename the file."""
    return os.fsencode(path).removesuffix(OPEN_SUFFIX.encode())
