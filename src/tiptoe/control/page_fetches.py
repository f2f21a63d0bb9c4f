"""How often may somebody here have a page fetched?

Beside all rules of the crawl in whose name it is asked for: one page at a time, and few an hour. People try
filters by hand; whoever wants more than that wants a crawl.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tiptoe.control.web_problem import WebProblem

__all__ = ["PageFetches"]

IN_A_ROW: Final = 10
EVERY_SECONDS: Final = 120.0
"""Seconds until another one is free."""


class PageFetches:
    """The turns of all users together."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._used = 0.0
        self._used_at = 0.0

    @contextmanager
    def turn(self, now: float) -> Iterator[None]:
        """Take a turn for as long as the block lasts; WebProblem when there is none."""
        if not self._turn.acquire(blocking=False):
            raise WebProblem(503, "another page is being fetched; try again in a moment")
        try:
            used = max(0.0, self._used - max(0.0, now - self._used_at) / EVERY_SECONDS)
            if used + 1 > IN_A_ROW:
                wait = (used + 1 - IN_A_ROW) * EVERY_SECONDS
                raise WebProblem(429, f"many pages were fetched from here; the next one in {wait:.0f} s")
            self._used, self._used_at = used + 1, now
            yield
        finally:
            self._turn.release()
