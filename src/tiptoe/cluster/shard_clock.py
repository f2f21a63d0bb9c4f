"""What time is it in a shard?

The moments in the rows of a shard are those of its holder. Each renewal of its lease says what the holder's
clock showed, so that whoever comes next goes on from there, by the count of its own machine:

- on the same start of the same machine: with the very same clock;
- elsewhere: from the moment that was heard last, plus the time since it was heard, counted a little short
  because no two machines count at the same pace;
- after a long stop, when nobody has heard anything: by the wall clock, less what it was ahead of the
  moments when that was noted, less ten minutes, for the wall clocks of two machines are never the same.

Rule: time never goes back, and never runs ahead of what the holder before would say, unless wall clocks
differ by more than ten minutes. So no pause that is stored is shortened. To fall behind only makes us
slower.
"""

import msgspec

__all__ = ["ClockReading", "MachineTime", "ShardClock"]

WALLS_DIFFER_SECONDS = 600.0
"""By how much the wall clocks of two machines may differ before a pause could be shortened."""

PACES_DIFFER = 0.02
"""By how much, at most, one machine counts faster than another: each may be off by one per cent."""


class ClockReading(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the clock of a shard showed at a moment, as its holder tells others."""

    boot: str  # of which start of which machine; nothing where that is not known
    count: float  # of that machine
    moment: float  # of the crawl, at that count
    wall_ahead: float  # by how much the wall clock was ahead of it


class MachineTime(msgspec.Struct, frozen=True, gc=False):
    """What the two clocks of this machine say, read together."""

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
        """Go on after a holder whose last reading was heard at that count of this machine."""
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
        """Say what this clock shows."""
        moment = self.now(now.count)
        return ClockReading(now.boot, now.count, moment, now.wall - moment)
