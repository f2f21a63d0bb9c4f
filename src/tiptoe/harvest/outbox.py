"""How do results reach the keeper?

In order and in batches. Drafts wait here until they are written, and then become results. Results are sent
when everything written for them has been handed to the kernel, together with the file sizes at that moment.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable

from tiptoe.errors import DiskFull
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.harvest.draft import Draft, WriteBatch
from tiptoe.harvest.journey import report, write
from tiptoe.harvest.tools import Tools
from tiptoe.keeper.revocation import sift_revoked
from tiptoe.protocol.messages import News
from tiptoe.protocol.work import HostWork, Report, Request, Result
from tiptoe.url.dropped import Dropped

__all__ = ["FULL_DISK_SECONDS", "Outbox"]

FULL_DISK_SECONDS = 1.0
"""Seconds between attempts to continue while the disk is full."""

RESULTS_MAX = 200
"""Maximum results that wait for the next regular report; when it is reached they are sent at once."""

LISTED_BYTES_MAX = 32 << 20
"""Bytes of URLs after which a message is closed and another one started; one batch of drafts may exceed it.

A sitemap may list a hundred megabytes of URLs and dates, but the size of a frame is limited: a result that
did not fit would be fetched and sent again forever.
"""


class Outbox:
    """Reports on their way to the keeper, and the visits that wait for its answer."""

    def __init__(self, tools: Tools, send: Callable[[News], None], *, syncs: bool) -> None:
        self._tools = tools
        self._send = send
        self._syncs = syncs
        self._batch = WriteBatch()
        self._reports: dict[int, Report] = {}
        self._listed_bytes = 0  # in these reports
        self._whole: list[News] = []  # closed messages, not sent yet
        self._sending: list[News] = []  # messages that only wait until the files are synced
        self._results = 0
        self._waiting: dict[int, asyncio.Future[list[HostWork]]] = {}
        self._turn = asyncio.Lock()
        self.is_full = asyncio.Event()
        self.trouble = ""

    def add(self, visit: int, draft: Draft) -> None:
        """Queue a draft to be written in a batch and reported."""
        self._batch.add(visit, draft)
        self._results += 1
        if self._batch.is_full and not self.trouble:
            with contextlib.suppress(DiskFull):  # the next `flush` reports it
                self._write_out()
        if self._results >= RESULTS_MAX or draft.is_urgent:
            self.is_full.set()

    def give_back(self, visit: int, requests: list[Request]) -> None:
        """Report requests that were not made."""
        self._report(visit).returned.extend(requests)

    async def finish(self, visit: int, *, wants_more: bool) -> list[HostWork]:
        """Report that a visit is done; return the work that the keeper adds to it, nothing if it ends."""
        report = self._report(visit)
        report.is_done = True
        report.wants_more = wants_more
        answer: asyncio.Future[list[HostWork]] = asyncio.get_running_loop().create_future()
        self._waiting[visit] = answer
        return await answer

    def answered(self, visit: int, works: list[HostWork]) -> None:
        """Pass the keeper's answer to a visit that was reported as done."""
        waiting = self._waiting.pop(visit, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(works)

    def drop(self, shard: int) -> None:
        """Drop everything not yet sent about a shard, and end its visits that wait for an answer."""
        gathered = sift_revoked(News(list(self._reports.values())), (shard,))
        self._reports = {report.visit: report for report in gathered.reports}
        self._whole[:] = [sift_revoked(message, (shard,)) for message in self._whole]
        self._sending[:] = [sift_revoked(message, (shard,)) for message in self._sending]
        discards = self._tools.outlinks.discards
        discards[Dropped.LEASE_LOST] += self._batch.drop(shard)
        for message in (gathered, *self._whole, *self._sending):
            discards.update(message.discards)
            message.discards = {}
        for visit in [visit for visit in self._waiting if shard_of_visit(visit) == shard]:
            self.answered(visit, [])

    async def flush(self) -> None:
        """Write and send everything collected so far; on a full disk it is kept and sent later."""
        async with self._turn:
            outputs = self._tools.outputs
            outputs.tidy(self._tools.time())
            try:
                self._write_out()
            except DiskFull as error:
                if not self.trouble:
                    self.trouble = str(error)
                    self._send(News([], trouble=self.trouble))
                self.is_full.clear()  # otherwise we would try again without a pause
                return
            self._close_message()
            messages = self._sending = self._whole
            self._whole = []
            self._results = 0
            self.is_full.clear()
            last = messages[-1]
            was_troubled, self.trouble = bool(self.trouble), ""
            if not (last.reports or last.marks or was_troubled or len(messages) > 1):
                return
            if self._syncs and last.marks:
                await asyncio.to_thread(outputs.sync)
            last = messages[-1]  # a shard may have been dropped meanwhile
            last.activities = self._tools.activities.take()
            last.discards = self._tools.outlinks.take_discards()
            last.judged = self._tools.segmenter.take() if self._tools.segmenter is not None else None
            for message in messages:
                self._send(message)
            self._sending = []

    def _write_out(self) -> None:
        """Write the batch and flush it to the kernel at once, while it is still in the processor's cache."""
        write(self._batch, self._tools)
        began = time.perf_counter()
        for visit, draft in self._batch:
            result = report(draft)
            self._report(visit).results.append(result)
            self._listed_bytes += _listed_bytes(result)
        self._batch.clear()
        began = self._tools.activities.spent("write", began)
        self._tools.outputs.flush()
        self._tools.activities.spent("flush", began)
        if self._listed_bytes >= LISTED_BYTES_MAX:
            self._close_message()
            self.is_full.set()

    def _close_message(self) -> None:
        """Put the reports into a message; must follow a flush, so that the marks match the reports."""
        self._whole.append(News(list(self._reports.values()), self._tools.outputs.marks()))
        self._reports = {}
        self._listed_bytes = 0

    def _report(self, visit: int) -> Report:
        report = self._reports.get(visit)
        if report is None:
            report = self._reports[visit] = Report(visit, [], [])
        return report


def _listed_bytes(result: Result) -> int:
    """Return the size of the URLs that a result lists, which is nearly the whole size of a large one."""
    listed = 0
    for group in result.links:
        listed += sum(map(len, group.urls)) + len(group.keys)
    if result.sitemaps or result.hints:
        listed += sum(map(len, result.sitemaps)) + sum(len(hint.url) for hint in result.hints)
    return listed
