"""What time is it in a shard?

The moments in the rows of a shard are those of its holder's clock. Each renewal of the lease records what
that clock showed, so that the next holder continues from there, by the count of its own machine:

- on the same machine, not restarted since: with the very same clock;
- elsewhere: from the moment that was heard last, plus the time since it was heard, counted a little short
  because no two machines count at the same pace;
- after a long stop, when no agent was running: by the wall clock, less its recorded lead over the shard's
  clock, less ten minutes, because the wall clocks of two machines are never the same.

Rule: time never goes back, and never runs ahead of the previous holder's clock, unless wall clocks differ by
more than ten minutes. So no stored pause is shortened. Falling behind only makes us slower.
"""

import msgspec

__all__ = ["ClockReading", "MachineTime", "ShardClock"]

WALLS_DIFFER_SECONDS = 600.0
"""Maximum difference between the wall clocks of two machines; above it a pause could be shortened."""

PACES_DIFFER = 0.02
"""Maximum relative difference between the clock rates of two machines: each may be off by one per cent."""


class ClockReading(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the clock of a shard showed at a moment, as recorded by its holder."""

    boot: str  # identifies a start of a machine; empty if unknown
    count: float  # of that machine
    moment: float  # of the crawl, at that count
    wall_ahead: float  # how far the wall clock was ahead of it


class MachineTime(msgspec.Struct, frozen=True, gc=False):
    """The two clocks of this machine, read together."""

    boot: str
    count: float  # seconds since the machine was started: never jumps
    wall: float  # seconds since 1970: may be set at any time


class ShardClock:
    """The moments of one shard, by the count of this machine."""

    def __init__(self, offset: float) -> None:
        self.offset = offset

    def __repr__(self) -> str:
        return f"<ShardClock count {self.offset:+.3f}>"

    @classmethod
    def resume(cls, last: ClockReading | None, heard_at: float, now: MachineTime) -> "ShardClock":
        """Continue the clock of a holder whose last reading arrived at this count of this machine."""
        if last is None:  # a new shard: the crawl begins with the wall clock
            return cls(now.wall - now.count)
        if last.boot and last.boot == now.boot:
            return cls(last.moment - last.count)
        heard = last.moment + max(0.0, now.count - heard_at) * (1 - PACES_DIFFER)
        by_wall = now.wall - last.wall_ahead - WALLS_DIFFER_SECONDS
        return cls(max(heard, by_wall) - now.count)

    def now(self, count: float) -> float:
        """Return the moment at a count of this machine."""
        return count + self.offset

    def reading(self, now: MachineTime) -> ClockReading:
        """Return what this clock shows."""
        moment = self.now(now.count)
        return ClockReading(now.boot, now.count, moment, now.wall - moment)
