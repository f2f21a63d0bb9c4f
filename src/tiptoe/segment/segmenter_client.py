"""How does a crawl call a segmenter in another process?

In batches: while one is under way, the next is collected. The caller always has a
result within the time limit; `None` means that the queue was full, or the segmenter
is down, slow, or sends invalid answers. Nothing here raises, and nothing is tried
twice; unrated documents can be rated later by `tiptoe segmenter catch-up`.
"""

import asyncio
import itertools
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tiptoe.errors import ProtocolError
from tiptoe.fetch.transfers import Transfers
from tiptoe.protocol.messages import Judged
from tiptoe.segment.breaker import Breaker
from tiptoe.segment.segmenter_exchange import SegmenterExchange
from tiptoe.segment.segmenter_protocol import (
    DOCUMENTS_MAX,
    SEGMENT_PATH,
    TEXT_CHARS_MAX,
    Rating,
    SubmittedText,
    TextBatch,
    answer_bytes_max,
    cut_text,
    encode,
)

__all__ = ["SegmenterClient"]

REQUESTS_MAX: Final = 4
"""Maximum number of batches under way: enough to keep a segmenter busy while answers are in transit."""

WAITING_CHARS_MAX: Final = 20 * TEXT_CHARS_MAX
"""Maximum length of waiting text; above it documents are not rated."""


@dataclass(slots=True)
class _QueuedText:
    """A document in the queue."""

    text: SubmittedText
    chars: int
    rated: asyncio.Future[Rating | None]


class SegmenterClient:
    """Calls the segmenter at one URL; must be created in the running event loop.

    A document is *waiting*, then *sent* in a batch, then *rated* or not. `counts` has
    the number of documents by result: rated, unjudged (too little text, according to
    the segmenter), unrated (the batch failed, or the answer left it out), timed_out,
    full, down; and the number of failed batches.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout_seconds: float,
        documents_max: int,
        user_agent: str,
        note: Callable[[str], None] = lambda reason: None,
        time: Callable[[], float] = time.monotonic,
    ) -> None:
        """`note` is told why a batch failed, for the log."""
        self._url = url.rstrip("/") + SEGMENT_PATH
        self._timeout_seconds = timeout_seconds
        self._documents_max = min(documents_max, DOCUMENTS_MAX)
        self._user_agent = user_agent
        self._note = note
        self._time = time
        self._loop = asyncio.get_running_loop()
        self._transfers = Transfers(REQUESTS_MAX)
        self._free: list[SegmenterExchange] = []
        self._breaker = Breaker()
        self._queue: deque[_QueuedText] = deque()
        self._queued_chars = 0
        self._senders: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)
        self.counts: Counter[str] = Counter()
        self._rated = self._missed = 0  # since the last `take`
        self._fault = self._told_fault = ""

    def __repr__(self) -> str:
        return f"<SegmenterClient {self._url} {len(self._queue)} waiting, {len(self._senders)} under way>"

    async def rate(self, url: str, language: str, paragraphs: list[str]) -> Rating | None:
        """Return the rating of a document, or None if it is not known in time."""
        if not self._breaker.may_ask(self._time()):
            self.counts["down"] += 1
            self._missed += 1
            return None
        waiting = self._enter(url, language, cut_text(paragraphs))
        if waiting is None:
            self.counts["full"] += 1
            self._missed += 1
            return None
        self._send_soon()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await waiting.rated
        except TimeoutError:
            self.counts["timed_out"] += 1
            self._missed += 1
            return None

    def take(self) -> Judged | None:
        """Return the results since the last call; None if there is nothing new."""
        if not (self._rated or self._missed) and self._fault == self._told_fault:
            return None
        judged = Judged(self._rated, self._missed, self._fault)
        self._rated = self._missed = 0
        self._told_fault = self._fault
        return judged

    async def close(self) -> None:
        """Abandon everything that waits or is under way."""
        self._transfers.close()
        while self._senders:  # each notices that its transfer ended, and settles the rest
            await asyncio.gather(*self._senders)
        while self._free:
            self._free.pop().close()

    def _enter(self, url: str, language: str, paragraphs: list[str]) -> _QueuedText | None:
        chars = sum(map(len, paragraphs))
        if self._queued_chars + chars > WAITING_CHARS_MAX:
            return None
        text = SubmittedText(str(next(self._numbers)), url, language, paragraphs)
        waiting = _QueuedText(text, chars, self._loop.create_future())
        self._queue.append(waiting)
        self._queued_chars += chars
        return waiting

    def _send_soon(self) -> None:
        """Start another sender, unless there are enough."""
        if len(self._senders) < REQUESTS_MAX:
            sender = self._loop.create_task(self._send())
            self._senders.add(sender)
            sender.add_done_callback(self._senders.discard)

    async def _send(self) -> None:
        """Send batches as long as documents wait."""
        while batch := self._next_batch():
            now = self._time()
            ratings = await self._ask(batch, now) if self._breaker.ask(now) else None
            for waiting in batch:
                self._settle(waiting, ratings.get(waiting.text.id) if ratings else None)

    def _next_batch(self) -> list[_QueuedText]:
        """Take documents for one request, dropping those whose callers no longer wait."""
        batch: list[_QueuedText] = []
        chars = 0
        while self._queue and len(batch) < self._documents_max:
            if batch and chars + self._queue[0].chars > TEXT_CHARS_MAX:
                break
            waiting = self._queue.popleft()
            self._queued_chars -= waiting.chars
            if not waiting.rated.done():
                batch.append(waiting)
                chars += waiting.chars
        return batch

    async def _ask(self, batch: list[_QueuedText], now: float) -> dict[str, Rating] | None:
        """Return the ratings of a batch; None if there is no answer."""
        texts = [waiting.text for waiting in batch]
        exchange = self._free.pop() if self._free else self._new_exchange()
        try:
            exchange.prepare(self._url, encode(TextBatch(texts)))
            ending = await self._transfers.run(exchange.curl)
            ratings = exchange.ratings(ending.code, ending.words, [text.id for text in texts])
        except ProtocolError as problem:
            self.counts["failed_batches"] += 1
            self._breaker.failed(now, self._time())
            self._fault = str(problem)
            self._note(self._fault)
            return None
        finally:
            self._free.append(exchange)
        self._breaker.succeeded()
        self._fault = ""
        return ratings

    def _settle(self, waiting: _QueuedText, rating: Rating | None) -> None:
        if waiting.rated.done():
            return
        if rating is None:
            self.counts["unrated"] += 1
            self._missed += 1
        else:
            self.counts["unjudged" if rating.usability is None else "rated"] += 1
            self._rated += 1
        waiting.rated.set_result(rating)

    def _new_exchange(self) -> SegmenterExchange:
        return SegmenterExchange(
            self._user_agent,
            timeout_seconds=self._timeout_seconds,
            answer_bytes_max=answer_bytes_max(self._documents_max),
        )
