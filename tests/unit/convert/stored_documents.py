"""A directory with documents stored aside, as a harvester leaves it."""

import gzip
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from tiptoe.convert.converter import Converter, ConvertPlan, Read
from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.readers import read
from tiptoe.convert.text_judging import Judging
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.observe.eventlog import EventLog
from tiptoe.write.documents import StoredDocument
from tiptoe.write.output_kinds import DOCUMENT_LIST
from tiptoe.write.warc import WarcInfo, WarcWriter

PLAN = {"body_bytes_max": 30 << 20, "corpus_bytes_max": 10**9, "corpus_encoding": "utf-8"}


@dataclass(slots=True)
class StoredCrawl:
    """A crawl that has stored documents; `marks` is what its keeper has committed."""

    directory: Path
    marks: dict[str, int] = field(default_factory=dict)
    told: int = 0
    taken: int = 0

    def store(self, *bodies: bytes, name: str = "h1-0001", coding: str = "", **changes: Any) -> list[str]:
        """Store plain texts under new addresses, in a list of this name; return the addresses."""
        (self.directory / "state").mkdir(exist_ok=True)
        info = WarcInfo(software="tiptoe", operator="nobody")
        archive = WarcWriter(self.directory, name, info=info, size_max=10**9, compression_level=1)
        listed = DOCUMENT_LIST.numbered_files(self.directory, name)
        urls = []
        for number, body in enumerate(bodies):
            url = f"http://a.example/{name}/{number}"
            urls.append(url)
            sent = gzip.compress(body) if coding else body
            place = archive.write_exchange(make_answer(url, sent), metadata={})
            stored = {
                "id": place.record_id, "url": url, "type": DocumentKind.TXT.value, "depth": 2,
                "fetched_at": "2026-09-21T14:13:20Z", "digest": place.payload_digest, "warc_file": place.file,
                "warc_offset": place.offset, "warc_length": place.length, "coding": coding,
            }  # fmt: skip
            listed.append_line(msgspec.json.encode(StoredDocument(**{**stored, **changes})))
        for files in (*archive.files, listed):
            files.flush()
        self.marks |= listed.marks()
        for files in (*archive.files, listed):
            files.close()  # as when a harvester dies: nothing was acknowledged, so all keep their `.open`
        return urls

    def converter(
        self,
        reader: Read = read,
        clock: Callable[[], float] = lambda: 0.0,
        judging: Judging | None = None,
        **plan: Any,
    ) -> Converter:
        """Return what converts them, in this process."""
        log = EventLog("convert", io.StringIO())
        known = ConvertPlan(**{**PLAN, **plan})
        return Converter(self.directory, reader, known, log, judging=judging, clock=clock)

    def convert(self, reader: Read = read, **plan: Any) -> Converter:
        """Convert all that waits."""
        converter = self.converter(reader, **plan)
        converter.convert(self.marks, self.tell, self.advance)
        converter.close()
        return converter

    def tell(self) -> None:
        self.told += 1

    def advance(self) -> None:
        self.taken += 1

    def corpus(self) -> list[dict[str, Any]]:
        """Return the lines of the corpus, of finished files and of open ones."""
        files = sorted((self.directory / "corpus").glob("*.jsonl*"))
        return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]

    def texts(self) -> list[str]:
        return [paragraph for line in self.corpus() for paragraph in line["paragraphs"]]


def make_answer(url: str, body: bytes) -> Answer:
    return Answer(
        url=url,
        status=200,
        request_block=b"GET / HTTP/1.1\r\n\r\n",
        header_block=b"HTTP/1.1 200 Fine\r\nContent-Type: text/plain\r\n\r\n",
        headers=Headers([("Content-Type", "text/plain")]),
        body=body,
        address="192.0.2.1",
        started_at=1_790_000_000.0,
        seconds=0.1,
    )
