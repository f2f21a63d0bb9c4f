"""How do results reach the keeper?

In order and in batches. Drafts wait here until they are written; from then on they are results. These are
sent when everything their pages wrote is in the kernel, together with the sizes of the files at that moment.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable

from tiptoe.errors import DiskFull
from tiptoe.harvest.draft import Draft, WriteBatch
from tiptoe.harvest.journey import tell, write
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.messages import News
from tiptoe.protocol.work import HostWork, Report, Request

__all__ = ["FULL_DISK_SECONDS", "Outbox"]

FULL_DISK_SECONDS = 1.0
"""Seconds after which whoever cannot go on without room on the disk looks again."""

RESULTS_MAX = 200
"""Maximum of results that wait for the next turn; above it they are sent at once."""


class Outbox:
    """Reports on their way to the keeper, and the visits that wait for its answer."""

    def __init__(self, tools: Tools, send: Callable[[News], None], *, syncs: bool) -> None:
        self._tools = tools
        self._send = send
        self._syncs = syncs
        self._batch = WriteBatch()
        self._reports: dict[int, Report] = {}
        self._results = 0
        self._waiting: dict[int, asyncio.Future[list[HostWork]]] = {}
        self._turn = asyncio.Lock()
        self.is_full = asyncio.Event()
        self.trouble = ""

    def add(self, visit: int, draft: Draft) -> None:
        """Write what has come of a request, with others, and tell of it."""
        self._batch.add(visit, draft)
        self._results += 1
        if self._batch.is_full and not self.trouble:
            with contextlib.suppress(DiskFull):  # the next turn says so
                self._write_out()
        # What a server wishes must not be lost with us.
        if self._results >= RESULTS_MAX or draft.retry_after:
            self.is_full.set()

    def give_back(self, visit: int, requests: list[Request]) -> None:
        """Tell of requests that were not made."""
        self._report(visit).returned.extend(requests)

    async def finish(self, visit: int, *, wants_more: bool) -> list[HostWork]:
        """Tell that a visit is done; return what the keeper adds to it, nothing when it ends."""
        report = self._report(visit)
        report.is_done = True
        report.wants_more = wants_more
        answer: asyncio.Future[list[HostWork]] = asyncio.get_running_loop().create_future()
        self._waiting[visit] = answer
        return await answer

    def answered(self, visit: int, works: list[HostWork]) -> None:
        """The keeper has answered a visit that was done."""
        waiting = self._waiting.pop(visit, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(works)

    async def flush(self) -> None:
        """Send what has gathered; on a full disk it stays and is sent later."""
        async with self._turn:
            outputs = self._tools.outputs
            try:
                self._write_out()
            except DiskFull as error:
                if not self.trouble:
                    self.trouble = str(error)
                    self._send(News([], trouble=self.trouble))
                self.is_full.clear()  # else we would try again without a pause
                return
            # No waiting between these lines: the marks are those of exactly these reports.
            reports, self._reports = list(self._reports.values()), {}
            self._results = 0
            self.is_full.clear()
            marks = outputs.marks()
            was_troubled, self.trouble = bool(self.trouble), ""
            if not (reports or marks or was_troubled):
                return
            if self._syncs and marks:
                await asyncio.to_thread(outputs.sync)
            discards = self._tools.outlinks.take_discards()
            judged = self._tools.segmenter.take() if self._tools.segmenter is not None else None
            self._send(News(reports, marks, self._tools.activities.take(), discards=discards, judged=judged))

    def _write_out(self) -> None:
        """Write the batch; its bytes go to the kernel at once: out of the processor's cache it costs more."""
        write([draft for _, draft in self._batch], self._tools)
        began = time.perf_counter()
        for visit, draft in self._batch:
            self._report(visit).results.append(tell(draft))
        self._batch.clear()
        began = self._tools.activities.spent("write", began)
        self._tools.outputs.flush()
        self._tools.activities.spent("flush", began)

    def _report(self, visit: int) -> Report:
        report = self._reports.get(visit)
        if report is None:
            report = self._reports[visit] = Report(visit, [], [])
        return report
