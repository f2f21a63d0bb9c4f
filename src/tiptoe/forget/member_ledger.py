"""What is a member of a crawl on many machines to tell the shards about the files that it has changed?

The shards erase their rows themselves; but only the member knows which texts leave its corpus. They are noted
in a file, before they leave, because a killed process could not find them again. Once the shards have been
told, the notes are removed.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.errors import CorruptFile
from tiptoe.forget.journal import FileChange
from tiptoe.forget.ledger import hashes_of
from tiptoe.forget.line_files import Text

__all__ = ["LeftText", "MemberLedger"]

TEXTS_FILE: Final = Path("state", "forget.texts")

_encode = msgspec.json.Encoder().encode


class LeftText(msgspec.Struct, frozen=True, array_like=True):
    """A text that leaves the corpus, with the hashes under which the index of texts knows it."""

    url: str
    hashes: bytes


_decode = msgspec.json.Decoder(LeftText).decode


class MemberLedger:
    """Notes what the shards are to be told: a `Ledger`."""

    def __init__(self, directory: Path, *, chars_min: int, files: Sequence[str] = ()) -> None:
        """`files` are those of this member that the shards know."""
        self._path = directory / TEXTS_FILE
        self._chars_min = chars_min
        self._files = files

    def note_wish(self) -> None:
        """Do nothing: the wish is a command of the whole crawl."""

    def note_size(self, name: str, change: FileChange) -> None:
        """Do nothing: the journal has the sizes until the shards have been told."""

    def unlearn(self, texts: list[Text]) -> None:
        if not texts:
            return
        with self._path.open("ab") as file:
            for text in texts:
                file.write(_encode(LeftText(text.url, hashes_of(text, self._chars_min))) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def erase(self) -> None:
        """Do nothing: each shard does it before its frontier starts."""

    def files(self) -> Iterator[str]:
        yield from self._files

    def texts(self) -> Iterator[LeftText]:
        """Yield the texts that were noted; some may come twice."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return  # it was being written when the process was killed, and its text is still there
                try:
                    yield _decode(line)
                except msgspec.DecodeError as error:
                    raise CorruptFile(self._path, offset=number, found=f"line {number} ({error})") from error

    def close(self) -> None:
        """Remove the notes: the shards have been told."""
        self._path.unlink(missing_ok=True)
