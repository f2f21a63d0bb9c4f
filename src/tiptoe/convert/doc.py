"""What text does a file of Word 97 to 2003 contain?

It is an OLE file with a stream of text in pieces, with 8 or 16 bits per character, and
a table that gives their order. Fields (links, page numbers) are embedded in the text
between control characters: instruction, then result.
"""

import io
import re
import struct
from collections.abc import Iterator

import olefile

from tiptoe.convert.reading import Reason, TextDocument, Unreadable, document
from tiptoe.convert.rtf import language_name

__all__ = ["read_doc"]

WORD_MAGIC, OLDEST_VERSION = 0xA5EC, 0xC1
ENCRYPTED, SECOND_TABLE = 0x0100, 0x0200
VERSION_AT, LANGUAGE_AT, FLAGS_AT = 0x02, 0x06, 0x0A
TEXT_CHARS_AT, NOTE_CHARS_AT = 0x4C, 0x50
PIECES_AT = 0x1A2
HEADER_BYTES = 0x1AA
PROPERTIES, PIECES = 1, 2
NARROW = 1 << 30
"""Flag in the offset of a piece whose characters take one byte each."""

STREAM_BYTES_MAX = 200 * 1024 * 1024
LINK = re.compile(r'HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]{1,2000})"', re.IGNORECASE)
FIELD_INNERMOST = re.compile("\x13([^\x13\x14\x15]*)\x14([^\x13\x14\x15]*)\x15|\x13[^\x13\x14\x15]*\x15")
FIELDS_DEPTH_MAX = 20
BREAK = re.compile("[\r\n\x07\x0b\x0c\x0e]")
REPLACED = str.maketrans({"\x1e": "-", "\x1f": None, "\x01": None, "\x02": None, "\x05": None, "\x08": None})


def read_doc(data: bytes) -> TextDocument:
    """Read the main text and its notes."""
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            if ole.exists("EncryptedPackage"):
                raise Unreadable(Reason.ENCRYPTED)
            main = _stream(ole, "WordDocument")
            if len(main) < HEADER_BYTES:
                raise Unreadable(Reason.BROKEN)
            flags = _number(main, FLAGS_AT, "<H")
            if flags & ENCRYPTED:
                raise Unreadable(Reason.ENCRYPTED)
            if _number(main, 0, "<H") != WORD_MAGIC or _number(main, VERSION_AT, "<H") < OLDEST_VERSION:
                raise Unreadable(Reason.UNSUPPORTED)
            table = _stream(ole, "1Table" if flags & SECOND_TABLE else "0Table")
            title = _title(ole)
    except (OSError, ValueError, IndexError, struct.error, AttributeError, TypeError, KeyError):
        raise Unreadable(Reason.BROKEN) from None
    wanted = _number(main, TEXT_CHARS_AT, "<i") + max(_number(main, NOTE_CHARS_AT, "<i"), 0)
    text = "".join(_pieces(main, table))[: max(wanted, 0)]
    text, links = _without_fields(text.translate(REPLACED))
    language = language_name(_number(main, LANGUAGE_AT, "<H"))
    return document(BREAK.split(text), title=title, language=language, links=links)


def _stream(ole: olefile.OleFileIO, name: str) -> bytes:
    if not ole.exists(name):
        raise Unreadable(Reason.BROKEN)
    if ole.get_size(name) > STREAM_BYTES_MAX:
        raise Unreadable(Reason.TOO_BIG)
    return bytes(ole.openstream(name).read())


def _title(ole: olefile.OleFileIO) -> str:
    if not ole.exists("\x05SummaryInformation"):
        return ""
    said = ole.get_metadata()
    if not isinstance(said.title, bytes):
        return ""
    # The number is a signed 16-bit integer: UTF-8 is -535.
    page = (said.codepage or 1252) & 0xFFFF
    codec = {65001: "utf-8", 1200: "utf-16-le", 10000: "mac_roman"}.get(page, f"cp{page}")
    try:
        return said.title.decode(codec, "replace")
    except LookupError:
        return said.title.decode("cp1252", "replace")


def _number(data: bytes, at: int, form: str) -> int:
    (value,) = struct.unpack_from(form, data, at)
    return int(value)


def _pieces(main: bytes, table: bytes) -> Iterator[str]:
    """Yield the pieces of the text in order."""
    start, size = struct.unpack_from("<II", main, PIECES_AT)
    plan = _piece_table(table[start : start + size])
    count = (len(plan) - 4) // 12
    if count < 1:
        raise Unreadable(Reason.BROKEN)
    bounds = struct.unpack_from(f"<{count + 1}I", plan)
    for index in range(count):
        chars = bounds[index + 1] - bounds[index]
        if not 0 <= chars <= len(main):
            raise Unreadable(Reason.BROKEN)
        place = _number(plan, 4 * (count + 1) + 8 * index + 2, "<I")
        if place & NARROW:
            at = (place & ~NARROW) // 2
            yield main[at : at + chars].decode("cp1252", "replace")
        else:
            yield main[place : place + 2 * chars].decode("utf-16-le", "replace")


def _piece_table(description: bytes) -> bytes:
    """Return the table of pieces, which comes after any number of properties."""
    at = 0
    while at + 5 <= len(description):
        if description[at] == PIECES:
            size = _number(description, at + 1, "<I")
            return description[at + 5 : at + 5 + size]
        if description[at] != PROPERTIES:
            break
        at += 3 + _number(description, at + 1, "<H")
    raise Unreadable(Reason.BROKEN)


def _without_fields(text: str) -> tuple[str, list[str]]:
    """Return a text with each field replaced by its result, and the links that fields hold."""
    links: list[str] = []

    def resolve(found: re.Match[str]) -> str:
        links.extend(LINK.findall(found[1] or ""))
        return found[2] or ""

    for _ in range(FIELDS_DEPTH_MAX):
        text, count = FIELD_INNERMOST.subn(resolve, text)
        if not count:
            break
    return text, links
