"""How does what `tiptoe convert` finds reach the keeper?

Through a folder: whoever converts puts files into it, whole or not at all; the
keeper takes them in, in order, and removes each once what it holds is
committed. Files may be taken in twice, after a crash: what they hold must not mind.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from tiptoe.errors import DiskFull
from tiptoe.write.appendfile import is_disk_full
from tiptoe.write.replacing import replace_lines

__all__ = ["Dropbox"]

SUFFIX = ".jsonl"
FILE_BYTES_MAX = 256 << 20
"""Maximum size of a file that is read; no batch that `tiptoe convert` leaves is longer."""

Left = TypeVar("Left", bound=msgspec.Struct)


class Dropbox(Generic[Left]):
    """A folder below the directory of a crawl, with files of JSON lines of one type."""

    def __init__(self, folder: Path, type_: type[Left]) -> None:
        self._folder = folder
        self._type = type_

    def leave(self, directory: Path, name: str, left: Iterable[Left]) -> None:
        """Leave a file for the keeper; under the same name it replaces what waits there."""
        path = directory / self._folder / (name + SUFFIX)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if is_disk_full(error):
                raise DiskFull(path) from error
            raise
        replace_lines(path, (msgspec.json.encode(one) + b"\n" for one in left))

    def waiting(self, directory: Path) -> list[Path]:
        """Return the files that wait for the keeper, oldest first."""
        return sorted((directory / self._folder).glob(f"*{SUFFIX}"))

    def read(self, path: Path) -> list[Left]:
        """Return what a file holds; lines that are none of ours are passed over."""
        decoder = msgspec.json.Decoder(self._type)
        found: list[Left] = []
        if path.stat().st_size > FILE_BYTES_MAX:
            return found
        for line in path.read_bytes().splitlines():
            try:
                found.append(decoder.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
        return found
