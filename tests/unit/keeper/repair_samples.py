"""A crawl with real files and a real frontier, and all that can happen to a file on a disk."""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec
import xxhash

from simulated.proofs import check_members
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.frontier.filemarks import FileMark, FileMarks
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.holdings import GONE, Holding
from tiptoe.frontier.page_record import PageRecord
from tiptoe.keeper.output_repair import OutputRepair, repair_at_start
from tiptoe.protocol.work import Report, Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import page_key
from tiptoe.write.archive import Record, records_in
from tiptoe.write.cdxj import parse_line
from tiptoe.write.corpus import Document
from tiptoe.write.documents import StoredDocument
from tiptoe.write.logentries import RequestEntry
from tiptoe.write.output_kinds import DOCUMENT_LIST, OutputKind, shard_of_file, shard_writer
from tiptoe.write.outputs import Outputs
from tiptoe.write.record import iso_date
from tiptoe.write.warc import Place, WarcInfo

__all__ = ["DAMAGES", "HOST", "SmallCrawl", "Title", "flip", "lose", "truncate", "zero_tail"]

INFO = WarcInfo(software="tiptoe", operator="https://bot.example/")
HOST = "http://a.example"


class Title(msgspec.Struct, frozen=True):
    """What an output might hold that nobody has thought of yet."""

    url: str
    fetched_at: str
    title: str


class SmallCrawl:
    """Pages of one host, written by harvesters that may vanish; every tenth is a document to be converted."""

    def __init__(
        self,
        directory: Path,
        pages: int = 40,
        *,
        also: Collection[OutputKind] = (),
        shard: int | None = None,
    ) -> None:
        self._shard = shard  # None: the crawl has but one
        self.directory = directory
        self.pages = pages
        self._also = also  # kinds to which the title of every page is added
        self.store = MemoryStore()
        self.frontier = self._open_frontier()
        self.now = 1_790_000_000.0
        self.asked: list[str] = []
        self._lives = itertools.count(1)
        self.frontier.add([Request(f"{HOST}/{number}") for number in range(pages)], self.now)

    def _open_frontier(self) -> Frontier:
        return Frontier(self.store, FrontierPolicy(), shard=self._shard or 0)

    def restart(self, live: Collection[str] = ()) -> list[str]:
        """Start again, as after a crash; return what was told of the files."""
        self.frontier = self._open_frontier()
        self.frontier.recover(self.now)
        told = repair_at_start(
            self.directory, self.frontier, live, now=self.now, reads=True, shard=self._shard
        )
        self.frontier.check()
        return told

    def look(self) -> list[str]:
        """Read every file and put it right, as `tiptoe repair` does."""
        self.frontier = self._open_frontier()
        return OutputRepair(self.directory, self.frontier, now=self.now, shard=self._shard).run(
            reads=set(self.frontier.outputs.marks())
        )

    def run(self, *, ends_well: bool = False, corpus_bytes_max: int = 10**9) -> None:
        """Let one harvester ask for what is left, and vanish then, or end in good order."""
        incarnation = f"h1-{next(self._lives):04d}"
        if self._shard is not None:
            incarnation = shard_writer(f"h1-1a2b-{incarnation[-4:]}", self._shard)
        outputs = self.outputs(incarnation, corpus_bytes_max=corpus_bytes_max)
        while not self.frontier.is_finished():
            self.now = max(self.now, self.frontier.next_at() or 0.0) + 0.001
            self.frontier.tick(self.now)
            for host in self.frontier.new_hosts(10):
                self.frontier.resolved_all([(host, "192.0.2.1", "")], self.now)
            for visit in self.frontier.visits(1, incarnation, self.now):
                requests = [request for work in visit.hosts for request in work.requests]
                results = [self._ask(request, outputs) for request in requests]
                outputs.flush()
                self.now += 60.0
                marks = outputs.marks()
                self.frontier.report(
                    [Report(visit.id, results, is_done=True, wants_more=False)], marks, self.now
                )
                if ends_well or corpus_bytes_max < 10**9:
                    outputs.acknowledge(marks)
        self.frontier.check()
        outputs.close()
        if ends_well:
            repair_at_start(self.directory, self.frontier, (), now=self.now, reads=False, shard=self._shard)

    def outputs(self, incarnation: str, corpus_bytes_max: int = 10**9) -> Outputs:
        """Return the files of a harvester."""
        return Outputs(
            self.directory, incarnation, info=INFO, crawl="t", warc_bytes_max=10**9,
            corpus_bytes_max=corpus_bytes_max, corpus_encoding="utf-8", compression_level=1,
        )  # fmt: skip

    def note_gone(self, pages: list[PageRecord], checks: list[int], marks: dict[str, int]) -> None:
        """Let the database know of pages that have left the web, and of the file that says so."""
        keys = [page_key(page.url) for page in pages]
        row = Holding(
            sorted(marks), b"".join(keys), [0] * len(keys), [0] * len(keys), [0.0] * len(keys),
            bytes([GONE]) * len(keys), checks,
        )  # fmt: skip
        batch = Writes()
        for key, page in zip(keys, pages, strict=True):
            batch.put(Table.PAGE, key, msgspec.msgpack.encode(page))
        batch.put(Table.HOLDING, b"t-h1-0009\0" + bytes(8), msgspec.msgpack.encode(row))
        for name, size in marks.items():
            FileMarks(self.store).put(batch, name, FileMark(size))
        self.store.write(batch)

    def _ask(self, request: Request, outputs: Outputs) -> Result:
        self.asked.append(request.url)
        number = int(request.url.rpartition("/")[2])
        body = b"<p>%d %s</p>" % (number, b"words " * number)
        answer = Answer(
            url=request.url, status=200, request_block=b"GET / HTTP/1.1\r\n\r\n", body=body,
            header_block=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
            headers=Headers([("Content-Type", "text/html")]), address="192.0.2.1",
            started_at=self.now + number / 1000, seconds=0.1,
        )  # fmt: skip
        place = outputs.warc.write_exchange(answer, metadata={"via": "-"})
        for kind in self._also:
            outputs.add(kind, Title(answer.url, iso_date(answer.started_at), f"Page {number}"))
        entry = RequestEntry(
            started_at=self.now, ended_at=self.now + 0.1, host="a.example", address="192.0.2.1",
            url=request.url, purpose="page", robots="allowed", delay=1.0, visit="1", harvester="h1",
            status=200,
        )  # fmt: skip
        outputs.requests.write_request(entry)
        outputs.add_disallowed(f"{HOST}/private/{number}")
        result = Result(
            request, status=200, body_bytes=len(body), payload_digest=place.payload_digest,
            stored_at=answer.started_at, content_hash=xxhash.xxh3_64_digest(body),
        )  # fmt: skip
        if number % 10 == 9:
            check = outputs.add(DOCUMENT_LIST, _listed(answer, place))
            return msgspec.structs.replace(result, discard="stored_aside", line_check=check)
        paragraphs = [f"Page {number}", "words " * number]
        text = "\n".join(paragraphs)
        text_hash = xxhash.xxh3_64_digest(text.encode())
        result = msgspec.structs.replace(result, text_chars=sum(map(len, paragraphs)), text_hash=text_hash)
        remains = request.remains
        if remains is not None and remains.text_hash == text_hash:
            return msgspec.structs.replace(result, is_changed=False)
        check = outputs.corpus.write_document(_document(answer, place, paragraphs))
        return msgspec.structs.replace(result, line_check=check)

    # -- what there is ---------------------------------------------------

    def texts(self) -> Counter[str]:
        """Return the pages of the corpus, how often each stands there."""
        lines = [line for path in self.files("corpus/*") for line in path.read_bytes().splitlines()]
        return Counter(str(json.loads(line)["url"]) for line in lines)

    def listed(self) -> set[str]:
        """Return the documents that wait to be converted."""
        lines = [line for path in self.files("documents/*") for line in path.read_bytes().splitlines()]
        return {str(json.loads(line)["url"]) for line in lines if line.strip()}

    def archived(self) -> set[str]:
        """Return the pages of the archive, after proving that it is sound and that the indexes are true."""
        urls = set()
        for path in self.files("warc/*.warc.gz"):
            report = check_members(path)
            assert report.is_sound, report.faults
            lines = path.with_name(path.name.replace(".warc.gz", ".cdxj")).read_bytes().splitlines()
            assert lines == sorted(lines)
            assert len(lines) == report.kinds["response"]
            urls |= {parse_line(line).url for line in lines}
        return urls

    def file(self, kind: str) -> Path:
        """Return the one file of a kind, open or finished."""
        (found,) = [*self.files(kind), *self.files(f"{kind}.open")]
        return found

    def files(self, pattern: str) -> list[Path]:
        """Return the files of this crawl, or of its shard, by a pattern."""
        return [path for path in self.directory.glob(pattern) if self._is_own(path)]

    def _is_own(self, path: Path) -> bool:
        name = path.relative_to(self.directory).as_posix().removesuffix(".open")
        return self._shard is None or shard_of_file(name) == self._shard

    def contents(self) -> dict[Path, bytes]:
        """Return all files of this crawl, or of its shard."""
        return {path: path.read_bytes() for path in self.files("*/*")}


