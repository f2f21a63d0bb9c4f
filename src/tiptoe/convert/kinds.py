"""Which kind of document is this, judging by its bytes?

The type declared by the server is only used to tell plain text from data that is
not text; every other kind is recognised by its own bytes.
"""

import enum
from typing import Final

__all__ = ["DocumentKind", "has_magic", "kind_of"]

PDF_START, RTF_START = b"%PDF-", b"{\\rtf"
ZIP_START, OLE_START = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
LOOK_BYTES: Final = 65_536
PDF_LOOK_BYTES: Final = 1_024
"""Number of bytes at the start of a file that are searched for its signature, as other readers do."""

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
    """Return whether the very first bytes are those of a document, whatever its server says."""
    return data.startswith((PDF_START, RTF_START, ZIP_START, OLE_START))


def kind_of(data: bytes, declared: str) -> DocumentKind | None:
    """Return the kind of a document; None if there is no reader for it."""
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
        value = data[38:120]
        for kind in (DocumentKind.EPUB, DocumentKind.ODT):
            if value.startswith(kind.value.encode()):
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
