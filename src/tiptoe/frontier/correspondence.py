"""What does a frontier receive from other shards and send to them?

The steps of a frontier that is one of several: it reads mail, sends hosts away, and takes in new ones.
"""

from collections.abc import Sequence

from tiptoe.frontier.effects import Effects
from tiptoe.frontier.host import HostState
from tiptoe.frontier.host_moves import HostMoves, NewAddress
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.link_admission import LinkAdmission
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.mail import HostPart, Letter, MailRoom, Parcel, Resident, ShardMail, open_mail
from tiptoe.frontier.residence import Residence, Residences
from tiptoe.frontier.routing import Routing
from tiptoe.frontier.shapes import Shapes
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.store.tables import Table
from tiptoe.url.address import host_key
from tiptoe.url.dropped import Dropped

__all__ = ["Correspondence"]

DEPARTURES_MAX = 50
"""Maximum number of hosts that leave in one step."""


class Correspondence:
    """Mail in and mail out."""

    def __init__(
        self, step: Step, residences: Residences, mail: MailRoom, routing: Routing, removals: HostMoves,
        intake: Intake, effects: Effects, admission: LinkAdmission,
    ) -> None:  # fmt: skip
        self._step = step
        self._residences = residences
        self._mail = mail
        self.routing = routing
        self.removals = removals
        self._intake = intake
        self._effects = effects
        self._admission = admission  # of links found by a step of this frontier

    @classmethod
    def of(
        cls, step: Step, transitions: Transitions, shapes: Shapes, intake: Intake,
        routing: Routing | None, effects: Effects, admission: LinkAdmission,
    ) -> "Correspondence | None":  # fmt: skip
        """Return the correspondence of a frontier, or None if it is the only one."""
        residences, mail = step.residences, step.mail
        if residences is None or mail is None or routing is None:
            return None
        removals = HostMoves(step, transitions, shapes, residences, mail, routing)
        return cls(step, residences, mail, routing, removals, intake, effects, admission)

    def receive(self, mails: Sequence[ShardMail], now: float) -> None:
        """Apply each mail that is the next one expected from its sender; ignore the others."""
        found_links: list[LinkBatch] = []
        for mail in mails:
            parcels = open_mail(mail.payload)
            hosts = [parcel for parcel in parcels if type(parcel) is HostPart]
            if hosts and self._step.batch:
                # Rows that arrive with hosts must be in the store before they are looked up.
                self._finish(found_links, now)
                found_links = []
            if not self._mail.take(self._step.batch, mail):
                continue
            if hosts:
                self.removals.take_in(hosts, mail.sender, now)
                self._step.commit()
                self.read_awaited(now)
                self._send_on(now)
            else:
                found_links += self._read(parcels, now)
        self._finish(found_links, now)

    def read_awaited(self, now: float) -> None:
        """Read the letters that were kept for hosts until their arrival; a step of its own."""
        found_links = self._read(list(self.routing.awaited(self._step.batch)), now)
        self._finish(found_links, now)

    def _read(self, parcels: Sequence[Parcel], now: float) -> list[LinkBatch]:
        """Apply letters; return the links they contain to hosts that live here."""
        batch = self._step.batch
        found_links: list[LinkBatch] = []
        new: list[LinkBatch] = []
        for parcel in parcels:
            if type(parcel) is Letter:
                effect = self.routing.open(batch, parcel)
                if isinstance(effect, Dropped):
                    self._step.discard(effect)
                elif type(effect) is LinkBatch:
                    found_links.append(effect)
                elif effect is not None:
                    new += self._effects.apply([effect], now)
            elif type(parcel) is Resident:
                self._residences.hear(batch, parcel.host, Residence(parcel.shard, parcel.moves))
        if new:
            self._admission.admit(new, now)
        return found_links

    def _finish(self, found_links: list[LinkBatch], now: float) -> None:
        if found_links:
            self._intake.admit(found_links, now)
        if self._step.batch or found_links:
            self._step.commit()

    def depart(self, hosts: Sequence[NewAddress], now: float) -> None:
        """Send away hosts whose new address is elsewhere; steps of its own, because it reads stored rows."""
        for first in range(0, len(hosts), DEPARTURES_MAX):
            for moved in hosts[first : first + DEPARTURES_MAX]:
                self.removals.begin(moved, now)
            self._step.commit()

    def _send_on(self, now: float) -> None:
        """Send on hosts that arrived although their address belongs to another shard; steps of its own."""
        came, self.removals.passing_through = self.removals.passing_through, []
        for moved in came:
            record = self._step.hosts.obtain(moved.host)
            if record.state is HostState.NEW:
                self._intake.read_inbox(record, now)
        if came:
            self._step.commit()
            self.depart([moved for moved in came if self._is_new(moved.host)], now)

    def _is_new(self, host: str) -> bool:
        return self._step.hosts.obtain(host).state is HostState.NEW

    def go_on(self, now: float) -> None:
        """Continue what earlier steps have begun; steps of its own."""
        self.read_awaited(now)
        if self.removals.can_go_on:
            self.removals.go_on(now)
            self._step.commit()

    def check(self) -> None:
        """State every invariant; between steps only."""
        self._mail.check()
        records = [self._step.hosts.decode(stored) for _, stored in self._step.store.scan(Table.HOST)]
        self.removals.check({host_key(record.host): record.host for record in records})
        for record in records:
            if record.state in (HostState.PARKED, HostState.VISITED):
                gates, shard = self._residences.gates, self._residences.shard
                assert gates.shard_of(record.gate, record.host) == shard, f"{record} is in the wrong shard"
