"""Which answers are documents that wait to be converted?

One JSON line per pdf, docx, odt … received, with the place of its record in the
archive: enough to read it back without an index. The list is written and
committed together with the archive.
"""

import msgspec

__all__ = ["StoredDocument"]


class StoredDocument(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """A document that was stored aside, and where it is."""

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
    is_cut: bool = False  # cut off: too long, or too slow
    is_nofollow: bool = False  # its links are not to be followed
    is_back: bool = False  # the previous visit did not find it
