"""What became of a document that was stored aside?

The lists of documents, the progress of their conversion, and the corpus tell.
"""

import enum
from pathlib import Path
from typing import NamedTuple

import msgspec

from tiptoe.convert.progress import load
from tiptoe.observe.traces import corpus_lines_of, document_lines_of
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.documents import StoredDocument
from tiptoe.write.output_kinds import CONVERTED_TEXTS

__all__ = ["DocumentFate", "StoredFate", "fate_of_document"]


class DocumentFate(enum.StrEnum):
    """How far a document has come."""

    WAITING = "waiting"  # for `tiptoe convert`
    CONVERTED = "converted"  # its text is in the corpus
    TEXTLESS = "textless"  # it was read, but no text of it entered the corpus


class StoredFate(NamedTuple):
    """The kind of a document, judged by its content, and what became of it."""

    media_type: str
    fate: DocumentFate


def fate_of_document(directory: Path, url: str) -> StoredFate | None:
    """Return what became of the last copy of a document; None if no list has it."""
    last = None
    for found in document_lines_of([directory], url):
        try:
            last = (found, msgspec.json.decode(found.line, type=StoredDocument))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # `tiptoe repair` reports damage
    if last is None:
        return None
    found, stored = last
    name = f"{found.path.parent.name}/{found.path.name.removesuffix(OPEN_SUFFIX)}"
    if load(directory).lists.get(name, 0) <= found.offset:
        return StoredFate(stored.type, DocumentFate.WAITING)
    texts = corpus_lines_of([directory], url, {CONVERTED_TEXTS.stem})
    fate = DocumentFate.TEXTLESS if next(texts, None) is None else DocumentFate.CONVERTED
    return StoredFate(stored.type, fate)
