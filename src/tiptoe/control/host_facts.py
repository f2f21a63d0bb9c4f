"""What is known about one host?

Its state comes from the database of its crawl, read while the keeper runs; its requests from the request
logs, read backwards until there are enough or it takes too long; its robots.txt from the archive."""

import gzip
import io
import json
import mmap
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.cluster.member_file import read_member
from tiptoe.errors import CrawlerError
from tiptoe.frontier.gate import AddressRecord
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.origins import robots_key
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.host_commands import names_address
from tiptoe.observe.crawl_members import member_directories
from tiptoe.observe.traces import index_entries
from tiptoe.protocol.work import RobotsNote
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table
from tiptoe.url.address import host_key
from tiptoe.write.archive import read_record
from tiptoe.write.logentries import RequestEntry
from tiptoe.write.output_kinds import REQUEST_LOG
from tiptoe.write.surt import surt

__all__ = [
    "HostFacts",
    "HostRequests",
    "HostRestraint",
    "OriginRules",
    "StoredRobots",
    "read_host",
    "read_requests",
    "read_restraint",
    "stored_robots",
]

REQUESTS_MAX: Final = 200
LOOK_SECONDS: Final = 2.0
LINE_BYTES_MAX: Final = 1 << 20
WINDOW_BYTES: Final = 256 << 10
RULES_MAX: Final = 500
ROBOTS_BYTES_MAX: Final = 500 << 10  # the part of a robots.txt that is used (RFC 9309)


class OriginRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one origin that apply to our robot."""

    origin: str
    state: str
    rules: list[tuple[bool, str]]
    rules_left_out: int
    crawl_delay: float
    sitemaps: list[str]
    fetched_at: float
    location: str


class HostFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl knows about a host."""

    host: str
    state: str
    because: str
    address: str
    address_blocked: bool
    address_slowed_to: float
    address_free_at: float
    is_blocked: bool
    slowed_to: float
    crawl_delay: float
    response_seconds: float
    next_at: float
    held_until: float
    pages: int
    requests: int
    visits: int
    queued: int
    text_chars: int
    body_bytes: int
    troubles: int
    trouble: str
    troubled_at: float
    twin: str
    left_at: float
    rules: list[OriginRules]


class HostRestraint(msgspec.Struct, frozen=True, kw_only=True):
    """How an operator has restricted requests to a host or address."""

    is_blocked: bool = False
    slowed_to: float = 0.0  # seconds; 0 = as configured


class HostRequests(msgspec.Struct, frozen=True, kw_only=True):
    """The last requests to a host, newest first."""

    requests: list[RequestEntry]
    is_whole: bool  # it has all of them


class StoredRobots(msgspec.Struct, frozen=True, kw_only=True):
    """A robots.txt as its server sent it."""

    url: str
    at: str  # 14 digits, UTC
    status: str
    text: str


def read_host(directory: Path, host: str) -> HostFacts | None:
    """Return what a crawl knows about a host; None when it does not know it."""
    if not (directory / DATABASE / "CURRENT").is_file():
        return None
    with ReadOnlyStore(directory / DATABASE, (Table.HOST, Table.ROBOTS, Table.ADDRESS)) as store:
        stored = store.get(Table.HOST, host_key(host))
        record = msgspec.msgpack.decode(stored, type=HostRecord) if stored else None
        if record is None or record.host != host:
            return None
        gate = store.get(Table.ADDRESS, record.gate.encode()) if record.gate else None
        address = msgspec.msgpack.decode(gate, type=AddressRecord) if gate else AddressRecord()
        origins = [f"https://{host}", f"http://{host}", *record.crawl_delays, *record.shut_origins]
        rules = list(_rules(store, list(dict.fromkeys(origins))))
    return HostFacts(
        host=host, state=record.state.value, because=record.gone_because, address=record.address,
        address_blocked=address.is_blocked, address_slowed_to=address.slowed_to,
        address_free_at=address.free_at if address.free_at < float("inf") else 0.0,
        is_blocked=record.is_blocked, slowed_to=record.slowed_to, crawl_delay=record.crawl_delay,
        response_seconds=record.response_seconds, next_at=record.next_at, held_until=record.held_until,
        pages=record.pages, requests=record.requests, visits=record.visits, queued=record.queued,
        text_chars=record.text_chars, body_bytes=record.body_bytes, troubles=record.troubles,
        trouble=record.trouble, troubled_at=record.troubled_at, twin=record.twin, left_at=record.left_at,
        rules=rules,
    )  # fmt: skip


def read_restraint(directory: Path, target: str) -> HostRestraint | None:
    """Return the operator's current restrictions on a host or address; None when unknown.

    They are unknown for crawls on many machines. An order must not fail because of that.
    """
    if not (directory / DATABASE / "CURRENT").is_file() or read_member(directory) is not None:
        return None
    try:
        with ReadOnlyStore(directory / DATABASE, (Table.HOST, Table.ADDRESS)) as store:
            return _restraint(store, target)
    except (CrawlerError, OSError):  # for instance, no disk space for the reader's own log
        return None


