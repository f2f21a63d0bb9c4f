"""How does a corpus become a folder of files of a bearable size?

The files, a list of them with their checksums, and a card that says what they are:

    czech-dataset/
        README.md          for Hugging Face, and for people
        manifest.json      each file with size, sha256 and number of documents
        data/czech-00001.parquet ...

The folder is made under another name, `.part`, and gets its own when all is well; what was there before stays
until then.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.errors import SettingsError
from tiptoe.export.formats import Format
from tiptoe.export.output import PART_SUFFIX, Output
from tiptoe.write.corpus import Document

__all__ = ["CARD", "MANIFEST", "DatasetFile", "DatasetFolder", "Manifest"]

CARD: Final = "README.md"
MANIFEST: Final = "manifest.json"
DATA: Final = "data"


class DatasetFile(msgspec.Struct, frozen=True):
    """A file of the dataset."""

    name: str
    bytes: int
    sha256: str
    documents: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a dataset consists of."""

    tool: str
    format: str
    documents: int
    characters: int
    files: list[DatasetFile]


class DatasetFolder:
    """The folder that an export writes."""

    def __init__(self, path: Path, name: str, form: Format, *, shard_bytes: int, force: bool) -> None:
        self._path = path
        self._part = path.with_name(path.name + PART_SUFFIX)
        self._name = name
        self._form = form
        self._shard_bytes = shard_bytes
        self._force = force
        self._lock = -1
        self.files: list[DatasetFile] = []
        self.written_bytes = 0

    def __enter__(self) -> "DatasetFolder":
        self._check()
        self._part.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self._part, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise SettingsError(f"--out {self._path}: another export is writing it") from None
        _empty(self._part)
        (self._part / DATA).mkdir()
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        try:
            if kind is None:
                self._finish()
            else:
                shutil.rmtree(self._part, ignore_errors=True)
        finally:
            os.close(self._lock)

    def write(self, documents: Iterable[Document], *, sentences: bool) -> None:
        """Write all documents, in as many files as it takes."""
        rest = iter(documents)
        for first in rest:
            number = len(self.files) + 1
            path = self._part / DATA / f"{self._name}-{number:05d}{self._form.suffix}"
            with Output(path) as output:
                shard = _Shard(chain((first,), rest), output, self._shard_bytes)
                self._form.write(shard, output, sentences)
            self._note(path, shard.documents)

    def add(self, name: str, content: bytes) -> None:
        """Put a small file beside the others."""
        (self._part / name).write_bytes(content)
        self.written_bytes += len(content)

    def _note(self, path: Path, documents: int) -> None:
        """List a file, and what its format has put beside it."""
        for made in sorted(path.parent.glob(f"{path.name}*")):
            with made.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = made.stat().st_size
            self.written_bytes += size
            self.files.append(
                DatasetFile(f"{DATA}/{made.name}", size, digest, documents if made == path else 0)
            )

    def _check(self) -> None:
        """Raise SettingsError unless the folder may be made, or made anew."""
        if not os.path.lexists(self._path):
            return
        if not self._path.is_dir():
            raise SettingsError(f"--out {self._path}: is there already, and is no folder")
        if any(self._path.iterdir()) and not (self._path / MANIFEST).is_file():
            raise SettingsError(f"--out {self._path}: has files in it that are no dataset of ours")
        if any(self._path.iterdir()) and not self._force:
            raise SettingsError(f"--out {self._path}: is there already; --force replaces it")

    def _finish(self) -> None:
        os.fsync(self._lock)
        if not self._path.is_dir():
            self._part.rename(self._path)
            return
        old = self._path.with_name(f".{self._path.name}-{os.getpid()}")
        self._path.rename(old)
        self._part.rename(self._path)
        shutil.rmtree(old)


class _Shard:
    """Documents until a file is full; an empty shard is never begun."""

    def __init__(self, documents: Iterator[Document], output: Output, bytes_max: int) -> None:
        self._rest = documents
        self._output = output
        self._bytes_max = bytes_max
        self.documents = 0

    def __iter__(self) -> Iterator[Document]:
        for document in self._rest:
            self.documents += 1
            yield document
            if self._output.file.tell() >= self._bytes_max:
                return


def _empty(folder: Path) -> None:
    """Remove what an export that was killed has left."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
