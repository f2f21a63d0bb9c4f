"""What does one run of a crawl leave to the next?

Whether it ended in good order, how it counted the time, and until when everybody rests.

Moments are seconds since 1970: what the wall clock said when the crawl began on a machine, and from there
the count of that machine, whatever its wall clock is set to. After a restart, or on another machine, there is
only the wall clock to go by, less what it was ahead of the moments when that was noted last; and time never
goes back. So no pause that is stored is shortened because a clock was set. The clocks of two machines are
never quite the same, so there everybody rests once.
"""

import msgspec

from tiptoe.frontier.step import Step
from tiptoe.store.tables import Rows, Table

__all__ = ["ENDED", "RUN_KEY", "TIMING_KEY", "Runs", "Timing", "stored_timing"]

RUN_KEY = b"run"
ENDED = b"ended"
TIMING_KEY = b"run.timing"


class Timing(msgspec.Struct, array_like=True, gc=False):
    """How a run counted the time: every moment in the store is meant so."""

    boot: str  # of which start of the machine
    offset: float  # from the count of the machine to the moments of the crawl
    rests_until: float = 0.0
    ranges: tuple[str, ...] | None = None  # inside of which each host of an address waits by itself
    noted_at: float = 0.0  # a moment of that run
    wall_ahead: float = 0.0  # by how much the wall clock was ahead of it

    def offset_on(self, boot: str, *, count: float, wall: float) -> float:
        """Return what to add to the count of a machine to have moments; both its clocks are read now."""
        if boot and self.boot == boot:
            return self.offset
        return max(wall - self.wall_ahead, self.noted_at) - count


def stored_timing(rows: Rows) -> Timing:
    """Return how the last run of a crawl counted the time."""
    stored = rows.get(Table.META, TIMING_KEY)
    return msgspec.msgpack.decode(stored, type=Timing) if stored else Timing("", 0.0)


class Runs:
    """The runs of a crawl, one after the other."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._timing = stored_timing(step.store)

    def offset(self, boot: str, *, count: float, wall: float) -> float:
        """Return what to add to the count of this machine to have moments; both clocks are read now."""
        return self._timing.offset_on(boot, count=count, wall=wall)

    def begin(
        self, boot: str, offset: float, *, now: float, rest: float, ranges: tuple[str, ...] = (),
        wall_ahead: float = 0.0,
    ) -> float:  # fmt: skip
        """Note that a run begins; return until when nobody may be asked.

        If the machine went down under the last one the last writes may be missing, and with them who was
        asked last; on another machine the clock is another; if ranges of networks were changed, nobody knows
        when an address was asked last. Then everybody rests, also if this run ends before that is over.
        """
        stored = self._step.store.get(Table.META, RUN_KEY)
        went_down = stored is not None and stored not in (ENDED, boot.encode())
        is_elsewhere = stored is not None and self._timing.boot != boot
        is_unsure = went_down or is_elsewhere or self._timing.ranges not in (None, ranges)
        # Not longer than a rest from now: the wall clock may have been set back.
        rests_until = now + rest if is_unsure else min(self._timing.rests_until, now + rest)
        self._timing = Timing(boot, offset, rests_until, ranges)
        self._note(boot.encode(), now, wall_ahead)
        return rests_until

    def end(self, *, now: float, wall_ahead: float = 0.0) -> None:
        """Note that a run ends in good order."""
        self._note(ENDED, now, wall_ahead)

    def _note(self, run: bytes, now: float, wall_ahead: float) -> None:
        self._timing.noted_at, self._timing.wall_ahead = now, wall_ahead
        self._step.batch.put(Table.META, RUN_KEY, run)
        self._step.batch.put(Table.META, TIMING_KEY, msgspec.msgpack.encode(self._timing))
        self._step.commit()
