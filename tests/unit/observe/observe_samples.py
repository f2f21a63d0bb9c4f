"""A crawl directory as its writers leave it, for the tests of whoever reads one."""

import json
from pathlib import Path

import msgspec

from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.observe.run_figures import write_figures
from tiptoe.protocol.status import Status
from tiptoe.write.corpus import CorpusWriter, Document
from tiptoe.write.logentries import RequestEntry
from tiptoe.write.requestlog import RequestLog
from tiptoe.write.revisit_records import Earlier, Profile
from tiptoe.write.underway import PLACE_BYTES
from tiptoe.write.warc import WarcInfo, WarcWriter

BEGAN_AT = 1_790_000_000.0


class CrawlFiles:
    """Writes the files of a crawl, a line at a time."""

    def __init__(self, directory: Path, harvester: str = "h1", encoding: str = "utf-8") -> None:
        self.directory = directory
        (directory / "log").mkdir(parents=True, exist_ok=True)
        (directory / "crawl.json").write_text(json.dumps({"seeds": ["http://a.example/"]}))
        self._requests = RequestLog(directory, harvester)
        self._corpus = CorpusWriter(directory, harvester, encoding=encoding, size_max=10**9)
        info = WarcInfo(software="tiptoe", operator="o", user_agent="tiptoe", hostname="box")
        self._warc = WarcWriter(directory, harvester, info=info, size_max=10**9, compression_level=1)
        self._harvester = harvester

    def ask(
        self, url: str = "http://a.example/", *, at: float = 0.0, seconds: float = 0.1, purpose: str = "page",
        status: int | None = 200, failure: str | None = None, size: int = 1000,
    ) -> None:  # fmt: skip
        """Log one request."""
        self._requests.write_request(
            RequestEntry(
                started_at=BEGAN_AT + at, ended_at=BEGAN_AT + at + seconds, host=url.split("/")[2],
                address="192.0.2.1", url=url, purpose=purpose, robots="allowed", delay=1.0, visit="1",
                harvester=self._harvester, status=status, failure=failure, bytes_received=size,
            )
        )  # fmt: skip

    def die_over(self, url: str = "http://a.example/", *, at: float = 0.0, visit: str = "9") -> None:
        """Leave the note of a request that was under way when the harvester was killed."""
        notes = self.directory / "log" / f"requests-{self._harvester}.underway"
        note = f"{BEGAN_AT + at!r}\t{visit}\t{url.split('/')[2]}\t192.0.2.1\tpage\t{url}\n".encode()
        with notes.open("ab") as file:
            file.write(note.ljust(PLACE_BYTES, b"\0"))

    def keep(self, url: str = "http://a.example/", *paragraphs: str, **facts: object) -> None:
        """Enter one document into the corpus."""
        fields: dict[str, object] = {
            "language": "cs", "charset": "utf-8", "depth": 1, "html_bytes": 400, "fetched_at": "",
        }  # fmt: skip
        document = Document(
            id="", url=url, title="", last_modified="", digest="", warc_file="",
            warc_offset=0, paragraphs=list(paragraphs), **(fields | facts),  # type: ignore[arg-type]
        )  # fmt: skip
        self._corpus.write_document(document)
        self._corpus.files.flush()

    def archive(self, url: str = "http://a.example/", content_type: str = "text/html; charset=utf-8") -> None:
        """Put one answer into the archive and its index."""
        answer = Answer(
            url=url, status=200, request_block=b"GET / HTTP/1.1\r\n\r\n",
            header_block=b"HTTP/1.1 200 OK\r\n\r\n",
            headers=Headers([("Content-Type", content_type)] if content_type else []), body=b"<p>x",
            started_at=BEGAN_AT,
        )  # fmt: skip
        self._warc.write_exchange(answer, metadata={})
        for files in self._warc.files:
            files.flush()

    def archive_unchanged(self, url: str = "http://a.example/") -> None:
        """Put a visit that found nothing new into the archive and its index."""
        answer = Answer(
            url=url, status=304, request_block=b"GET / HTTP/1.1\r\n\r\n", headers=Headers([]), body=b"",
            header_block=b"HTTP/1.1 304 Not Modified\r\n\r\n", started_at=BEGAN_AT + 9.0,
        )  # fmt: skip
        self._warc.write_revisit(answer, Profile.NOT_MODIFIED, Earlier("sha1:X", BEGAN_AT), metadata={})

    def leave_alone(self, *urls: str) -> None:
        """List addresses that robots.txt disallows."""
        text = "".join(f"{url}\n" for url in urls)
        (self.directory / "log" / f"disallowed-{self._harvester}.txt").write_text(text)

    def count(self, *, run: float = 0.0, **figures: object) -> None:
        """Write what the keeper has counted in a run that began then and took ten seconds."""
        began_at = BEGAN_AT + run
        told = {**figures, "started_at": began_at, "now": began_at + 10.0}
        write_figures(self.directory, msgspec.convert(told, Status))

    def close(self) -> None:
        """End in good order."""
        self._requests.close()
        for files in (*self._warc.files, self._corpus.files):
            files.acknowledge(files.marks())
            files.close()
