"""Where are ratings stored that were made after the document was written?

Finished files of the corpus never change. So beside `corpus/NAME.jsonl` there
may be `usability/NAME.jsonl`: one line per document rated later, identified by the
offset of its line. Such a rating overrides the one in the corpus.
"""

import fcntl
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, BinaryIO, TypeAlias

import msgspec

from tiptoe.errors import CrawlerError
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.output_kinds import LATE_RATINGS

__all__ = ["LateFile", "LateRating", "Share", "late_path", "read_late"]

Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
"""A usability, as segmenters may return it."""


class LateRating(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rating, with the document of the corpus that it belongs to."""

    offset: Annotated[int, msgspec.Meta(ge=0)]  # where the document's line begins
    id: str
    usability: Share | None  # None: too little text to judge
    annotations: Mapping[str, object] = {}


def late_path(corpus_file: Path) -> Path:
    """Return the path of the later ratings for a file of the corpus, finished or not."""
    return corpus_file.parent.parent / LATE_RATINGS.folder / corpus_file.name.removesuffix(OPEN_SUFFIX)


def read_late(corpus_file: Path) -> dict[int, LateRating]:
    """Return the later ratings by offset, the last one for each; torn lines are skipped."""
    try:
        lines = late_path(corpus_file).read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return {}
    decode = msgspec.json.Decoder(LateRating).decode
    found = {}
    for line in lines:
        try:
            rating = decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        found[rating.offset] = rating
    return found


class LateFile:
    """The later ratings of one file of the corpus, open for writing by one process at a time."""

    def __init__(self, corpus_file: Path) -> None:
        self._path = late_path(corpus_file)
        self._file: BinaryIO | None = None

    def __enter__(self) -> "LateFile":
        self._path.parent.mkdir(exist_ok=True)
        self._file = self._path.open("a+b")
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise CrawlerError(f"{self._path}: another process writes it; wait until it is done") from None
        self._file.seek(0)
        whole = self._file.read().rfind(b"\n") + 1
        os.ftruncate(self._file.fileno(), whole)  # an incomplete line would spoil the next one
        return self

    def add(self, ratings: list[LateRating]) -> None:
        """Write ratings, so that they survive the end of this process."""
        assert self._file is not None
        self._file.write(b"".join(msgspec.json.encode(rating) + b"\n" for rating in ratings))
        self._file.flush()

    def __exit__(self, *error: object) -> None:
        assert self._file is not None
        is_empty = self._file.tell() == 0
        self._file.close()
        if is_empty:
            self._path.unlink()
