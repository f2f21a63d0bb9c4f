"""How have the figures of a crawl changed over time?

Samples of the last half hour, one per second, and sparser ones for a day, so that memory is bounded. Pure.
"""

from collections import deque
from typing import Final

import msgspec

from tiptoe.control.crawl_state import failed_requests
from tiptoe.protocol.status import Status

__all__ = ["FigureHistory", "FigureSample"]

FINE_MAX: Final = 1800
COARSE_MAX: Final = 2880
COARSE_SECONDS: Final = 30.0
PACE_SECONDS: Final = 10.0
"""Time span over which rates are measured."""


class FigureSample(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Figures of a crawl at a moment; rates are per second."""

    at: float
    pages: int = 0
    documents: int = 0
    text_chars: int = 0
    requests: int = 0
    failed: int = 0
    bytes: int = 0
    queued: int = 0
    hosts: int = 0
    open_visits: int = 0
    pace: float = 0.0  # pages
    request_pace: float = 0.0
    failed_pace: float = 0.0
    text_pace: float = 0.0  # characters
    byte_pace: float = 0.0
    waits: dict[str, int] = {}  # hosts, names and requests that wait, by cause


class FigureHistory:
    """The samples of one crawl."""

    def __init__(self) -> None:
        self.fine: deque[FigureSample] = deque(maxlen=FINE_MAX)
        self._coarse: deque[FigureSample] = deque(maxlen=COARSE_MAX)

    @property
    def last(self) -> FigureSample | None:
        return self.fine[-1] if self.fine else None

    def add(self, status: Status, at: float) -> FigureSample:
        """Add a sample; if figures went back, they belong to another crawl, and the history starts over."""
        if self.fine and (status.pages < self.fine[-1].pages or at <= self.fine[-1].at):
            self.fine.clear()
        sample = _sample(status, at, self._before(at))
        self.fine.append(sample)
        if not self._coarse or at - self._coarse[-1].at >= COARSE_SECONDS:
            self._coarse.append(sample)
        return sample

    def since(self, at: float) -> list[FigureSample]:
        """Return the samples after a moment, sparse where they are old."""
        fine = [sample for sample in self.fine if sample.at > at]
        first = self.fine[0].at if self.fine else float("inf")
        return [*(sample for sample in self._coarse if at < sample.at < first), *fine]

    def spark(self, points: int = 60) -> list[float]:
        """Return the pages per second of the last half hour, as a few numbers from 0 to 1."""
        if len(self.fine) < 3:
            return []
        step = max(1, len(self.fine) // points)
        paces = [sample.pace for sample in self.fine][::-step][::-1]
        most = max(paces) or 1.0
        return [pace / most for pace in paces]

    def _before(self, at: float) -> FigureSample | None:
        """Return the earlier sample from which rates are measured."""
        for sample in reversed(self.fine):
            if at - sample.at >= PACE_SECONDS:
                return sample
        return self.fine[0] if self.fine else None


def _sample(status: Status, at: float, before: FigureSample | None) -> FigureSample:
    seconds = at - before.at if before else 0.0
    failed = failed_requests(status)

    def pace(now: int, then: int) -> float:
        return max(0.0, (now - then) / seconds) if seconds > 0.5 else 0.0

    then = before or FigureSample(at=at)
    return FigureSample(
        at=at,
        pages=status.pages,
        documents=status.documents,
        text_chars=status.text_chars,
        requests=status.requests,
        failed=failed,
        bytes=status.bytes,
        queued=status.queued,
        hosts=status.hosts,
        open_visits=status.open_visits,
        pace=pace(status.pages, then.pages),
        request_pace=pace(status.requests, then.requests),
        failed_pace=pace(failed, then.failed),
        text_pace=pace(status.text_chars, then.text_chars),
        byte_pace=pace(status.bytes, then.bytes),
        waits={reason.cause.value: reason.count or 1 for reason in status.waiting.reasons},
    )
