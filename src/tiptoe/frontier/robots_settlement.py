"""What follows from the rules of a host, or from their absence?

The host that answered and the host that the rules apply to may differ, because robots.txt can be redirected.
"""

import msgspec

from tiptoe.decide.scheduling import SchedulePoint
from tiptoe.frontier.effect import Effect, RulesAnswered, RulesWanted
from tiptoe.frontier.finds import without_refused
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.link_batch import LinkBatch
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
    """Stores the rules of origins, and holds hosts whose rules are missing."""

    def __init__(
        self, step: Step, transitions: Transitions, intake: Intake, rules: Politeness, restraint: Restraint,
        schedule: SchedulePoint, *, follows_sitemaps: bool, rules_requests: int,
    ) -> None:  # fmt: skip
        self._step = step
        self._transitions = transitions
        self._intake = intake
        self._rules = rules
        self._restraint = restraint
        self._schedule = schedule
        self._follows_sitemaps = follows_sitemaps
        self._rules_requests = rules_requests
        self._encode = msgspec.msgpack.Encoder().encode
        self._pace = Pace(rules, step.gate)

    def settle(self, request: Request, note: RobotsNote) -> RulesAnswered:
        """Count the outcome of a request for rules; return the effect on the host that they apply to."""
        if not note.is_partial:
            self._step.outcome(f"robots_{note.state.value}")
        return _answered(request, note)

    def settle_lost(self, request: Request) -> RulesAnswered:
        """Return the effect of rules that had moved and could not be fetched: their host has to wait."""
        return _answered(request, RobotsNote(RobotsState.UNREACHABLE))

    def take_in(self, answered: RulesAnswered, now: float) -> list[Effect]:
        """Record the rules of an origin, or that they cannot be fetched; return the sitemaps they name."""
        note, origin = answered.note, answered.origin
        subject = self._step.hosts.obtain(answered.host)
        self._step.hosts.touch(subject)
        if note.state is RobotsState.UNREACHABLE:
            self._trouble(subject, origin, now, note.retry_after)
            return []
        if note.state is RobotsState.MOVED:
            if answered.hops < ROBOTS_HOPS_MAX:
                return [self._moved(subject, answered, now)]
            note = RobotsNote(RobotsState.RULES)  # as if there were none (RFC 9309, 2.3.1.2)
            self._step.outcome(f"robots_{note.state.value}")
        # Rules that were completed later keep the time at which they were fetched.
        stored = msgspec.structs.replace(note, fetched_at=note.fetched_at or now)
        self._step.batch.put(Table.ROBOTS, robots_key(origin), self._encode(stored))
        subject.robots_troubles = 0
        open_origin(subject, origin)
        subject.wish_delay(origin, note.crawl_delay)
        if leaves_no_page(self._rules, subject.crawl_delay, rules_requests=self._rules_requests):
            self._restraint.give_up(subject, Dropped.CRAWL_DELAY, now)
            return []
        if not answered.is_own:
            self._come_forward(subject, now)
        if not self._follows_sitemaps or subject.is_errand:
            return []
        sitemaps = without_refused(note.sitemaps, self._schedule, self._step)
        return [LinkBatch.single(Request(url, Purpose.SITEMAP, via=answered.via)) for url in sitemaps]

    def ask(self, wanted: RulesWanted, now: float) -> None:
        """Queue a request to a host for the rules of another one."""
        holder = self._step.hosts.obtain(wanted.host)
        if holder.state is HostState.UNPRODUCTIVE:
            # It may yield no text, but it has the rules of a host that may.
            self._intake.reactivate(holder, now)
        if holder.state is HostState.GONE:
            self._step.discard(holder.refusal)
        elif not holder.is_blocked:
            self._transitions.enqueue(holder, 0, Chunk.of(wanted.request), now)

    def _trouble(
        self, subject: HostRecord, origin: str, now: float, retry_after: float = 0.0, *,
        are_under_way: bool = False,
    ) -> None:  # fmt: skip
        """Let a host wait whose rules are missing; not held if they are under way from another host."""
        patience = PATIENCE[Trouble.ROBOTS_UNREACHABLE]
        subject.robots_troubles += 1
        note_missing_rules(subject, origin, self._rules, now)
        self._step.hosts.touch(subject)
        if subject.robots_troubles >= patience.give_up_after:
            self._restraint.give_up(subject, Trouble.ROBOTS_UNREACHABLE.value, now)
            return
        wait = host_wait(self._rules, Trouble.ROBOTS_UNREACHABLE, subject.robots_troubles - 1, subject.host)
        if are_under_way:
            subject.next_at = max(subject.next_at, now + wait)
        else:
            self._restraint.hold(
                subject, patience, now + max(wait, min(retry_after, self._rules.retry_after_max))
            )

    def _moved(self, subject: HostRecord, answered: RulesAnswered, now: float) -> RulesWanted:
        # The host waits while the answer is under way; if it never comes, the rules are requested again.
        self._trouble(subject, answered.origin, now, are_under_way=True)
        location = answered.note.location
        moved = Request(
            location, Purpose.ROBOTS, hops=answered.hops + 1, via=answered.via, for_origin=answered.origin
        )
        return RulesWanted(host_of(location), moved)

    def _come_forward(self, subject: HostRecord, now: float) -> None:
        """Give a host whose rules have arrived an earlier turn, unless it waits for other reasons too."""
        if not subject.troubles:
            # Its Crawl-delay may have become known only now; it counts from the last answer.
            earliest = max(now, subject.held_until, self._pace.earliest(subject))
            subject.next_at = min(subject.next_at, earliest)
        self._transitions.move_up(subject, now)


def _answered(request: Request, note: RobotsNote) -> RulesAnswered:
    origin = request.for_origin or origin_of(request.url)
    subject = host_of(origin)
    return RulesAnswered(subject, origin, note, request.url, request.hops, subject == host_of(request.url))
