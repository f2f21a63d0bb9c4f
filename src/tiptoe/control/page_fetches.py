"""How often may users have a page fetched?

In addition to all rules of the crawl in whose name it is fetched: one page at a time, and few per hour. This
is for trying filters by hand; anything more needs a crawl.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tiptoe.control.web_problem import WebProblem

__all__ = ["PageFetches"]

IN_A_ROW: Final = 10
EVERY_SECONDS: Final = 120.0
"""Seconds after which another fetch is permitted."""


class PageFetches:
    """The fetches of all users together."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._used = 0.0
        self._used_at = 0.0

    @contextmanager
    def turn(self, now: float) -> Iterator[None]:
        """Take a turn while the context lasts; raise WebProblem when there is none."""
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
