"""Which reader is responsible for which kind of document?"""

from collections.abc import Callable, Mapping
from typing import Final

from tiptoe.convert.doc import read_doc
from tiptoe.convert.epub import read_epub
from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.office import read_docx, read_odt
from tiptoe.convert.pdf import read_pdf
from tiptoe.convert.plain import read_plain
from tiptoe.convert.reading import Reason, TextDocument, Unreadable
from tiptoe.convert.rtf import read_rtf

__all__ = ["READERS", "read"]

READERS: Final[Mapping[DocumentKind, Callable[[bytes], TextDocument]]] = {
    DocumentKind.PDF: read_pdf,
    DocumentKind.DOC: read_doc,
    DocumentKind.DOCX: read_docx,
    DocumentKind.ODT: read_odt,
    DocumentKind.RTF: read_rtf,
    DocumentKind.EPUB: read_epub,
    DocumentKind.TXT: lambda data: read_plain(data, ""),
}


def read(kind: DocumentKind, data: bytes, charset: str = "") -> TextDocument | Reason:
    """Return the text of a document, or the reason why there is none."""
    try:
        return read_plain(data, charset) if kind is DocumentKind.TXT else READERS[kind](data)
    except Unreadable as fault:
        return fault.reason
    except MemoryError:
        return Reason.MEMORY
