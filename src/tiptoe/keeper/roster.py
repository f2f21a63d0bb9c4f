"""Which harvesters are connected, and whose lease still holds?

Pure: told which harvester sent something when, it says which have fallen silent.
"""

from dataclasses import dataclass, field

from tiptoe.frontier.visits import shard_of_visit

__all__ = ["READY_SECONDS", "Member", "Roster"]

READY_SECONDS = 60.0
"""Maximum time from the welcome of a harvester to its first message, unless a lease is longer. Meanwhile it
loads its models, which takes a while on a busy machine, and it has no work yet that others could do."""


@dataclass(slots=True)
class Member:
    """One harvester, from its hello to its end."""

    incarnation: str
    name: str
    pid: int
    heard_at: float
    visits_max: int
    packets_max: int  # 0 = no limit
    packets: int = 0
    visits: set[int] = field(default_factory=set)
    lookups: set[str] = field(default_factory=set)
    is_ready: bool = False  # it has sent a message since its hello, and can work
    is_leaving: bool = False
    trouble: str = ""
    requests: int = 0
    obeyed: int = 0  # the last order it has confirmed
    revoked: dict[int, int] = field(default_factory=dict)  # shard -> order that it has not confirmed yet

    def __repr__(self) -> str:
        return f"<Member {self.incarnation} pid {self.pid}, {len(self.visits)} visits>"

    @property
    def takes_work(self) -> bool:
        """Whether it may be given work."""
        return self.is_ready and not self.is_leaving

    @property
    def room(self) -> int:
        """How many more visits this harvester can take."""
        if not self.takes_work:
            return 0
        room = self.visits_max - len(self.visits)
        if self.packets_max:
            room = min(room, self.packets_max - self.packets)
        return max(room, 0)

    def revoke(self, shard: int, order: int) -> None:
        """Break off its visits of this shard by this order."""
        self.visits = {visit for visit in self.visits if shard_of_visit(visit) != shard}
        self.revoked[shard] = order

    def confirm(self, order: int) -> None:
        """Note that it has received this order, and everything sent before it."""
        if order in self.revoked.values():  # revocations are sent ahead of orders with smaller numbers
            self.revoked = {shard: other for shard, other in self.revoked.items() if other != order}
        else:
            self.obeyed = max(self.obeyed, order)

    @property
    def is_spent(self) -> bool:
        """Whether it has done all the packets it was meant to do."""
        return bool(self.packets_max) and self.packets >= self.packets_max and not self.visits


class Roster:
    """The harvesters that have a lease."""

    def __init__(self, lease_seconds: float) -> None:
        self.lease_seconds = lease_seconds
        self.members: dict[str, Member] = {}

    def join(self, member: Member) -> None:
        """Let a harvester in."""
        assert member.incarnation not in self.members
        self.members[member.incarnation] = member

    def leave(self, incarnation: str) -> Member | None:
        """Remove a harvester and return it; None if it is not here."""
        return self.members.pop(incarnation, None)

    def heard(self, incarnation: str, now: float) -> None:
        """Note a message of a harvester: it is ready, and its lease starts again."""
        if incarnation in self.members:
            self.members[incarnation].is_ready = True
            self.members[incarnation].heard_at = now

    def silent(self, now: float) -> list[Member]:
        """Return the harvesters whose lease has run out."""
        return [member for member in self.members.values() if now > member.heard_at + self._patience(member)]

    def _patience(self, member: Member) -> float:
        return self.lease_seconds if member.is_ready else max(self.lease_seconds, READY_SECONDS)

    def by_room(self) -> list[Member]:
        """Return the harvesters that can take visits, emptiest first."""
        free = [member for member in self.members.values() if member.room > 0]
        return sorted(free, key=lambda member: len(member.visits))
