"""How is a corpus written as a folder of files of a manageable size?

The folder has the files, a list of them with checksums, and a card that describes them:

    czech-dataset/
        README.md          for Hugging Face, and for people
        manifest.json      each file with size, sha256 and number of documents
        data/czech-00001.parquet ...
"""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.export.formats import Format
from tiptoe.export.output import Output
from tiptoe.export.output_folder import OutputFolder
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
        self._folder = OutputFolder(path, kind="dataset", is_ours=_is_dataset, force=force)
        self._part = self._folder.part
        self._name = name
        self._form = form
        self._shard_bytes = shard_bytes
        self.files: list[DatasetFile] = []
        self.written_bytes = 0

    def __enter__(self) -> "DatasetFolder":
        (self._folder.__enter__() / DATA).mkdir()
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        self._folder.__exit__(kind, *error)

    def write(self, documents: Iterable[Document], *, sentences: bool) -> None:
        """Write all documents, to as many files as needed."""
        rest = iter(documents)
        for first in rest:
            number = len(self.files) + 1
            path = self._part / DATA / f"{self._name}-{number:05d}{self._form.suffix}"
            with Output(path) as output:
                shard = _Shard(chain((first,), rest), output, self._shard_bytes)
                self._form.write(shard, output, sentences)
            self._note(path, shard.documents)

    def add(self, name: str, content: bytes) -> None:
        """Add a small file beside the others."""
        (self._part / name).write_bytes(content)
        self.written_bytes += len(content)

    def _note(self, path: Path, documents: int) -> None:
        """List a file, and any that its format has written beside it."""
        for made in sorted(path.parent.glob(f"{path.name}*")):
            with made.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = made.stat().st_size
            self.written_bytes += size
            self.files.append(
                DatasetFile(f"{DATA}/{made.name}", size, digest, documents if made == path else 0)
            )


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


def _is_dataset(folder: Path) -> bool:
    return (folder / MANIFEST).is_file()
