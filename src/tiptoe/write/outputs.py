"""How does a harvester write all its files?

Through one object for archive, corpus and request log of one incarnation (one
life of one harvester process).

    write the page          `warc`, `corpus`: into memory
    outputs.flush()         into the kernel: survives kill -9
    report(marks())         the keeper records page and marks in one write
    outputs.acknowledge(…)  full files recorded completely get their final names

Rule: between the first write for a page and the `marks` of its report, nothing
may be written for a page that is not in the same report.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tiptoe.write.appendfile import AppendFile, Write
from tiptoe.write.corpus import CorpusWriter
from tiptoe.write.logclock import LogClock
from tiptoe.write.logentries import Terms
from tiptoe.write.numbered_files import NumberedFiles
from tiptoe.write.output_kinds import DISALLOWED_LIST, OutputKind, line_kinds
from tiptoe.write.requestlog import RequestLog
from tiptoe.write.warc import WarcInfo, WarcWriter

__all__ = ["Outputs"]

_encode = msgspec.json.Encoder().encode

PLAIN_NAME = re.compile(r"\w[\w.-]*", re.ASCII)


class Outputs:
    """The files of one incarnation below the crawl directory.

    `incarnation` must never have been used before in this directory; `crawl`,
    if given, is a prefix of the file names, so that archives of many crawls can
    share a folder; `terms` go into the opening of the request log.
    """

    def __init__(
        self,
        directory: Path,
        incarnation: str,
        *,
        info: WarcInfo,
        crawl: str = "",
        warc_bytes_max: int,
        corpus_bytes_max: int,
        corpus_encoding: str,
        compression_level: int,
        terms: Terms | None = None,
        clock: LogClock | None = None,
        write: Write = os.write,
    ) -> None:
        prefix = f"{crawl}-{incarnation}" if crawl else incarnation
        if not PLAIN_NAME.fullmatch(prefix):
            raise ValueError(f"{prefix!r}: only letters, digits, '_', '.' and '-' can name a file")
        self.warc = WarcWriter(
            directory,
            prefix,
            info=info,
            size_max=warc_bytes_max,
            compression_level=compression_level,
            write=write,
        )
        self.corpus = CorpusWriter(
            directory, prefix, size_max=corpus_bytes_max, encoding=corpus_encoding, write=write
        )
        self.requests = RequestLog(directory, incarnation, terms=terms, clock=clock, write=write)
        self._disallowed = DISALLOWED_LIST.log(directory, incarnation, write=write)
        self._lists = {kind: kind.numbered_files(directory, prefix, write=write) for kind in line_kinds()}
        self._logs: tuple[RequestLog | AppendFile, ...] = (self.requests, self._disallowed)
        self._numbered = (*self.warc.files, self.corpus.files, *self._lists.values())
        self._files: tuple[RequestLog | AppendFile | NumberedFiles, ...] = (*self._logs, *self._numbered)

    def add(self, kind: OutputKind, record: msgspec.Struct) -> int:
        """Add a record to the files of a kind, as a line of JSON; return the checksum of the line."""
        return self._lists[kind].append_line(_encode(record))

    def add_disallowed(self, url: str) -> None:
        """List a URL that robots.txt forbids, as evidence for webmasters."""
        self._disallowed.append(url.encode("utf-8", "replace") + b"\n")

    def flush(self) -> None:
        """Write everything that waits; on DiskFull nothing is lost: call again when there is room."""
        for file in self._files:
            file.flush()

    def sync(self) -> None:
        """Make what was flushed survive a power cut."""
        for file in self._files:
            file.sync()

    def marks(self) -> dict[str, int]:
        """Return the flushed size of each file that the keeper has not acknowledged yet."""
        marks = {name: size for files in self._numbered for name, size in files.marks().items()}
        if marks:  # the keeper needs the sizes of logs only along with other files
            for log in self._logs:
                marks |= log.marks()
        return marks

    def acknowledge(self, marks: Mapping[str, int]) -> None:
        """Note that the keeper has recorded these marks; full files are finished."""
        for file in self._files:
            file.acknowledge(marks)

    def close(self) -> None:
        """Finish files that the keeper has recorded completely; leave the rest to the recovery."""
        self.flush()
        for file in self._files:
            file.close()

    @property
    def is_settled(self) -> bool:
        """Whether the keeper has recorded every page; logs do not count."""
        return all(files.is_settled for files in self._numbered)

    def let_go(self) -> None:
        """Close all descriptors until something is written again."""
        for file in self._files:
            file.let_go()

    def abandon(self) -> None:
        """Close, but drop pages that were not flushed: they are not going to be reported."""
        for log in self._logs:
            log.flush()
        for log in self._logs:
            log.close()
        for files in self._numbered:
            files.abandon()
