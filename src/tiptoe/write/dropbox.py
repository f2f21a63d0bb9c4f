"""How do the findings of `tiptoe convert` reach the keeper?

Through folders: conversions put files into them, each complete from the start; the
keeper takes them in, in order, and deletes each once its contents are committed. After
a crash a file may be taken in twice, which must do no harm.

Links taken in twice are recognised as known. Texts are handed over only once they are in the corpus: after a
crash in between, the index does not know a text of the corpus, which at worst means a duplicate. In the
opposite order, a text would be lost.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from tiptoe.errors import DiskFull
from tiptoe.write.appendfile import is_disk_full
from tiptoe.write.replacing import replace_lines

__all__ = [
    "FoundLinks", "KeptText", "leave_links", "leave_texts", "links_in", "texts_in", "waiting_links",
    "waiting_texts",
]  # fmt: skip

SUFFIX = ".jsonl"
FILE_BYTES_MAX = 256 << 20
"""Maximum size of a file that is read; `tiptoe convert` writes none above it, so longer ones are ignored."""

Left = TypeVar("Left", bound=msgspec.Struct)


class Dropbox(Generic[Left]):
    """A folder in the directory of a crawl, with files of JSON lines of one type."""

    def __init__(self, folder: Path, type_: type[Left]) -> None:
        self._folder = folder
        self._type = type_

    def leave(self, directory: Path, name: str, left: Iterable[Left]) -> None:
        """Leave a file for the keeper; it replaces a waiting file of the same name."""
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
        """Return the contents of a file; lines that are not ours are skipped."""
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


class FoundLinks(msgspec.Struct, frozen=True):
    """The links of one document, as written in it."""

    url: str
    depth: int  # of the document
    hrefs: list[str]


class KeptText(msgspec.Struct, frozen=True):
    """A text that is in the corpus."""

    url: str
    fingerprint: bytes


_LINKS: Final = Dropbox(Path("state", "links"), FoundLinks)
_TEXTS: Final = Dropbox(Path("state", "texts"), KeptText)

leave_links: Final = _LINKS.leave
waiting_links: Final = _LINKS.waiting
links_in: Final = _LINKS.read
leave_texts: Final = _TEXTS.leave
waiting_texts: Final = _TEXTS.waiting
texts_in: Final = _TEXTS.read
