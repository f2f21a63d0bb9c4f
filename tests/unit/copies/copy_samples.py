"""A small archive with pages that need other files, as a crawl would have written it."""

from pathlib import Path
from typing import NamedTuple

from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.write.warc import WarcInfo, WarcWriter

__all__ = ["Sent", "write_archive"]


class Sent(NamedTuple):
    """What a server said."""

    url: str
    body: bytes | str
    mime: str = "text/html; charset=utf-8"
    status: int = 200
    location: str = ""


def write_archive(directory: Path, sent: list[Sent]) -> None:
    """Write answers to an archive, one second after the other."""
    info = WarcInfo(software="tiptoe", operator="https://bot.example/")
    writer = WarcWriter(directory, "t-h1-0001", info=info, size_max=10**9, compression_level=1)
    for number, one in enumerate(sent):
        body = one.body if isinstance(one.body, bytes) else one.body.encode()
        fields = [("Content-Type", one.mime), *([("Location", one.location)] if one.location else [])]
        head = "".join(f"{name}: {value}\r\n" for name, value in fields)
        answer = Answer(
            url=one.url, status=one.status, request_block=b"GET / HTTP/1.1\r\n\r\n", body=body,
            header_block=f"HTTP/1.1 {one.status} OK\r\n{head}\r\n".encode(), headers=Headers(fields),
            address="192.0.2.1", started_at=1_790_000_000.0 + number, seconds=0.1,
        )  # fmt: skip
        writer.write_exchange(answer, metadata={})
    for files in writer.files:
        files.flush()
        marks = files.marks()
        files.acknowledge(marks)
        files.close()