def _restraint(store: ReadOnlyStore, target: str) -> HostRestraint:
    if names_address(target):
        stored = store.get(Table.ADDRESS, target.encode())
        known = msgspec.msgpack.decode(stored, type=AddressRecord) if stored else AddressRecord()
        return HostRestraint(is_blocked=known.is_blocked, slowed_to=known.slowed_to)
    stored = store.get(Table.HOST, host_key(target))
    record = msgspec.msgpack.decode(stored, type=HostRecord) if stored else None
    if record is None or record.host != target:
        return HostRestraint()
    return HostRestraint(is_blocked=record.is_blocked, slowed_to=record.slowed_to)


def read_requests(directory: Path, host: str, *, seconds: float = LOOK_SECONDS) -> HostRequests:
    """Return the last requests to a host that are found within this time."""
    until = time.monotonic() + seconds
    needle = b'"host":' + json.dumps(host, ensure_ascii=False).encode("utf-8", "replace")
    decode = msgspec.json.Decoder(RequestEntry).decode
    found: list[RequestEntry] = []
    is_whole = True
    logs = [path for one in (directory, *member_directories(directory)) for path in REQUEST_LOG.files(one)]
    for path in logs:
        count = 0
        for line in _lines_backwards(path, needle):
            if time.monotonic() > until or count >= REQUESTS_MAX:
                is_whole = False
                break
            if not line:
                continue
            try:
                entry = decode(line)
            except (msgspec.DecodeError, ValueError):
                continue
            if entry.host == host:
                found.append(entry)
                count += 1
    found.sort(key=lambda entry: -entry.started_at)
    return HostRequests(requests=found[:REQUESTS_MAX], is_whole=is_whole and len(found) <= REQUESTS_MAX)


def stored_robots(directory: Path, host: str) -> list[StoredRobots]:
    """Return the newest archived robots.txt of a host, for each URL from which it was fetched."""
    newest: dict[str, tuple[str, StoredRobots]] = {}
    directories = (directory, *member_directories(directory))
    entries = sorted(
        index_entries(directories, surt(f"http://{host}/robots.txt")), key=lambda one: one.timestamp
    )
    for entry in entries[-10:]:
        for home in directories:
            try:
                text = _body(read_record(home, entry, bytes_max=4 * ROBOTS_BYTES_MAX))
            except (CrawlerError, OSError):
                continue
            shown = StoredRobots(url=entry.url, at=entry.timestamp, status=entry.status, text=text)
            newest[entry.url] = (entry.timestamp, shown)
            break
    return [shown for _, shown in newest.values()]


def _rules(store: ReadOnlyStore, origins: list[str]) -> Iterator[OriginRules]:
    rows = store.get_many(Table.ROBOTS, [robots_key(origin) for origin in origins])
    for origin, row in zip(origins, rows, strict=True):
        if row is None:
            continue
        note = msgspec.msgpack.decode(row, type=RobotsNote)
        yield OriginRules(
            origin=origin, state=note.state.value, rules=note.rules[:RULES_MAX],
            rules_left_out=max(0, len(note.rules) - RULES_MAX), crawl_delay=note.crawl_delay,
            sitemaps=note.sitemaps[:20], fetched_at=note.fetched_at, location=note.location,
        )  # fmt: skip


def _lines_backwards(path: Path, needle: bytes) -> Iterator[bytes]:
    """Yield the lines of a file that contain some bytes, last one first.

    Empty lines are yielded in between, so that the caller can check the time: searching gigabytes at once
    would block every thread of the server."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            end = len(data)
            while end > 0:
                first = max(0, end - WINDOW_BYTES)
                place = data[first:end].rfind(needle)
                if place < 0:
                    yield b""
                    end = first + len(needle) - 1 if first else 0  # a match may span the edge
                    continue
                at = first + place
                start = data.rfind(b"\n", max(0, at - LINE_BYTES_MAX), at) + 1
                stop = data.find(b"\n", at, at + LINE_BYTES_MAX)
                if stop > 0:
                    yield data[start:stop]
                end = start
    except (OSError, ValueError):
        return  # empty, or gone since it was listed


def _body(block: bytes) -> str:
    """Return the body of a response as text."""
    head, _, body = block.partition(b"\r\n\r\n")
    if b"content-encoding: gzip" in head.lower():
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
                body = file.read(ROBOTS_BYTES_MAX)
        except (OSError, EOFError, zlib.error):
            return "(compressed in a way that cannot be decoded here)"
    return body[:ROBOTS_BYTES_MAX].decode("utf-8", "replace")
