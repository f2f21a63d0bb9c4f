"""Who holds a shard, as far as one agent can know, and what must that agent do next?

Pure: it is told what was read or answered, and when by the agent's own count; there is no other clock.
The key `shard.<number>` contains a `LeaseRecord`; every change is a compare-and-set, so all agents agree on
one order of changes. To one agent a shard is

    unknown ──▶ free ───────────take──────────▶ held ──give──▶ releasing ──▶ giving ──▶ foreign
                  ▲                             │  ▲                 │
                  └─ foreign ◀──────lost────────┘  └──── renew ──────┘
                        └── the same revision for a whole lease, and wanted: take ──▶ held

Rules:
- A holder renews six times per lease, and is *certain* for 60 % of a lease, counted from just before it sent
  the last renewal that is known to have succeeded. After that it may still hold the shard, but acts as if it
  did not.
- An agent takes a shard only if it has seen the same revision for a whole lease, or if the shard is free or
  was given to this agent.
- A write without an answer may have been carried out, or not, or be carried out later. Its record has a
  serial number, so an agent that reads it, by whatever way, knows that it was carried out and when it was
  sent.
"""

import enum
import math

import msgspec

from tiptoe.cluster.shard_clock import ClockReading, MachineTime, ShardClock

__all__ = ["LeaseEvent", "LeaseRead", "LeaseRecord", "LeaseStage", "LeaseWrite", "ShardLease"]

CERTAIN_PART = 0.6
"""Fraction of a lease for which its holder may act on it. Its harvesters stop within another fifth."""

RENEWALS_PER_LEASE = 6
RETRIES_PER_LEASE = 30
UNANSWERED_MAX = 16
"""Maximum writes without an answer that are remembered; older ones are no longer useful."""


class LeaseRecord(msgspec.Struct, frozen=True, array_like=True):
    """The value of a shard's key."""

    holder: str  # empty: it was released, for any agent to take
    incarnation: str  # of the process that wrote this
    term: int  # rises each time the shard is taken
    serial: int  # of the writes of one incarnation
    clock: ClockReading
    given_to: str = ""  # the agent to which the holder has given it


class LeaseStage(enum.Enum):
    """The state of a shard as seen by one agent."""

    UNKNOWN = "unknown"  # not seen yet
    FREE = "free"  # may be taken at once
    FOREIGN = "foreign"  # held by, or given to, another agent
    HELD = "held"
    RELEASING = "releasing"  # held, visits are under way, no new ones begin
    GIVING = "giving"  # no longer used, but that has yet to be written


class LeaseEvent(enum.Enum):
    """What has happened to a shard."""

    TAKEN = "taken"
    GIVEN = "given"  # as intended
    LOST = "lost"


class LeaseWrite(msgspec.Struct, frozen=True):
    """Order: write this record if the key has this revision (0: if it does not exist)."""

    record: LeaseRecord
    revision: int


class LeaseRead(msgspec.Struct, frozen=True):
    """Order: read the key."""


