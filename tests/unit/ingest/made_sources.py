"""Archives, mailboxes and readers to test with."""

import gzip
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from tiptoe.compose_ingest import page_intake, reader_greeting
from tiptoe.ingest.page_intake import PageIntake
from tiptoe.settings.layers import Settings

WORDS = "Vltava je nejdelší řeka v Čechách a protéká Prahou, než se u Mělníka vlévá do Labe; to je"


def make_record(kind: str, block: bytes, **fields: str) -> bytes:
    """Return a record; underscores in the names of fields stand for hyphens."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    head = "\r\n".join(["WARC/1.1", f"WARC-Type: {kind}", *lines, f"Content-Length: {len(block)}"])
    return head.encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def make_response(number: int, body: bytes | None = None, *, head: str = "", status: str = "200 OK") -> bytes:
    """Return the response record of a page of its own."""
    page = f"<title>Strana {number}</title><p>{WORDS} strana číslo {number}.</p>".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n{head}\r\n"
    return make_record(
        "response",
        head.encode() + (page if body is None else body),
        WARC_Record_ID=f"<urn:uuid:{number:032d}>",
        WARC_Date="2026-01-02T03:04:05.678901Z",
        WARC_Target_URI=f"https://a.example/{number}",
        Content_Type="application/http; msgtype=response",
    )


def packed(records: Sequence[bytes]) -> bytes:
    """Return records as the standard wants them packed."""
    return b"".join(gzip.compress(record) for record in records)


def intake(**given: object) -> AbstractContextManager[PageIntake]:
    """Return what reads texts, by these settings (`text__extraction="main"`)."""
    given = {"text__detect_language": False, **given}  # the model takes a moment to load
    overrides = {name.replace("__", "."): value for name, value in given.items()}
    return page_intake(reader_greeting(Settings.load(overrides=overrides)))


def write_archive(path: Path, pages: int, *, first: int = 0) -> Path:
    """Write an archive of so many pages."""
    path.write_bytes(packed([make_response(number) for number in range(first, first + pages)]))
    return path
