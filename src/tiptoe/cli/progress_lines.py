"""How does a command report its progress to a program?

As one line of JSON per second, `{"done": 17, "total": 290}`, on standard output.
"""

import json
import time
from collections.abc import Callable
from typing import Final

__all__ = ["ProgressLines"]

EVERY_SECONDS: Final = 1.0


class ProgressLines:
    """Prints from time to time how much is done."""

    def __init__(
        self,
        total: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        write: Callable[[str], object] = lambda line: print(line, flush=True),
    ) -> None:
        self._total = total
        self._clock = clock
        self._write = write
        self._done = 0
        self._told_at = -EVERY_SECONDS

    def advance(self, amount: int) -> None:
        """Record that more has been done."""
        self._done += amount
        now = self._clock()
        if now - self._told_at >= EVERY_SECONDS:
            self._told_at = now
            self._write(json.dumps({"done": self._done, "total": max(self._total, self._done)}))
