"""What did the server send for a version of a page, according to the archive?

The head as received, and the body as text: decompressed, in the charset that the corpus names, and cut at a
limit. It must be displayed as text, never rendered as a page.
"""

import codecs
import re
from typing import Final

import msgspec

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.fetch.coding import decode_body
from tiptoe.observe.page_history import History, Sighting
from tiptoe.write.archive import read_record

__all__ = ["SentAnswer", "sent_answer"]

RECORD_BYTES_MAX: Final = 64 << 20
TEXT_BYTES_MAX: Final = 2 << 20
HEADERS_MAX: Final = 200
_TEXTUAL: Final = re.compile(r"(?i)text/|.*[/+](xml|json|javascript|ecmascript|xhtml)|$")


class SentAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An archived answer; `text` is empty when the body is not text."""

    url: str
    seen_at: str
    warc_file: str
    warc_offset: int
    status_line: str  # empty if the protocol has none
    headers: list[tuple[str, str]]
    body_bytes: int  # as received
    charset: str
    text: str
    fault: str = ""  # why there is no text, or not all of it


def sent_answer(history: History, version: int) -> SentAnswer:
    """Read the answer that a version of a page was made from; raise SettingsError if it is not archived."""
    sighting = _sighting(history, version)
    head, body = _parts(_block(history, sighting))
    status_line, headers = _head(head)
    named = {name.lower(): value for name, value in headers}
    charset = history.document(version).charset or "utf-8"
    text, fault = _text(body, named.get("content-encoding"), named.get("content-type", ""), charset)
    return SentAnswer(
        url=history.url, seen_at=sighting.seen_at.isoformat().replace("+00:00", "Z"),
        warc_file=sighting.warc_file, warc_offset=sighting.warc_offset, status_line=status_line,
        headers=headers, body_bytes=len(body), charset=charset, text=text, fault=fault,
    )  # fmt: skip


def _sighting(history: History, version: int) -> Sighting:
    for sighting in history.sightings:
        if sighting.version == version and sighting.warc_file and sighting.warc_bytes:
            return sighting
    known = ", ".join(str(one.version) for one in history.sightings if one.version and one.warc_bytes)
    raise SettingsError(
        f"version {version} of {history.url}: not in the archive; versions there: {known or 'none'}"
    )


def _block(history: History, sighting: Sighting) -> bytes:
    place = sighting.warc_file, sighting.warc_offset, sighting.warc_bytes
    fault: CrawlerError | None = None
    for directory in (history.directory, *history.members):
        try:
            return read_record(directory, place, bytes_max=RECORD_BYTES_MAX)
        except CrawlerError as error:
            fault = fault or error
    assert fault is not None
    raise fault


def _parts(block: bytes) -> tuple[bytes, bytes]:
    if not block.startswith(b"HTTP/"):
        return b"", block  # for files and FTP the archive holds the bare content
    head, _, body = block.partition(b"\r\n\r\n")
    return head, body


def _head(head: bytes) -> tuple[str, list[tuple[str, str]]]:
    status_line, *lines = head.decode("iso-8859-1").split("\r\n")
    headers = [line.partition(":")[::2] for line in lines[:HEADERS_MAX] if ":" in line]
    return status_line, [(name.strip(), value.strip()) for name, value in headers]


def _text(body: bytes, coding: str | None, media_type: str, charset: str) -> tuple[str, str]:
    if not _TEXTUAL.match(media_type.partition(";")[0].strip()):
        return "", f"no text: {media_type}"
    decoded = decode_body(body, coding, TEXT_BYTES_MAX)
    try:
        codecs.lookup(charset)
    except LookupError:
        charset = "utf-8"
    fault = f"only {TEXT_BYTES_MAX >> 20} MB are shown" if decoded.is_cut else decoded.fault or ""
    return decoded.data.decode(charset, "replace"), fault
