"""What does one run of a crawl leave to the next?

Whether it ended in good order, how it counted the time, and until when everybody rests.
"""

import msgspec

from tiptoe.frontier.step import Step
from tiptoe.store.tables import Table

__all__ = ["RUN_KEY", "Runs"]

RUN_KEY = b"run"
ENDED = b"ended"
TIMING_KEY = b"run.timing"


class Timing(msgspec.Struct, array_like=True, gc=False):
    """How a run counted the time: every moment in the store is meant so."""

    boot: str  # of which start of the machine
    offset: float  # from the count of the machine to the moments of the crawl
    rests_until: float = 0.0
    ranges: tuple[str, ...] | None = None  # inside of which each host of an address waits by itself


class Runs:
    """The runs of a crawl, one after the other."""

    def __init__(self, step: Step) -> None:
        self._step = step
        stored = step.store.get(Table.META, TIMING_KEY)
        self._timing = msgspec.msgpack.decode(stored, type=Timing) if stored else Timing("", 0.0)

    def offset(self, boot: str) -> float | None:
        """Return how the last run counted the time; None when the machine has started anew since.

        If the wall clock was set forward meanwhile, every pause that is stored would seem to be over.
        """
        return self._timing.offset if boot and self._timing.boot == boot else None

    def begin(
        self, boot: str, offset: float, *, now: float, rest: float, ranges: tuple[str, ...] = ()
    ) -> float:
        """Note that a run begins; return until when nobody may be asked.

        If the machine went down under the last one the last writes may be missing, and with them who was
        asked last; if ranges of networks were changed, nobody knows when an address was asked last. Then
        everybody rests, also if this run ends before that is over.
        """
        stored = self._step.store.get(Table.META, RUN_KEY)
        went_down = stored is not None and stored not in (ENDED, boot.encode())
        is_unsure = went_down or self._timing.ranges not in (None, ranges)
        # Not longer than a rest from now: the wall clock may have been set back.
        rests_until = now + rest if is_unsure else min(self._timing.rests_until, now + rest)
        self._timing = Timing(boot, offset, rests_until, ranges)
        self._step.batch.put(Table.META, RUN_KEY, boot.encode())
        self._step.batch.put(Table.META, TIMING_KEY, msgspec.msgpack.encode(self._timing))
        self._step.commit()
        return rests_until

    def end(self) -> None:
        """Note that a run ends in good order."""
        self._step.batch.put(Table.META, RUN_KEY, ENDED)
        self._step.commit()
