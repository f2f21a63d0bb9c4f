"""When may the outside world learn of a step?

When the log of its shard has acknowledged it. Steps of the frontier are visible at once in the store of the
shard and gather there; one batch at a time is under way to the log, and the steps made meanwhile form the
next one. An acknowledged batch is written to disk, with its position in the log; then the actions that waited
for it are carried out.

    frontier.tell(...)                      # writes to log.store
    log.after_commit(lambda: send(visits))  # runs when the log has it, in the order of the calls

Rows that nothing waits for are written `unhurried`: they go with the next batch, because each batch, however
small, is work for all servers.

When another agent has written to the log, the shard is lost: `run` raises ShardLost, waiting actions are
dropped, and the store refuses further writes.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from tiptoe.cluster.batch_appender import Append, BatchAppender, ShardLost
from tiptoe.cluster.beat import SharedBeat
from tiptoe.cluster.engine import Engine, EngineUnavailable, OutOfDate
from tiptoe.cluster.log_batch import LogPosition
from tiptoe.errors import CrawlerError, DiskFull
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.pending import PendingStore
from tiptoe.store.tables import Store, Writes

__all__ = ["ShardLog", "append_whole", "log_subject"]

RETRY_SECONDS, RETRY_SECONDS_MAX = 0.1, 2.0
DISK_FULL_SECONDS: Final = 5.0
UNHURRIED_SECONDS: Final = 0.5
"""Maximum time that unhurried rows are gathered; after it they are sent as a batch of their own."""


def log_subject(shard: int) -> str:
    """Return the subject of a shard's log."""
    return f"log.{shard}"


async def append_whole(engine: Engine, subject: str, appender: BatchAppender) -> None:
    """Append a batch to the log, however long it takes; raise ShardLost when another agent has written."""
    seconds = RETRY_SECONDS
    while (order := appender.order()) is not None:
        try:
            if isinstance(order, Append):
                appender.stored(await engine.append(subject, order.data, expected=order.expected))
            else:
                appender.looked(await engine.last(subject))
            continue
        except OutOfDate:
            appender.refused()
            if not appender.is_refused_again:
                continue
        except EngineUnavailable:
            appender.unanswered()
        await asyncio.sleep(seconds)
        seconds = min(2 * seconds, RETRY_SECONDS_MAX)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class ShardLog:
    """The store of a shard that is held, and the transfer of its steps to the log."""

    def __init__(
        self, engine: Engine, shard: int, base: Store, appender: BatchAppender, events: EventLog
    ) -> None:
        self.store = PendingStore(base, self._noticed)
        self._engine = engine
        self._subject = log_subject(shard)
        self._appender = appender
        self._events = events
        self._wake = asyncio.Event()
        self._ended: CrawlerError | None = None
        self._is_busy = False  # with a batch, until all actions that waited for it are done
        self._current: deque[Callable[[], object]] = deque()  # wait for the batch under way
        self._next: deque[Callable[[], object]] = deque()  # wait for the batch that is being gathered
        self._waiting: set[asyncio.Future[None]] = set()
        self._is_unhurried = False
        self._later: asyncio.TimerHandle | None = None  # sends unhurried rows
        self.beat = SharedBeat()  # at which gathered steps are sent

    @property
    def position(self) -> LogPosition:
        """The end of the log."""
        return self._appender.position

    @property
    def pending_rows(self) -> int:
        """The number of rows that are not acknowledged, which tells how far the log is behind."""
        return self.store.unconfirmed_rows

    @contextlib.contextmanager
    def unhurried(self) -> Iterator[None]:
        """Let writes within the context wait for the next batch, though not for long."""
        self._is_unhurried = True
        try:
            yield
        finally:
            self._is_unhurried = False

    def after_commit(self, act: Callable[[], object], *, hurries: bool = True) -> None:
        """Carry out an action once everything written so far is in the log; drop it if the log ends."""
        if self._ended is not None:
            return
        if self.store.has_gathered:
            self._next.append(act)
            if hurries:
                self._wake.set()
        elif self._is_busy:
            self._current.append(act)
        else:
            act()

    def expect_open(self) -> None:
        """Raise the error that has ended the log: the store then lacks rows that the frontier relies on."""
        if self._ended is not None:
            raise self._ended

    async def committed(self, *, hurries: bool = True) -> None:
        """Wait until everything written so far is in the log; raise the error that has ended it instead."""
        self.expect_open()
        done = asyncio.get_running_loop().create_future()
        self._waiting.add(done)
        done.add_done_callback(self._waiting.discard)
        self.after_commit(lambda: _resolve(done), hurries=hurries)
        await done

    async def run(self) -> None:
        """Send gathered steps until the shard is lost or this is cancelled; either ends the log for good."""
        try:
            while True:
                await self._wake.wait()
                await self.beat.wait()
                self._wake.clear()
                if self.store.has_gathered:
                    await self._commit()
        except CrawlerError as error:
            self._events.note("shard.lost", log=self._subject, error=error)
            self._end(error)
            raise
        finally:
            self._end(ShardLost(f"{self._subject}: nobody brings anything into it any more"))

    async def _commit(self) -> None:
        """Write one batch to the log, then to disk, then carry out the actions that waited for it."""
        self._is_busy = True
        self._current, self._next = self._next, deque()
        if self._later is not None:
            self._later.cancel()
            self._later = None
        self._appender.begin(self.store.take())
        await append_whole(self._engine, self._subject, self._appender)
        await self._settle(self._appender.position.row())
        while self._current:
            self._current.popleft()()
        self._is_busy = False

    async def _settle(self, position: Writes) -> None:
        while True:
            try:
                self.store.settle(position)
                return
            except DiskFull as error:
                self._events.note("shard.disk_full", log=self._subject, error=error)
                await asyncio.sleep(DISK_FULL_SECONDS)

    def _noticed(self) -> None:
        self.expect_open()
        if not self._is_unhurried:
            self._wake.set()
        elif self._later is None:
            self._later = asyncio.get_running_loop().call_later(UNHURRIED_SECONDS, self._waited_long_enough)

    def _waited_long_enough(self) -> None:
        self._later = None
        self._wake.set()

    def _end(self, error: CrawlerError) -> None:
        if self._ended is not None:
            return
        self._ended = error
        if self._later is not None:
            self._later.cancel()
        self.store.drop()
        self._current.clear()
        self._next.clear()
        for future in list(self._waiting):
            if not future.done():
                future.set_exception(error)
