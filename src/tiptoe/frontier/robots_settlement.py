"""What follows from the rules of a host, or from their absence?

The host that was asked and the host whose rules these are may be two: robots.txt can move.
"""

import msgspec

from tiptoe.frontier.find import Find
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.origins import note_missing_rules, open_origin, robots_key
from tiptoe.frontier.pace import Pace
from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.frontier.politeness import Politeness, leaves_no_page
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.restraint import Restraint
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.frontier.troubles import host_wait
from tiptoe.protocol.work import Purpose, Request, RobotsNote, RobotsState
from tiptoe.store.tables import Table
from tiptoe.url.address import host_of, origin_of
from tiptoe.url.dropped import Dropped

__all__ = ["RobotsSettlement"]

ROBOTS_HOPS_MAX = 5


class RobotsSettlement:
    """Keeps the rules of origins, and their hosts away while there are none."""

    def __init__(
        self, step: Step, transitions: Transitions, intake: Intake, rules: Politeness, restraint: Restraint,
        *, follows_sitemaps: bool, rules_requests: int,
    ) -> None:  # fmt: skip
        self._step = step
        self._transitions = transitions
        self._intake = intake
        self._rules = rules
        self._restraint = restraint
        self._follows_sitemaps = follows_sitemaps
        self._rules_requests = rules_requests
        self._encode = msgspec.msgpack.Encoder().encode
        self._pace = Pace(rules, step.gate)

    def settle(self, record: HostRecord, request: Request, note: RobotsNote, now: float) -> list[Find]:
        """Record the rules of an origin, or that they are not to be had; return the sitemaps they name."""
        origin = request.for_origin or origin_of(request.url)
        subject = self._step.hosts.obtain(host_of(origin))
        self._step.hosts.touch(subject)
        self._step.outcome(f"robots_{note.state.value}")
        if note.state is RobotsState.UNREACHABLE:
            self._trouble(subject, origin, now, note.retry_after)
            return []
        if note.state is RobotsState.MOVED:
            return self._moved(subject, request, origin, note, now)
        # Rules that were completed later are as old as they were.
        stored = msgspec.structs.replace(note, fetched_at=note.fetched_at or now)
        self._step.batch.put(Table.ROBOTS, robots_key(origin), self._encode(stored))
        subject.robots_troubles = 0
        open_origin(subject, origin)
        subject.wish_delay(origin, note.crawl_delay)
        if leaves_no_page(self._rules, subject.crawl_delay, rules_requests=self._rules_requests):
            self._restraint.give_up(subject, Dropped.CRAWL_DELAY, now)
            return []
        if subject is not record:
            self._come_forward(subject, now)
        if not self._follows_sitemaps:
            return []
        return [Find.single(Request(url, Purpose.SITEMAP, via=request.url)) for url in note.sitemaps]

    def settle_lost(self, request: Request, now: float) -> list[Find]:
        """Rules that had moved could not be had: the host they belong to stays away."""
        origin = request.for_origin
        self._trouble(self._step.hosts.obtain(host_of(origin)), origin, now)
        return []

    def _trouble(
        self, subject: HostRecord, origin: str, now: float, retry_after: float = 0.0, *,
        are_under_way: bool = False,
    ) -> None:  # fmt: skip
        """The rules of a host are not here: it waits, and comes forward when they were only under way."""
        patience = PATIENCE[Trouble.ROBOTS_UNREACHABLE]
        subject.robots_troubles += 1
        note_missing_rules(subject, origin, self._rules, now)
        self._step.hosts.touch(subject)
        if subject.robots_troubles >= patience.row:
            self._restraint.give_up(subject, Trouble.ROBOTS_UNREACHABLE.value, now)
            return
        wait = host_wait(self._rules, Trouble.ROBOTS_UNREACHABLE, subject.robots_troubles - 1, subject.host)
        if are_under_way:
            subject.next_at = max(subject.next_at, now + wait)
        else:
            self._restraint.hold(
                subject, patience, now + max(wait, min(retry_after, self._rules.retry_after_max))
            )

    def _moved(
        self, subject: HostRecord, request: Request, origin: str, note: RobotsNote, now: float
    ) -> list[Find]:
        hops = request.hops + 1
        if hops > ROBOTS_HOPS_MAX:  # as if there were none (RFC 9309, 2.3.1.2)
            return self.settle(subject, request, RobotsNote(RobotsState.RULES), now)
        # While the answer is under way the host waits; if it never comes, the rules are asked for again.
        self._trouble(subject, origin, now, are_under_way=True)
        moved = Request(note.location, Purpose.ROBOTS, hops=hops, via=request.url, for_origin=origin)
        holder = self._step.hosts.obtain(host_of(note.location))
        if (
            holder.state is HostState.UNPRODUCTIVE
        ):  # it may give no text, but it has the rules of one that does
            self._intake.wake(holder, now)
        if holder.state is HostState.GONE:
            self._step.discard(holder.refusal)
        elif not holder.is_blocked:
            self._transitions.enqueue(holder, 0, Chunk.of(moved), now)
        return []

    def _come_forward(self, subject: HostRecord, now: float) -> None:
        """The rules a host waited for are here: its turn may come now, unless it waits for more than them."""
        if not subject.troubles:
            # Its Crawl-delay may have become known just now: it counts from the last answer.
            earliest = max(now, subject.held_until, self._pace.earliest(subject))
            subject.next_at = min(subject.next_at, earliest)
        self._transitions.move_up(subject, now)
