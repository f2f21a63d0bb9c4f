"""How many event streams are open, and may another one be opened?

A stream is a connection that stays open while a page is shown. Their number is limited, per visitor and in
total, so that a flood of streams affects nothing but other streams."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tiptoe.control.web_problem import WebProblem

__all__ = ["EventStreams"]

STREAMS_MAX: Final = 200
PER_VISITOR_MAX: Final = 12
RETRY_SECONDS: Final = 15


class EventStreams:
    """The open streams; used only in the event loop."""

    def __init__(self, *, streams_max: int = STREAMS_MAX, per_visitor_max: int = PER_VISITOR_MAX) -> None:
        self._streams_max = streams_max
        self._per_visitor_max = per_visitor_max
        self._open: Counter[str] = Counter()

    @property
    def open(self) -> int:
        """The number of open streams."""
        return self._open.total()

    @contextmanager
    def one_more(self, visitor: str) -> Iterator[None]:
        """Count a stream while the context lasts; raise WebProblem when there are too many."""
        if self.open >= self._streams_max or self._open[visitor] >= self._per_visitor_max:
            raise WebProblem(
                429,
                "too many event streams are open; close some pages",
                headers={"Retry-After": str(RETRY_SECONDS)},
            )
        self._open[visitor] += 1
        try:
            yield
        finally:
            self._open[visitor] -= 1
            self._open += Counter()  # drops visitors without streams
