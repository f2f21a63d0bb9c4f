"""Of which kind is a document, to judge by its bytes?

What a server declares decides only between plain text and everything that is
not text at all; each other kind has bytes by which it is known.
"""

import enum
from typing import Final

__all__ = ["DocumentKind", "has_magic", "kind_of"]

PDF_START, RTF_START = b"%PDF-", b"{\\rtf"
ZIP_START, OLE_START = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
LOOK_BYTES: Final = 65_536
PDF_LOOK_BYTES: Final = 1_024
"""Bytes at the beginning of a file in which its mark may stand; other readers look as far."""

MARKUP_STARTS: Final = (b"<!doctype html", b"<html", b"<head", b"<?xml", b"<!--")
WIDE_STARTS: Final = (b"\xff\xfe", b"\xfe\xff")


class DocumentKind(enum.Enum):
    """The kinds that have a reader, by the media type under which they enter the corpus."""

    PDF = "application/pdf"
    DOC = "application/msword"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    ODT = "application/vnd.oasis.opendocument.text"
    RTF = "application/rtf"
    EPUB = "application/epub+zip"
    TXT = "text/plain"


def has_magic(data: bytes) -> bool:
    """Tell whether the very first bytes are those of a document, whatever its server says."""
    return data.startswith((PDF_START, RTF_START, ZIP_START, OLE_START))


def kind_of(data: bytes, declared: str) -> DocumentKind | None:
    """Return the kind of a document; None when there is no reader for it."""
    if data.startswith(ZIP_START):
        return _kind_of_zip(data)
    if data.startswith(OLE_START):
        return _kind_of_ole(data)
    if data.startswith(RTF_START):
        return DocumentKind.RTF
    if PDF_START in data[:PDF_LOOK_BYTES] and not _is_markup(data):
        return DocumentKind.PDF
    if declared == DocumentKind.TXT.value and _is_text(data):
        return DocumentKind.TXT
    return None


def _kind_of_zip(data: bytes) -> DocumentKind | None:
    # The first entry of these two is called `mimetype` and is not compressed.
    if data[30:38] == b"mimetype":
        said = data[38:120]
        for kind in (DocumentKind.EPUB, DocumentKind.ODT):
            if said.startswith(kind.value.encode()):
                return kind
        return None
    ends = data[:LOOK_BYTES], data[-LOOK_BYTES:]
    return DocumentKind.DOCX if any(b"word/document" in end for end in ends) else None


def _kind_of_ole(data: bytes) -> DocumentKind | None:
    names = (_stream_name("WordDocument"), _stream_name("EncryptedPackage"))
    return DocumentKind.DOC if any(name in data for name in names) else None


def _stream_name(name: str) -> bytes:
    return name.encode("utf-16-le")


def _is_markup(data: bytes) -> bool:
    return data[:PDF_LOOK_BYTES].lstrip().lower().startswith(MARKUP_STARTS)


def _is_text(data: bytes) -> bool:
    look = data[:LOOK_BYTES]
    return bool(look) and not _is_markup(look) and (b"\0" not in look or look.startswith(WIDE_STARTS))
