"""In which encoding is a line of the corpus written?

Each run records it (`run_figures.py`), and the files of its harvesters are named after the run. A file
without a run in its name, of converted documents for instance, is read as UTF-8 or, failing that, in the
encoding of the last run.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from tiptoe.observe.run_figures import read_runs
from tiptoe.write.output_kinds import CORPUS

__all__ = ["CorpusDecoder", "corpus_encoding"]

Known = TypeVar("Known")


def corpus_encoding(directory: Path) -> str | None:
    """Return the encoding that a corpus is written in; None while the corpus is empty."""
    last = read_runs(directory).last
    return last.encoding if last and CORPUS.files(directory) else None


class CorpusDecoder(Generic[Known]):
    """Reads lines of a corpus as one type, each in the encoding of its file."""

    def __init__(self, directory: Path, form: type[Known], members: Sequence[Path] = ()) -> None:
        """`members` are the directories of further agents of the same crawl."""
        self._decode = msgspec.json.Decoder(form).decode
        self._runs = read_runs(directory, *members)
        self._path = Path()
        self._encodings: list[str] = []

    def read(self, path: Path, line: bytes) -> Known:
        """Return the content of a line; raise msgspec.DecodeError or ValueError if it is not one of ours."""
        if path != self._path:
            self._path, self._encodings = path, self._encodings_of(path)
        *doubtful, last = self._encodings
        for encoding in doubtful:
            with suppress(UnicodeDecodeError):
                return self._read(line, encoding)
        return self._read(line, last)

    def _read(self, line: bytes, encoding: str) -> Known:
        return self._decode(line if encoding == "utf-8" else line.decode(encoding).encode())

    def _encodings_of(self, path: Path) -> list[str]:
        """Return the possible encodings of a file, the likeliest first."""
        named = [self._runs.encodings[part] for part in path.name.split("-") if part in self._runs.encodings]
        if named:
            return named[-1:]
        last = self._runs.last.encoding if self._runs.last else "utf-8"
        return ["utf-8"] if last == "utf-8" else ["utf-8", last]
