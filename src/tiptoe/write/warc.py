"""How are answers archived?

Byte for byte, as WARC/1.1: each exchange is a response, the request that led to
it and a metadata record, written in one piece; ftp and file answers are resource
records. A visit that brought nothing new is a revisit record, which has no body.
Every WARC file has a CDXJ index beside it that grows with it.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tiptoe.fetch.outcome import Answer
from tiptoe.write.appendfile import Write
from tiptoe.write.cdxj import IndexEntry, index_line
from tiptoe.write.numbered_files import NumberedFiles
from tiptoe.write.output_kinds import ARCHIVE, ARCHIVE_INDEX
from tiptoe.write.record import (
    MIME_CHARS_MAX,
    NO_CODING_LEVEL,
    field_text,
    fields_block,
    iso_date,
    member,
    new_ids,
    sha1_label,
    target_uri,
)
from tiptoe.write.revisit_records import REVISIT_MIME, Earlier, Profile, block_of, fields_of

__all__ = ["Place", "WarcInfo", "WarcWriter"]

INDEX_BYTES_MAX = 64 * 1024 * 1024
"""Maximum size of an index; above it the next file is begun, since sorting would take too much memory."""

HTTP = ("http:", "https:")
STANDARD = "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcInfo:
    """Who made the archive, and how: the first record of every file."""

    software: str
    operator: str  # name and contact of the people responsible for the crawl
    user_agent: str = ""
    robots: str = "obey"
    hostname: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an answer is stored: its record in a WARC file in `warc/`."""

    file: str
    offset: int
    length: int
    record_id: str
    payload_digest: str


