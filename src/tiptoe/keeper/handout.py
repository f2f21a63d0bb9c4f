"""Which harvester gets which work?

The frontier says what may be requested now; this module gives it to the harvesters that have room. While we
seem to be cut off, only a few visits or names are handed out, to find out whether the line is back.
Harvesters are told once the step is committed.
"""

from collections.abc import Callable

from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.outage_guard import OutageGuard
from tiptoe.keeper.roster import Member, Roster
from tiptoe.protocol.messages import Work
from tiptoe.protocol.work import Visit

__all__ = ["HandOut"]

VISITS_AT_ONCE = 16
LOOKUPS_PER_HARVESTER = 200


class HandOut:
    """Hands out visits and names to look up."""

    def __init__(
        self, frontier: CrawlFrontier, roster: Roster, outage_guard: OutageGuard,
        tell: Callable[[Member, object], None],
    ) -> None:  # fmt: skip
        self._frontier = frontier
        self._roster = roster
        self._outage_guard = outage_guard
        self._tell = tell

    def all(self, now: float) -> None:
        """Give each harvester as much as it has room for and as may be requested now."""
        self._frontier.tick(now, self._outage_guard.confirmed_troubles(now))
        room = self._outage_guard.room(now)
        if room is not None:
            self._try_line(room, now)
            return
        self._hand_out_lookups(now)
        while members := self._roster.by_room():
            handed = sum(self._give_visits(member, now) for member in members)
            if not handed:
                return

    def _try_line(self, room: int, now: float) -> None:
        """Find out whether we are still cut off: by visits, or by look-ups if no host can be visited."""
        for member in self._roster.by_room()[:1] if room else []:
            handed = self._give_visits(member, now, visits_max=room)
            if handed or self._give_lookups(member, self._outage_guard.names.take(self._frontier, room)):
                self._outage_guard.outage_detector.tried(now)

    def _give_visits(self, member: Member, now: float, *, visits_max: int = VISITS_AT_ONCE) -> int:
        visits = self._frontier.visits(min(member.room, visits_max), member.incarnation, now)
        if visits:
            member.visits.update(visit.id for visit in visits)
            member.packets += len(visits)
            self._frontier.after_commit(lambda: self._report_visits(member, visits))
        return len(visits)

    def _report_visits(self, member: Member, visits: list[Visit]) -> None:
        held = [visit for visit in visits if visit.id in member.visits]  # others were revoked meanwhile
        if held:
            self._tell(member, Work(held))

    def _hand_out_lookups(self, now: float) -> None:
        names = self._outage_guard.names
        trials = names.room(now)
        for member in self._roster.members.values():
            room = LOOKUPS_PER_HARVESTER - len(member.lookups) if member.takes_work else 0
            if trials is None and room > 0 and self._frontier.wants_hosts():
                self._give_lookups(member, self._frontier.new_hosts(room))
            elif trials and room > 0 and self._give_lookups(member, names.take(self._frontier, trials)):
                names.tried(now)
                return

    def _give_lookups(self, member: Member, hosts: list[str]) -> int:
        if hosts:
            member.lookups.update(hosts)
            work = Work(hosts=hosts, addresses=self._frontier.last_addresses(hosts))
            self._frontier.after_commit(lambda: self._tell(member, work))
        return len(hosts)
