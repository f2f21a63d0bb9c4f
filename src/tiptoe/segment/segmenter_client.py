"""How does a crawl ask a segmenter that lives elsewhere?

In batches: while one is under way, the next gathers. Whoever asks has an answer
within the time limit, and `None` is one: the queue was full, the segmenter is
down, slow, or talks nonsense. Nothing here raises, nothing is tried twice; what
stays unknown is rated later, by `tiptoe segmenter catch-up`.
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
"""Maximum number of batches under way: enough to keep a segmenter busy while another answer travels."""

WAITING_CHARS_MAX: Final = 20 * TEXT_CHARS_MAX
"""Maximum length of text that waits; above it documents go unrated."""


@dataclass(slots=True)
class _QueuedText:
    """A document in the queue."""

    text: SubmittedText
    chars: int
    rated: asyncio.Future[Rating | None]


class SegmenterClient:
    """Asks the segmenter at one address; to be made on the running loop.

    A document is *waiting*, then *asked about* in a batch, then *rated* or not.
    `counts` says how documents ended: rated, unjudged (too little text, says the
    segmenter), unrated (the batch failed, or the answer left it out), timed_out, full,
    down; and how many batches failed.
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
        """`note` hears why a batch failed, for the log."""
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
        self._rated = self._missed = 0  # since they were last taken
        self._fault = self._told_fault = ""

    def __repr__(self) -> str:
        return f"<SegmenterClient {self._url} {len(self._queue)} waiting, {len(self._senders)} under way>"

    async def rate(self, url: str, language: str, paragraphs: list[str]) -> Rating | None:
        """Return the rating of a document, or None when it is not known in time."""
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
        """Return what came of asking since this was last called; None when there is nothing new."""
        if not (self._rated or self._missed) and self._fault == self._told_fault:
            return None
        judged = Judged(self._rated, self._missed, self._fault)
        self._rated = self._missed = 0
        self._told_fault = self._fault
        return judged

    async def close(self) -> None:
        """Give up everything that waits or is under way."""
        self._transfers.close()
        while self._senders:  # each finds its transfer ended, and settles what is left
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
        """Start one more sender, if there may be one more."""
        if len(self._senders) < REQUESTS_MAX:
            sender = self._loop.create_task(self._send())
            self._senders.add(sender)
            sender.add_done_callback(self._senders.discard)

    async def _send(self) -> None:
        """Send batches as long as something waits."""
        while batch := self._next_batch():
            now = self._time()
            ratings = await self._ask(batch, now) if self._breaker.ask(now) else None
            for waiting in batch:
                self._settle(waiting, ratings.get(waiting.text.id) if ratings else None)

    def _next_batch(self) -> list[_QueuedText]:
        """Take the documents that go into one request, leaving out those that nobody waits for any more."""
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
        """Return the ratings of a batch; None when there is no answer."""
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
