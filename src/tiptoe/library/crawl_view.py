"""What is the state of a crawl, and what has it gathered?

For programs and notebooks, while a crawl runs or years later: nothing is changed, no lock is taken. To run a
crawl, see `crawl_run`.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from tiptoe.errors import CrawlerError
from tiptoe.frontier.host import HostRecord
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import find_keeper
from tiptoe.library.asking import ask_aside
from tiptoe.library.corpus_reading import read_corpus
from tiptoe.observe.crawl_marker import expect_crawl, expect_requests
from tiptoe.observe.crawl_members import member_directories
from tiptoe.observe.run_figures import read_runs
from tiptoe.observe.statistics import gather
from tiptoe.observe.statistics_values import statistics_values
from tiptoe.protocol.operator import ShowStatus, StatusReply
from tiptoe.protocol.status import Status
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table
from tiptoe.write.corpus import Document

__all__ = ["CrawlView", "CrawledHost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawledHost:
    """What a crawl knows about one host."""

    host: str
    state: str  # idle, new, parked, visited, gone or unproductive
    address: str
    pages: int
    requests: int
    body_bytes: int
    text_chars: int
    queued: int  # URLs that wait
    is_blocked: bool
    gone_because: str  # why it was given up; empty if it was not


class CrawlView:
    """The directory of a crawl, for reading.

    `members` are directories of further machines; by default, those that were collected in this one.
    """

    def __init__(self, directory: str | Path, *members: str | Path) -> None:
        self.directory = Path(directory)
        self._given_members = tuple(map(Path, members))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.directory}{', running' if self.is_running else ''}>"

    @property
    def members(self) -> tuple[Path, ...]:
        """Directories of further machines of the same crawl."""
        return self._given_members or tuple(member_directories(self.directory))

    @property
    def is_running(self) -> bool:
        """Whether a keeper works in the directory at this moment."""
        return find_keeper(self.directory) is not None

    @property
    def status(self) -> Status:
        """Figures of the crawl: current ones if it is running, otherwise those of its last run."""
        expect_crawl(self.directory)
        if self.is_running and not self.members:
            with suppress(CrawlerError):  # it is ending or starting: its last figures are good enough
                return ask_aside(self.directory, ShowStatus(), StatusReply).status
        last = read_runs(self.directory, *self.members).last
        return last if last is not None else Status()

    def figures(self, *, top: int = 15) -> dict[str, Any]:
        """Return what `tiptoe stats --json` prints, by reading all files of the crawl."""
        expect_crawl(self.directory)
        return statistics_values(gather(self.directory, members=self.members), top=top)

    def documents(self, *, as_of: str | datetime | None = None, main: bool = True) -> Iterator[Document]:
        """Yield the documents of its corpus: see `read_corpus`."""
        return read_corpus(self.directory, *self.members, as_of=as_of, main=main)

    def hosts(self) -> Iterator[CrawledHost]:
        """Yield every host that it has found, in no order; SettingsError if there is no database."""
        expect_requests(self.directory)
        decode = msgspec.msgpack.Decoder(HostRecord).decode
        with ReadOnlyStore(self.directory / DATABASE, (Table.META, Table.HOST)) as store:
            for _, row in store.scan(Table.HOST):
                record = decode(row)
                yield CrawledHost(
                    host=record.host,
                    state=record.state.value,
                    address=record.address,
                    pages=record.pages,
                    requests=record.requests,
                    body_bytes=record.body_bytes,
                    text_chars=record.text_chars,
                    queued=record.queued,
                    is_blocked=record.is_blocked,
                    gone_because=record.gone_because,
                )
