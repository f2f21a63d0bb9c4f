"""Which answers are documents that wait to be converted?

One JSON line per pdf, docx, odt … that was received, with the place of its
record in the archive: enough to read it back without any index. The list is
written and committed together with the archive.
"""

import os
from pathlib import Path

import msgspec

from tiptoe.write.appendfile import Write
from tiptoe.write.series import Series

__all__ = ["DOCUMENTS_FOLDER", "DocumentList", "StoredDocument"]

DOCUMENTS_FOLDER = "documents"
LIST_BYTES_MAX = 64_000_000


class StoredDocument(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """A document that was stored aside, and where it lies."""

    id: str  # of the WARC record
    url: str
    type: str  # by its content
    fetched_at: str  # ISO 8601, UTC
    depth: int
    digest: str
    warc_file: str
    warc_offset: int
    warc_length: int
    coding: str = ""  # content coding of the body, as its server named it
    charset: str = ""  # as its server named it
    language: str = ""  # the same
    last_modified: str = ""
    is_cut: bool = False  # longer, or slower, than we take
    is_nofollow: bool = False  # its links are not to be followed
    is_back: bool = False  # the visit before this one did not find it


class DocumentList:
    """Writes the list to `documents/<prefix>-00001.jsonl` and on."""

    def __init__(self, directory: Path, prefix: str, *, write: Write = os.write) -> None:
        self.series = Series(
            directory, f"{DOCUMENTS_FOLDER}/{prefix}", ".jsonl", size_max=LIST_BYTES_MAX, write=write
        )
        self._encoder = msgspec.json.Encoder()

    def add(self, document: StoredDocument) -> int:
        """Add one document; return the checksum of its line."""
        return self.series.append_line(self._encoder.encode(document))