class ShardLease:
    """The lease of one shard, as one process of one agent sees it.

    `next_step` orders at most one write or read at a time; call `answered` and `seen` (written, or read),
    `refused` or `unanswered` with its result. Changes reported by a watch are passed to `seen` at any time.
    """

    def __init__(self, shard: int, *, agent: str, incarnation: str, seconds: float) -> None:
        self.shard = shard
        self.seconds = seconds
        self.record: LeaseRecord | None = None
        self.is_wanted = False
        self.takes_from = -math.inf  # no lease of another agent is taken before this
        self.term = 0  # in which this process holds it; 0 = it does not
        self.clock: ShardClock | None = None  # since it was taken
        self.was_outlasted = False  # it was taken because its holder was silent for a whole lease
        self._agent = agent
        self._incarnation = incarnation
        self._is_known = False
        self._revision = 0
        self._seen_at = -math.inf  # this revision, for the first time
        self._certain_from = -math.inf
        self._ordered: LeaseWrite | LeaseRead | None = None
        self._serial = 0
        self._sent: dict[int, float] = {}  # when writes with unknown results were sent, by serial
        self._must_read = False
        self._next_at = -math.inf  # no order before
        self._renew_at = -math.inf
        self._giving_to: str | None = None  # empty: to any agent
        self._is_released = False

    def __repr__(self) -> str:
        holder = self.record.holder if self.record else ""
        return (
            f"<ShardLease {self.shard} {self.stage.value}, holder {holder or '-'}, revision {self._revision}>"
        )

    # -- state ------------------------------------------------------

    @property
    def stage(self) -> LeaseStage:
        if not self._is_known:
            return LeaseStage.UNKNOWN
        if self.term:
            if self._giving_to is None:
                return LeaseStage.HELD
            return LeaseStage.GIVING if self._is_released else LeaseStage.RELEASING
        record = self.record
        if record is None or not record.holder or record.given_to == self._agent:
            return LeaseStage.FREE
        return LeaseStage.FOREIGN

    @property
    def holder(self) -> str:
        """The agent that holds it or was given it; empty when any agent may take it."""
        return (self.record.given_to or self.record.holder) if self.record else ""

    @property
    def certain_until(self) -> float:
        """The moment until which this agent certainly holds the shard, if nothing more is heard."""
        if self.stage not in (LeaseStage.HELD, LeaseStage.RELEASING):
            return -math.inf
        return self._certain_from + CERTAIN_PART * self.seconds

    @property
    def is_waiting(self) -> bool:
        """Whether an order is under way."""
        return self._ordered is not None

    def is_certain(self, now: float) -> bool:
        """Return whether this agent may act for the shard; to be checked at every use, never remembered."""
        return now < self.certain_until

    # -- intentions --------------------------------------------------

    def give(self, to: str) -> None:
        """Begin to give it away to an agent or, if empty, to any; it is written after `released`.

        Until it is written the receiver may be changed; it cannot be held again instead.
        """
        assert self.term
        self._giving_to = to

    def released(self) -> None:
        """Note that no visit is under way and all is written, so that nothing more happens in this term."""
        if self._giving_to is not None:
            self._is_released = True
            self._renew_at = -math.inf

    # -- orders ----------------------------------------------------

    def next_step(self, now: MachineTime) -> LeaseWrite | LeaseRead | None:
        """Return the order that is due, if any; `now` counts as the moment at which it is sent."""
        if self._ordered is not None or now.count < self.wakes_at:
            return None
        self._ordered = LeaseRead() if self._must_read else self._write(now)
        return self._ordered

    @property
    def wakes_at(self) -> float:
        """The moment of the next order if nothing is heard; infinite while an order is under way."""
        if self._ordered is not None or not self._is_known:
            return math.inf
        return max(self._next_at, -math.inf if self._must_read else self._writes_at)

    @property
    def _writes_at(self) -> float:
        if self.term:
            return self._renew_at
        if not self.is_wanted:
            return math.inf
        if self.stage is LeaseStage.FREE:
            return self._seen_at
        return max(self._seen_at + self.seconds, self.takes_from)

    def _write(self, now: MachineTime) -> LeaseWrite:
        stage, last = self.stage, self.record
        self._serial += 1
        self._sent[self._serial] = now.count
        if len(self._sent) > UNANSWERED_MAX:
            del self._sent[min(self._sent)]
        # At moments that all leases of an agent share, the first of them early: one by one they would wake
        # all servers, and every agent that watches.
        pace = self.seconds / RENEWALS_PER_LEASE
        self._renew_at = (now.count // pace + 1) * pace
        clock = self.clock
        if not self.term or clock is None:
            self.was_outlasted = stage is LeaseStage.FOREIGN
            clock = self.clock = ShardClock.resume(last.clock if last else None, self._seen_at, now)
        is_giving = stage is LeaseStage.GIVING
        given_to = (self._giving_to or "") if is_giving else ""
        record = LeaseRecord(
            holder="" if is_giving and not given_to else self._agent,
            incarnation=self._incarnation,
            term=self.term or (last.term if last else 0) + 1,
            serial=self._serial,
            clock=clock.reading(now),
            given_to=given_to,
        )
        return LeaseWrite(record, self._revision if last else 0)

    # -- observations ---------------------------------------------------

    def seen(self, record: LeaseRecord | None, revision: int, now: float) -> LeaseEvent | None:
        """Take in the key's value at a revision (None: it does not exist), as read, watched or written."""
        if self._is_known and record is not None:
            if revision < self._revision or (revision == self._revision and self.record is not None):
                return None  # an echo, or an answer that was overtaken
        elif self._is_known and self.record is None:
            return None
        self._is_known, self._seen_at = True, now
        self._revision = max(revision, self._revision)
        self.record = record
        self._must_read = False
        return self._judged(record)

    def _judged(self, record: LeaseRecord | None) -> LeaseEvent | None:
        is_own = record is not None and record.incarnation == self._incarnation
        if record is not None and is_own and record.holder == self._agent and not record.given_to:
            self._certain_from = max(self._certain_from, self._sent.pop(record.serial, -math.inf))
            if self.term == record.term:
                return None
            self.term = record.term
            self._giving_to, self._is_released = None, False
            return LeaseEvent.TAKEN
        if not self.term:
            return None
        is_given = record is not None and is_own and record.term == self.term
        self.term = 0
        self._certain_from = -math.inf
        self._giving_to, self._is_released = None, False
        return LeaseEvent.GIVEN if is_given else LeaseEvent.LOST

    def answered(self) -> None:
        """Note that the order was answered; call this before `seen` with its result."""
        self._ordered = None
        self._must_read = False

    def refused(self, now: float) -> None:
        """Note that the write was refused, because the key has another revision than it expected."""
        ordered, self._ordered = self._ordered, None
        if isinstance(ordered, LeaseWrite):
            self._sent.pop(ordered.record.serial, None)
            self._renew_at = -math.inf
            if ordered.revision == (
                self._revision if self.record else 0
            ):  # what has changed is yet to be seen
                self._look_again(now)

    def unanswered(self, now: float) -> None:
        """Note that there was no answer: the write may be carried out, now or later."""
        self._ordered = None
        self._renew_at = -math.inf
        self._look_again(now)

    def _look_again(self, now: float) -> None:
        """Read the key after a moment: a watch may be faster, and a struggling engine needs no extra load."""
        self._must_read = True
        self._next_at = now + self.seconds / RETRIES_PER_LEASE
