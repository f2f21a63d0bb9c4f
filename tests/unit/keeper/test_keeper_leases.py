"""Whatever is heard or not heard, and when: no visit is worked by two.

Hypothesis plays the harvesters and the wires. The roster is told what the keeper hears; the
harvesters follow their own half of the contract: they stop at a share of the lease. Who is heard by
the keeper may not hear it, and the other way round; so work that is taken away rests for one more lease.
"""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from keeper_samples import member_of

from tiptoe.harvest.harvester import LEASE_SHARE
from tiptoe.keeper.roster import Roster

LEASE_SECONDS = 30.0
BEAT_SECONDS = LEASE_SECONDS / 6

picks = st.integers(0, 5)


@dataclass
class Worker:
    """A harvester as it sees itself."""

    incarnation: str
    heard_at: float  # the keeper, last
    visits: set[int] = field(default_factory=set)
    is_unheard: bool = False  # its words do not reach the keeper
    is_cut_off: bool = False  # nor those of the keeper it

    def works(self, now: float) -> bool:
        return now - self.heard_at < LEASE_SECONDS * LEASE_SHARE


class Leases(RuleBasedStateMachine):
    """A keeper's roster, and harvesters behind wires that break."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.roster = Roster(LEASE_SECONDS)
        self.workers: dict[str, Worker] = {}
        self.visits = 0
        self.waiting: dict[int, float] = {}  # visits that were taken away, and until when they rest

    @rule(visits_max=st.integers(1, 3), packets_max=st.sampled_from([0, 0, 2]))
    def join(self, visits_max: int, packets_max: int) -> None:
        member = member_of(
            len(self.workers) + 1, heard_at=self.now, visits_max=visits_max, packets_max=packets_max
        )
        self.roster.join(member)
        self.workers[member.incarnation] = Worker(member.incarnation, self.now)

    @rule()
    def hand_out(self) -> None:
        """As the keeper does: the emptiest first, as long as there is room."""
        by_room = self.roster.by_room()
        assert [len(member.visits) for member in by_room] == sorted(len(one.visits) for one in by_room)
        for member in by_room:
            visit = self._next_visit()
            member.visits.add(visit)
            member.packets += 1
            worker = self.workers[member.incarnation]
            if not worker.is_cut_off and worker.works(self.now):
                worker.visits.add(visit)
                worker.heard_at = self.now

    def _next_visit(self) -> int:
        for visit, rests_until in self.waiting.items():
            if rests_until <= self.now:
                del self.waiting[visit]
                return visit
        self.visits += 1
        return self.visits

    @rule(pick=picks)
    def finish_a_visit(self, pick: int) -> None:
        for worker in self._some(pick):
            member = self.roster.members.get(worker.incarnation)
            if member is not None and worker.visits and not worker.is_unheard and worker.works(self.now):
                self.roster.heard(worker.incarnation, self.now)
                member.visits.discard(worker.visits.pop())

    @rule(pick=picks)
    def beat(self, pick: int) -> None:
        for worker in self._some(pick):
            if not worker.is_unheard and worker.works(self.now):
                self.roster.heard(worker.incarnation, self.now)

    @rule()
    def beat_back(self) -> None:
        """The keeper's own beats, to those whom it counts on."""
        for incarnation in self.roster.members:
            worker = self.workers[incarnation]
            if not worker.is_cut_off and worker.works(self.now):  # else it has ended itself
                worker.heard_at = self.now

    @rule(pick=picks)
    def silence(self, pick: int) -> None:
        """Its words are lost, while it hears everything."""
        for worker in self._some(pick):
            worker.is_unheard = True

    @rule(pick=picks)
    def cut_off(self, pick: int) -> None:
        """Its words are lost, and so are those of the keeper; nobody is told."""
        for worker in self._some(pick):
            worker.is_unheard = worker.is_cut_off = True

    @rule(pick=picks)
    def leave(self, pick: int) -> None:
        for worker in self._some(pick):
            member = self.roster.members.get(worker.incarnation)
            if member is not None and not worker.visits and not member.visits and not worker.is_unheard:
                assert self.roster.leave(worker.incarnation) is member
                assert self.roster.leave(worker.incarnation) is None

    @rule(pick=picks)
    def dismiss(self, pick: int) -> None:
        for member in list(self.roster.members.values())[pick : pick + 1]:
            member.is_leaving = True
            assert member.room == 0

    @rule(seconds=st.sampled_from([0.1, BEAT_SECONDS, 17.9, 18.0, 29.9, 31.0]))
    def let_time_pass(self, seconds: float) -> None:
        """The keeper watches the leases all the time."""
        self.now += seconds
        for member in self.roster.silent(self.now):
            assert self.now - member.heard_at > LEASE_SECONDS
            self.roster.leave(member.incarnation)
            self.waiting.update((visit, self.now + LEASE_SECONDS) for visit in sorted(member.visits))

    def _some(self, pick: int) -> list[Worker]:
        return list(self.workers.values())[pick : pick + 1]

    @invariant()
    def no_visit_is_worked_by_two(self) -> None:
        """There is a moment when nobody works on it, and never one when two do (HAR-2)."""
        worked = [visit for one in self.workers.values() if one.works(self.now) for visit in one.visits]
        assert len(worked) == len(set(worked))

    @invariant()
    def what_is_worked_belongs_to_its_worker_or_rests(self) -> None:
        for worker in self.workers.values():
            if worker.works(self.now):
                member = self.roster.members.get(worker.incarnation)
                resting = {visit for visit, until in self.waiting.items() if until > self.now}
                assert worker.visits <= (member.visits if member else resting)

    @invariant()
    def nobody_holds_more_than_there_is_room_for(self) -> None:
        for member in self.roster.members.values():
            assert len(member.visits) <= member.visits_max
            assert not member.packets_max or member.packets <= member.packets_max
            assert member.heard_at >= self.now - LEASE_SECONDS

    @invariant()
    def no_visit_is_lost_or_doubled(self) -> None:
        held = [visit for member in self.roster.members.values() for visit in member.visits]
        assert len([*held, *self.waiting]) == len({*held, *self.waiting})


TestLeases = Leases.TestCase
TestLeases.settings = settings(max_examples=200, stateful_step_count=30, deadline=None)