def _document(answer: Answer, place: Place, paragraphs: list[str]) -> Document:
    return Document(
        id=place.record_id, url=answer.url, title="", language="", charset="utf-8",
        fetched_at=iso_date(answer.started_at), last_modified="", depth=0, digest=place.payload_digest,
        warc_file=place.file, warc_offset=place.offset, paragraphs=paragraphs,
    )  # fmt: skip


def _listed(answer: Answer, place: Place) -> StoredDocument:
    return StoredDocument(
        id=place.record_id, url=answer.url, type="application/pdf", fetched_at=iso_date(answer.started_at),
        depth=0, digest=place.payload_digest, warc_file=place.file, warc_offset=place.offset,
        warc_length=place.length,
    )  # fmt: skip


def lose(path: Path) -> None:
    """The file is not there any more."""
    path.unlink()


def truncate(path: Path) -> None:
    """The file ends in the middle of a record."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


def zero_tail(path: Path) -> None:
    """The file is as long as it was, but its last blocks were never written."""
    data = path.read_bytes()
    kept = len(data) * 2 // 3
    path.write_bytes(data[:kept] + bytes(len(data) - kept))


def flip(path: Path) -> None:
    """One byte in the middle is another one."""
    data = bytearray(path.read_bytes())
    data[_middle_of(path, data)] ^= 0x15
    path.write_bytes(data)


def _middle_of(path: Path, data: bytearray) -> int:
    """Return a byte about in the middle; of an archive, one of an answer and not of what goes with it."""
    middle = len(data) // 2
    if ".warc.gz" not in path.name:
        return middle
    starts = [found.start for found in records_in(path, len(data)) if _is_answer(found.record)]
    return next(start for start in starts if start > middle) + 50


def _is_answer(record: Record | None) -> bool:
    return record is not None and record.kind == "response"


DAMAGES: list[Callable[[Path], None]] = [lose, truncate, zero_tail, flip]
