"""Are the files that a crawl has written valid, from the first byte to the last?"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tiptoe.errors import CorruptFile
from tiptoe.write.archive import BLANK_LINE, RECORD_BYTES_MAX, Advance, Record, records_in
from tiptoe.write.logentries import KIND, RequestEntry
from tiptoe.write.record import sha1_label

__all__ = ["Fault", "MembersReport", "check_members", "read_requests"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in a WARC file, and where the member with it begins."""

    offset: int
    found: str


@dataclass(slots=True)
class MembersReport:
    """What a WARC file holds, and what is wrong with it."""

    path: Path
    members: int = 0
    bytes_read: int = 0  # up to the end of the last whole member
    kinds: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether every byte belongs to a record that proves itself."""
        return not self.faults


def check_members(
    path: Path,
    *,
    bytes_max: int = RECORD_BYTES_MAX,
    faults_max: int = 100,
    advance: Advance = lambda count: None,
) -> MembersReport:
    """Prove every record of a WARC file: one gzip member each, lengths and digests right.

    `advance` hears how many bytes were read.
    """
    report = MembersReport(path)
    for found in records_in(path, path.stat().st_size, bytes_max=bytes_max):
        fault = found.fault
        if found.is_member:
            report.members += 1
            report.bytes_read = found.end
        if found.record is not None:
            report.kinds[found.record.kind] += 1
            fault = _digest_fault(found.record)
        advance(found.end - found.start)
        if fault:
            report.faults.append(Fault(found.start, fault))
            if len(report.faults) >= faults_max:
                break
    return report


def _digest_fault(record: Record) -> str:
    if record.headers.get("warc-block-digest") != sha1_label(record.block):
        return "block digest is missing or wrong"
    if record.kind not in ("response", "resource"):
        return ""
    payload = record.block
    if record.kind == "response":
        head = BLANK_LINE.search(payload)
        payload = payload[head.end() :] if head else b""
    if record.headers.get("warc-payload-digest") != sha1_label(payload):
        return "payload digest is missing or wrong"
    return ""


def read_requests(path: Path) -> Iterator[RequestEntry]:
    """Yield the requests of one log; a last line torn by a crash is passed over."""
    decoder = msgspec.json.Decoder(RequestEntry)
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            if not line.startswith(KIND):
                try:
                    yield decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise CorruptFile(path, offset=offset, found=f"no request ({error})") from error
            offset += len(line)