class WarcWriter:
    """Writes exchanges to `warc/<prefix>-00001.warc.gz` and on, each with its index.

    An exchange is never split over two files. Offsets are final when they are
    returned, bytes reach the kernel with `flush`.
    """

    def __init__(
        self,
        directory: Path,
        prefix: str,
        *,
        info: WarcInfo,
        size_max: int,
        compression_level: int,
        clock: Callable[[], float] = time.time,
        write: Write = os.write,
    ) -> None:
        self._info = info
        self._level = compression_level
        self._clock = clock
        self._file = ""
        self._records = ARCHIVE.numbered_files(
            directory, prefix, size_max=size_max, opening=self._opening, write=write
        )
        # A new index is begun with each file of records, not by its own size.
        self._index = ARCHIVE_INDEX.numbered_files(
            directory, prefix, size_max=2 * INDEX_BYTES_MAX, write=write
        )

    @property
    def files(self) -> tuple[NumberedFiles, NumberedFiles]:
        """The files of records and of indexes, in the order in which they are flushed."""
        return self._records, self._index

    def write_exchange(self, answer: Answer, *, metadata: Mapping[str, str]) -> Place:
        """Write one answer with its request and what we know about it; return its place."""
        date, url = iso_date(answer.started_at), target_uri(answer.url)
        shared = _shared_fields(date, url, answer.address)
        payload_digest = sha1_label(answer.body)
        ids = record_id, _, _ = tuple(new_ids(3))
        if url.startswith(HTTP):
            received = self._response(answer, record_id, shared, payload_digest)
        else:
            received = self._resource(answer, record_id, shared, payload_digest)
        mime = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        entry = _entry(answer, url, date, field_text(mime)[:MIME_CHARS_MAX] or "unk", payload_digest)
        self._append(received, self._companions(answer, ids, shared, metadata), entry)
        return Place(
            file=entry.filename,
            offset=entry.offset,
            length=len(received),
            record_id=record_id,
            payload_digest=payload_digest,
        )

    def write_revisit(
        self, answer: Answer, profile: Profile, earlier: Earlier, *, metadata: Mapping[str, str]
    ) -> None:
        """Write an answer that brought nothing new, with its request and metadata but without a body."""
        date, url = iso_date(answer.started_at), target_uri(answer.url)
        shared = _shared_fields(date, url, answer.address)
        ids = record_id, _, _ = tuple(new_ids(3))
        block = block_of(profile, answer) if url.startswith(HTTP) else b""
        head = (
            f"WARC-Type: revisit\r\nWARC-Record-ID: <{record_id}>\r\n{shared}"
            f"{fields_of(profile, url, earlier)}WARC-Block-Digest: {sha1_label(block)}\r\n"
        )
        if block:
            head += (
                f"WARC-Protocol: {answer.protocol}\r\nContent-Type: application/http; msgtype=response\r\n"
            )
        entry = _entry(answer, url, date, REVISIT_MIME, earlier.payload_digest or "-")
        received = member(head, block, NO_CODING_LEVEL)
        self._append(received, self._companions(answer, ids, shared, metadata), entry)

    def _append(self, received: bytes, companions: bytes, entry: IndexEntry) -> None:
        """Write a record, its companions, and its index line; the place is filled into the entry."""
        if self._index.size > INDEX_BYTES_MAX:
            self._records.rotate()
        name, entry.offset = self._records.append(received + companions)
        entry.filename, entry.length = _base_name(name), len(received)
        if entry.filename != self._file:
            self._index.rotate()
            self._file = entry.filename
        self._index.append(index_line(entry))

    def _companions(
        self, answer: Answer, ids: tuple[str, ...], shared: str, metadata: Mapping[str, str]
    ) -> bytes:
        """Return the records that belong to an answer: its request and what we know about it."""
        record_id, request_id, metadata_id = ids
        known = self._metadata(answer, metadata_id, record_id, shared, metadata)
        if not answer.url.startswith(HTTP):
            return known
        return self._request(answer, request_id, record_id, shared) + known

    def _response(self, answer: Answer, record_id: str, shared: str, digest: str) -> bytes:
        block = answer.header_block + answer.body
        head = (
            f"WARC-Type: response\r\nWARC-Record-ID: <{record_id}>\r\n{shared}"
            f"WARC-Protocol: {answer.protocol}\r\nWARC-Payload-Digest: {digest}\r\n"
            f"WARC-Block-Digest: {sha1_label(block)}\r\n{_truncated(answer)}"
            "Content-Type: application/http; msgtype=response\r\n"
        )
        level = NO_CODING_LEVEL if "content-encoding" in answer.headers else self._level
        return member(head, block, level)

    def _resource(self, answer: Answer, record_id: str, shared: str, digest: str) -> bytes:
        kind = field_text(answer.headers.get("content-type", "")) or "application/octet-stream"
        head = (
            f"WARC-Type: resource\r\nWARC-Record-ID: <{record_id}>\r\n{shared}"
            f"WARC-Payload-Digest: {digest}\r\nWARC-Block-Digest: {digest}\r\n"
            f"{_truncated(answer)}Content-Type: {kind}\r\n"
        )
        return member(head, answer.body, self._level)

    def _request(self, answer: Answer, request_id: str, record_id: str, shared: str) -> bytes:
        head = (
            f"WARC-Type: request\r\nWARC-Record-ID: <{request_id}>\r\n{shared}"
            f"WARC-Concurrent-To: <{record_id}>\r\n"
            f"WARC-Block-Digest: {sha1_label(answer.request_block)}\r\n"
            "Content-Type: application/http; msgtype=request\r\n"
        )
        return member(head, answer.request_block, NO_CODING_LEVEL)

    def _metadata(
        self, answer: Answer, metadata_id: str, record_id: str, shared: str, metadata: Mapping[str, str]
    ) -> bytes:
        block = fields_block({"fetchTimeMs": str(round(answer.seconds * 1000)), **metadata})
        head = (
            f"WARC-Type: metadata\r\nWARC-Record-ID: <{metadata_id}>\r\n{shared}"
            f"WARC-Concurrent-To: <{record_id}>\r\nWARC-Block-Digest: {sha1_label(block)}\r\n"
            "Content-Type: application/warc-fields\r\n"
        )
        return member(head, block, NO_CODING_LEVEL)

    def _opening(self, name: str) -> bytes:
        """Return the warcinfo record of a new file."""
        info = self._info
        block = fields_block(
            {
                "software": info.software,
                "format": "WARC File Format 1.1",
                "conformsTo": STANDARD,
                "operator": info.operator,
                "http-header-user-agent": info.user_agent,
                "robots": info.robots,
                "hostname": info.hostname,
                "description": info.description,
            }
        )
        (record_id,) = new_ids(1)
        head = (
            f"WARC-Type: warcinfo\r\nWARC-Record-ID: <{record_id}>\r\n"
            f"WARC-Date: {iso_date(self._clock())}\r\n"
            f"WARC-Filename: {_base_name(name)}\r\nWARC-Block-Digest: {sha1_label(block)}\r\n"
            "Content-Type: application/warc-fields\r\n"
        )
        return member(head, block, self._level)


_DIGITS_ONLY = str.maketrans("", "", "-T:")


def _shared_fields(date: str, url: str, address: str) -> str:
    """Return the fields that the records of one exchange have in common."""
    fields = f"WARC-Date: {date}\r\nWARC-Target-URI: {url}\r\n"
    return f"{fields}WARC-IP-Address: {address}\r\n" if address else fields


def _entry(answer: Answer, url: str, date: str, mime: str, digest: str) -> IndexEntry:
    """Return a line of the index for a record whose place is not known yet."""
    return IndexEntry(
        url=url,
        mime=mime,
        status=str(answer.status),
        digest=digest,
        length=0,
        offset=0,
        filename="",
        timestamp=date[:19].translate(_DIGITS_ONLY),
    )


def _base_name(name: str) -> str:
    return name.rpartition("/")[2]


def _truncated(answer: Answer) -> str:
    return f"WARC-Truncated: {answer.truncated}\r\n" if answer.truncated else ""
