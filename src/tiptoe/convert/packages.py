"""What does a zip file contain, unless it is a zip bomb?

Entries are unpacked one at a time from a common budget. So neither a high compression
ratio nor many small or overlapping entries can cost more than that.
"""

import io
import zipfile
import zlib
from collections.abc import Callable
from xml.parsers import expat

from tiptoe.convert.reading import Reason, Unreadable

__all__ = ["Package", "parse_xml"]

ENTRIES_MAX = 10_000
UNPACKED_BYTES_MAX = 200 * 1024 * 1024
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED_FLAG = 1
XML_PIECE_BYTES = 1 << 20

Start = Callable[[str, dict[str, str]], object]
End = Callable[[str], object]
Data = Callable[[str], object]


class Package:
    """A zip file, read entry by entry."""

    def __init__(self, data: bytes, *, bytes_max: int = UNPACKED_BYTES_MAX) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeDecodeError):
            raise Unreadable(Reason.BROKEN) from None
        if len(self._zip.namelist()) > ENTRIES_MAX:
            raise Unreadable(Reason.TOO_BIG)
        self._bytes_left = bytes_max

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def find(self, name: str) -> bytes:
        """Return an entry; empty if there is none with this name."""
        return self.read(name) if name in self else b""

    def read(self, name: str) -> bytes:
        """Return an entry that must exist; Unreadable if it does not."""
        info = self._zip.NameToInfo.get(name)
        if info is None:
            raise Unreadable(Reason.BROKEN)
        if info.flag_bits & ENCRYPTED_FLAG:
            raise Unreadable(Reason.ENCRYPTED)
        if info.compress_type not in METHODS:
            raise Unreadable(Reason.UNSUPPORTED)
        try:
            with self._zip.open(info) as entry:
                data = entry.read(self._bytes_left + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError):
            raise Unreadable(Reason.BROKEN) from None
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise Unreadable(Reason.TOO_BIG)
        return data


def parse_xml(data: bytes, *, start: Start, end: End | None = None, text: Data | None = None) -> bool:
    """Pass the elements of a file to these functions as `uri name`; return whether it was complete.

    No tree is built, so depth and length cost no memory here. A file that declares
    an entity is refused: no honest document of these kinds does.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = _refuse_entity
    try:
        for at in range(0, len(data), XML_PIECE_BYTES):
            parser.Parse(data[at : at + XML_PIECE_BYTES], False)
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError):
        return False
    return True


def _refuse_entity(*declared: object) -> None:
    raise Unreadable(Reason.BROKEN)
