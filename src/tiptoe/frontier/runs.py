"""What does one run of a crawl leave to the next?

Whether it ended cleanly, how it measured time, and until when every host rests.

Times are seconds since 1970: the wall clock when the crawl began on a machine, plus the machine's monotonic
clock since then, so changes of the wall clock have no effect. After a reboot, or on another machine, only the
wall clock is left; it is reduced by how far it was last noted to be ahead of the crawl's time, and time never
goes back. So no stored pause is shortened by setting a clock. The clocks of two machines always differ a
little, so after a change of machine every host rests once.
"""

import msgspec

from tiptoe.frontier.step import Step
from tiptoe.store.tables import Rows, Table

__all__ = ["ENDED", "RUN_KEY", "TIMING_KEY", "Runs", "Timing", "stored_timing"]

RUN_KEY = b"run"
ENDED = b"ended"
TIMING_KEY = b"run.timing"


class Timing(msgspec.Struct, array_like=True, gc=False):
    """How a run measured time; all times in the store are to be understood this way."""

    boot: str  # identifies the boot of the machine
    offset: float  # to be added to the machine's monotonic clock
    rests_until: float = 0.0
    ranges: tuple[str, ...] | None = None  # networks in which each host of an address has a gate of its own
    noted_at: float = 0.0  # the crawl's time when this was noted
    wall_ahead: float = 0.0  # how far the wall clock was ahead of it then

    def offset_on(self, boot: str, *, count: float, wall: float) -> float:
        """Return what to add to a machine's monotonic clock (`count`); both clocks are read now."""
        if boot and self.boot == boot:
            return self.offset
        return max(wall - self.wall_ahead, self.noted_at) - count


def stored_timing(rows: Rows) -> Timing:
    """Return how the last run of a crawl measured time."""
    stored = rows.get(Table.META, TIMING_KEY)
    return msgspec.msgpack.decode(stored, type=Timing) if stored else Timing("", 0.0)


class Runs:
    """The runs of a crawl, one after the other."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._timing = stored_timing(step.store)

    def offset(self, boot: str, *, count: float, wall: float) -> float:
        """Return what to add to this machine's monotonic clock (`count`); both clocks are read now."""
        return self._timing.offset_on(boot, count=count, wall=wall)

    def begin(
        self, boot: str, offset: float, *, now: float, rest: float, ranges: tuple[str, ...] = (),
        wall_ahead: float = 0.0,
    ) -> float:  # fmt: skip
        """Note that a run begins; return until when no host may be visited.

        If the machine went down during the last run, the last writes may be missing, so it is unknown which
        hosts were visited last; another machine has another clock; and if ranges of networks have changed, it
        is unknown when an address was last visited. In all these cases every host rests, and still does if
        this run ends before the rest is over.
        """
        stored = self._step.store.get(Table.META, RUN_KEY)
        went_down = stored is not None and stored not in (ENDED, boot.encode())
        is_elsewhere = stored is not None and self._timing.boot != boot
        is_unsure = went_down or is_elsewhere or self._timing.ranges not in (None, ranges)
        # At most one rest from now, because the wall clock may have been set back.
        rests_until = now + rest if is_unsure else min(self._timing.rests_until, now + rest)
        self._timing = Timing(boot, offset, rests_until, ranges)
        self._note(boot.encode(), now, wall_ahead)
        return rests_until

    def end(self, *, now: float, wall_ahead: float = 0.0) -> None:
        """Note that a run ends cleanly."""
        self._note(ENDED, now, wall_ahead)

    def _note(self, run: bytes, now: float, wall_ahead: float) -> None:
        self._timing.noted_at, self._timing.wall_ahead = now, wall_ahead
        self._step.batch.put(Table.META, RUN_KEY, run)
        self._step.batch.put(Table.META, TIMING_KEY, msgspec.msgpack.encode(self._timing))
        self._step.commit()
