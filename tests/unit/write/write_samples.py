"""Answers, documents and disks for the tests of the writers."""

import errno
import os
from collections.abc import Collection
from pathlib import Path

from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.write.corpus import Document
from tiptoe.write.corpus_readme import CORPUS_README
from tiptoe.write.logentries import RequestEntry
from tiptoe.write.outputs import Outputs
from tiptoe.write.recovery import Finding, examine, mend
from tiptoe.write.warc import Place, WarcInfo

INFO = WarcInfo(
    software="tiptoe/0.1",
    operator="A. Person <https://bot.example/>",
    user_agent="tiptoe/0.1",
    hostname="box",
)


def make_answer(
    url: str = "https://www.example.com/a",
    body: bytes = b"<p>hello</p>",
    *,
    status: int = 200,
    fields: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),),
    truncated: str | None = None,
) -> Answer:
    """Return what a server might have said."""
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return Answer(
        url=url,
        status=status,
        request_block=b"GET /a HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: tiptoe\r\n\r\n",
        header_block=f"HTTP/1.1 {status} Fine\r\n{head}\r\n".encode(),
        headers=Headers(list(fields)),
        body=body,
        truncated=truncated,
        address="192.0.2.1",
        started_at=1_790_000_000.25,
        seconds=0.123,
    )


def make_document(url: str = "https://www.example.com/a", **changes: object) -> Document:
    """Return the clean text of a page."""
    fields: dict[str, object] = {
        "id": "urn:uuid:1",
        "url": url,
        "title": "Příliš",
        "language": "cs",
        "charset": "utf-8",
        "fetched_at": "2026-09-21T14:13:20Z",
        "last_modified": "",
        "depth": 2,
        "digest": "sha1:X",
        "warc_file": "h1-0001-00001.warc.gz",
        "warc_offset": 0,
        "paragraphs": ["žluťoučký kůň", "úpěl"],
    }
    return Document(**(fields | changes))  # type: ignore[arg-type]


def make_request(url: str = "https://www.example.com/a") -> RequestEntry:
    """Return the log's view of a request."""
    return RequestEntry(
        started_at=1_790_000_000.25,
        ended_at=1_790_000_000.5,
        host="www.example.com",
        address="192.0.2.1",
        url=url,
        purpose="page",
        robots="allowed",
        delay=5.0,
        visit="v7",
        harvester="h1",
        status=200,
        bytes_received=12,
    )


def write_page(outputs: Outputs, number: int) -> Place:
    """Write one page to every file."""
    url = f"https://www.example.com/{number}"
    place = outputs.warc.write_exchange(make_answer(url, b"page %d" % number), metadata={"via": "-"})
    outputs.corpus.write_document(make_document(url, warc_offset=place.offset))
    outputs.requests.write_request(make_request(url))
    return place


def contents(directory: Path) -> dict[str, bytes]:
    """Return every file below a directory, except the logs and what is said about loading it."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.parent.name != "log" and path.name != CORPUS_README
    }


def recover(
    directory: Path, marks: dict[str, int], live: Collection[str] = (), finished: Collection[str] = ()
) -> list[Finding]:
    """Look at the files and make them whole; return what there was to do."""
    marks = {name: size for name, size in marks.items() if not name.startswith("log/")}
    findings = examine(directory, marks, live=live, finished=finished)
    for finding in findings:
        mend(directory, finding, now=0.0)
    return [finding for finding in findings if finding.what != "finished"]


class SmallDisk:
    """Stands in for `os.write`: writes as long as there is room, the last time in part."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, descriptor: int, data: memoryview) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = os.write(descriptor, data[: self.room])
        self.room -= written
        return written
