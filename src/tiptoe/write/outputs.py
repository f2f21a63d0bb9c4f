"""What does a harvester hold to write with?

One object for archive, corpus and request log of one incarnation (one life of
one harvester process).

    write the page          `warc`, `corpus`: into memory
    outputs.flush()         into the kernel: survives kill -9
    report(marks())         the keeper records page and marks in one write
    outputs.acknowledge(…)  full files it knows wholly get their final names

Rule: between the first write for a page and the `marks` of its report nothing
of another page may be written that is not in the same report.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from tiptoe.write.appendfile import Write
from tiptoe.write.corpus import CorpusWriter
from tiptoe.write.documents import DocumentList
from tiptoe.write.gone import GoneList
from tiptoe.write.logclock import LogClock
from tiptoe.write.requestlog import RequestLog, Terms
from tiptoe.write.urllist import UrlList
from tiptoe.write.warc import WarcInfo, WarcWriter

__all__ = ["Outputs"]

PLAIN_NAME = re.compile(r"\w[\w.-]*", re.ASCII)


class Outputs:
    """The files of one incarnation below the crawl directory.

    `incarnation` must never have been used before in this directory; `crawl`,
    if given, begins the file names, so that archives of many crawls can share
    a folder; `terms` open the request log.
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
        self._directory = directory
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
        self.documents = DocumentList(directory, prefix, write=write)
        self.gone = GoneList(directory, prefix, write=write)
        self.requests = RequestLog(directory, incarnation, terms=terms, clock=clock, write=write)
        self.disallowed = UrlList(directory, "disallowed", incarnation, write=write)
        self._series = (*self.warc.series, self.corpus.series, self.documents.series, self.gone.series)

    def flush(self) -> None:
        """Hand everything to the kernel; on DiskFull nothing is lost, call again when there is room."""
        self.requests.flush()
        self.disallowed.flush()
        for series in self._series:
            series.flush()

    def sync(self) -> None:
        """Make what was flushed survive a power cut."""
        self.requests.sync()
        for series in self._series:
            series.sync()

    def marks(self) -> dict[str, int]:
        """Return the flushed size of each file that the keeper has not acknowledged yet."""
        marks = {name: size for series in self._series for name, size in series.marks().items()}
        if marks:  # the logs grow with everything else, and are known to the keeper no better than that
            marks |= self.requests.marks() | self.disallowed.marks()
        return marks

    def acknowledge(self, marks: Mapping[str, int]) -> None:
        """Note that the keeper has recorded these marks; full files are finished."""
        self.requests.acknowledge(marks)
        self.disallowed.acknowledge(marks)
        for series in self._series:
            series.acknowledge(marks)

    def close(self) -> None:
        """Finish every file the keeper knows wholly; `recover` sees to the others."""
        self.requests.close()
        self.disallowed.close()
        for series in self._series:
            series.close()

    def free_bytes(self) -> int:
        """Return how much room we have on the disk."""
        disk = os.statvfs(self._directory)
        return disk.f_bavail * disk.f_frsize
