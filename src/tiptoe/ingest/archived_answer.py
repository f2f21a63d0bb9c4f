"""What did the server answer, according to an archive?

Turns a record written by any program into the `Answer` that a harvester would have had: head and body
separated, a stored transfer coding undone, missing parts left out. If one of our crawls wrote it, its notes
about the answer are read too: see `ArchiveNote`.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Final

import msgspec

from tiptoe.fetch.http_blocks import made_header_block, read_header_block
from tiptoe.fetch.outcome import Answer
from tiptoe.ingest.source_files import shown
from tiptoe.ingest.warc_input import InputRecord
from tiptoe.write.record import sha1_label, target_uri
from tiptoe.write.warc import Place

__all__ = ["ArchiveNote", "answer_of", "dated", "dechunked", "http_answer", "note_of", "place_of"]

INTERIM: Final = range(100, 200)
BLOCKS_MAX: Final = 10
HEAD_BYTES_MAX: Final = 1 << 20
URL_CHARS_MAX: Final = 8192
BLANK_LINE: Final = re.compile(rb"\r?\n\r?\n")
CHUNK_HEAD: Final = re.compile(rb"([0-9A-Fa-f]{1,8})[^\r\n]{0,1000}\r?\n")
CHUNKED: Final = re.compile(rb"(?im)^transfer-encoding[ \t]*:[^\r\n]*chunked")
BYTES: Final = "application/octet-stream"
DIGITS: Final = re.compile(r"[0-9]{14}")
NO_TEXT_HASH: Final = b""


class ArchiveNote(msgspec.Struct, frozen=True, kw_only=True):
    """What one of our crawls has noted about an answer in its metadata record.

    The judgements are valid only for the text with this hash.
    """

    depth: int = 0
    purpose: str = ""  # empty: it was requested as a page
    discarded: str = ""
    version: int = 1
    text_hash: bytes = NO_TEXT_HASH
    usability: float | None = None
    is_compared: bool = False  # with all texts of its crawl
    duplicity: float | None = None
    repeated: list[int] = []
    is_gone: bool = False  # this answer means that the page is gone


def answer_of(record: InputRecord) -> Answer | None:
    """Return the answer in a record; None if it contains none."""
    headers = record.headers
    url = headers.get("warc-target-uri", "").strip("<>")[:URL_CHARS_MAX]
    url = url if url.isprintable() else target_uri(url)
    truncated = headers.get("warc-truncated") or ("length" if record.is_cut else None)
    kind = headers.get("content-type", "application/http" if record.kind == "response" else BYTES)
    if record.kind == "response" and "application/http" in kind.lower():
        return http_answer(url, record.block, truncated, _moment(headers))
    if record.kind not in ("resource", "conversion", "response"):
        return None
    head = made_header_block(200, content_type=_latin(kind), length=len(record.block))
    return Answer(
        url=url,
        status=200,
        request_block=b"",
        header_block=b"",
        headers=head.headers,
        body=record.block,
        truncated=truncated,
        started_at=_moment(headers),
    )


def http_answer(url: str, block: bytes, truncated: str | None = None, at: float = 0.0) -> Answer | None:
    """Return the answer in a block, with head and body as received; None if it is not one."""
    start = 0
    for _ in range(BLOCKS_MAX):
        blank = BLANK_LINE.search(block, start, start + HEAD_BYTES_MAX)
        # Without a blank line all of it is the head of an answer without a body.
        end = blank.end() if blank is not None else len(block)
        raw = block[start:end]
        head = read_header_block(raw if blank is not None else raw + b"\r\n\r\n")
        if head is None:
            return None
        if head.status in INTERIM:
            start = end
            continue
        body = block[end:]
        if CHUNKED.search(raw) is not None:
            body = dechunked(body)
        return Answer(
            url=url,
            status=head.status,
            request_block=b"",
            header_block=head.block,
            headers=head.headers,
            body=body,
            truncated=truncated,
            started_at=at,
        )
    return None


def dechunked(body: bytes) -> bytes:
    """Undo chunked coding; a body without it is returned unchanged, a truncated one as far as it goes."""
    parts: list[bytes] = []
    at = 0
    while (head := CHUNK_HEAD.match(body, at)) is not None:
        size = int(head[1], 16)
        if not size:
            return b"".join(parts)
        part = body[head.end() : head.end() + size]
        parts.append(part)
        at = head.end() + size
        if len(part) < size:
            break
        at += 2 if body.startswith(b"\r\n", at) else 1 if body.startswith(b"\n", at) else 0
    return b"".join(parts) if parts else body


def place_of(record: InputRecord, file: PurePath, body: bytes) -> Place:
    """Return the place of an answer in the form used in the corpus."""
    headers = record.headers
    return Place(
        file=shown(file.name.removesuffix(".open")),
        offset=record.start.offset,
        length=record.end.offset - record.start.offset,
        record_id=headers.get("warc-record-id", "").strip("<>"),
        payload_digest=headers.get("warc-payload-digest") or sha1_label(body),
    )


def note_of(companions: Iterable[InputRecord]) -> ArchiveNote:
    """Return what metadata records note about the answer before them; other programs note next to nothing."""
    values: dict[str, str] = {}
    for record in companions:
        if record.kind == "metadata":
            for line in record.block.decode("utf-8", "replace").splitlines():
                name, colon, value = line.partition(":")
                if colon:
                    values.setdefault(name.strip(), value.strip())
    if not values:
        return ArchiveNote()
    return ArchiveNote(
        depth=_number(values.get("hopsFromSeed", "")),
        purpose=values.get("purpose", ""),
        discarded=values.get("discarded", ""),
        version=max(_number(values.get("version", "")), 1),
        text_hash=_hexadecimal(values.get("textHash", "")),
        usability=_share(values.get("usability", "")),
        is_compared="duplicity" in values,
        duplicity=_share(values.get("duplicity", "")),
        repeated=[_number(word) for word in values.get("repeated", "").split()],
        is_gone=values.get("gone") == "yes",
    )


def dated(record: InputRecord) -> str:
    """Return when a record was made, in the form of the corpus, to the microsecond; empty if unknown."""
    moment = _date(record.headers)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='microseconds')}Z" if moment else ""


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _share(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 0.0 <= found <= 1.0 else None


def _hexadecimal(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return NO_TEXT_HASH


def _latin(text: str) -> str:
    return text.encode("latin-1", "replace").decode("latin-1")


def _moment(headers: dict[str, str]) -> float:
    found = _date(headers)
    return max(found.timestamp(), 0.0) if found is not None else 0.0


def _date(headers: dict[str, str]) -> datetime | None:
    """Return when a record was made, in UTC; None if it has no valid date."""
    value = headers.get("warc-date", "")
    if DIGITS.fullmatch(value):  # the form used in older archives
        value = f"{value[:8]}T{value[8:]}"
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
