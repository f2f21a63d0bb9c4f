"""How does a host move to another shard?

A host moves if its name was looked up and its address belongs to another shard. Its rows go by mail, in parts
if there are many, with its record in the last part; from the first part on, letters to it are sent to the new
shard. While it is in transit it is not visited. On arrival it is parked at its new address, and its home is
notified. If its new address was given away (`frontier/gate_register.py`), it moves on at once.

Times are carried over unchanged, except that no pause is shortened: what remained of a pause when the host
left counts from its arrival, in case the clock is ahead there. The rest of its old address stays there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from tiptoe.frontier.covered_rows import has_covered_rows
from tiptoe.frontier.due import by_moment
from tiptoe.frontier.host import HostRecord, Shut
from tiptoe.frontier.mail import HostPart, MailRoom, Resident
from tiptoe.frontier.moving import led_to
from tiptoe.frontier.residence import Residence, Residences
from tiptoe.frontier.revisits import account_of
from tiptoe.frontier.routing import Routing
from tiptoe.frontier.shapes import Shapes
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.frontier.wishes import note_guest
from tiptoe.store.tables import Table, Writes, after
from tiptoe.url.address import KEY_BYTES, host_key

__all__ = ["LEAVING", "Departure", "HostMoves", "NewAddress"]

CARRIED: Final = (Table.SIEVE, Table.ROBOTS, Table.QUEUE, Table.SHAPE, Table.DEFERRED, Table.PAGE)
"""Tables whose keys begin with the key of a host, in the order they are sent; its record goes last, and its
inbox was read before."""

PART_BYTES: Final = 300_000
"""Size at which a part is closed; the next part is sent when this one has been delivered."""

LEAVING: Final = b"leaving "
"""Prefix of the keys in META of hosts that have left in part; the key of the host follows."""


@dataclass(frozen=True, slots=True)
class NewAddress:
    """The new address of a host that is to move."""

    host: str
    address: str
    gate: str


class Departure(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A host that has left only in part."""

    host: str
    shard: int
    moves: int
    record: bytes


class HostMoves:
    """Sends hosts to other shards, and takes in those that arrive."""

    def __init__(
        self, step: Step, transitions: Transitions, shapes: Shapes, residences: Residences, mail: MailRoom,
        routing: Routing,
    ) -> None:  # fmt: skip
        self._step = step
        self._transitions = transitions
        self._shapes = shapes
        self._residences = residences
        self._mail = mail
        self._routing = routing
        self._encode = msgspec.msgpack.Encoder().encode
        decode = msgspec.msgpack.Decoder(Departure).decode
        begun = step.store.scan(Table.META, LEAVING, after(LEAVING))
        self._leaving = {key[len(LEAVING) :]: decode(stored) for key, stored in begun}
        self._last_parts: dict[bytes, int] = {}  # host -> number of the mail with its latest part
        residences.in_transit |= self._leaving.keys()
        self.passing_through: list[NewAddress] = []  # hosts that arrived for an address given away

    def belongs_elsewhere(self, gate: str, host: str) -> bool:
        """Decide whether a host that was found at an address belongs, with it, to another shard."""
        return self._residences.gates.settle(self._step.batch, gate, host) != self._residences.shard

    # -- hosts that leave ------------------------------------------------

    def begin(self, moved: NewAddress, now: float) -> None:
        """Start the move of a host whose new address is elsewhere; at the start of a step."""
        step, key = self._step, host_key(moved.host)
        record = step.hosts.obtain(moved.host)
        self._transitions.leave(record)
        step.totals.hosts_moved += 1
        step.queues.count_moved(record, -1)
        if record.account is not None:
            step.learned.account.pages -= record.account.pages
        record.address, record.gate, record.resolved_at = moved.address, moved.gate, now
        step.hosts.drop(step.batch, moved.host)
        step.inbox.close(moved.host)
        shard = self._residences.gates.shard_of(moved.gate, moved.host)
        residence = Residence(shard, self._residences.of(key, moved.host).moves + 1)
        self._residences.note(step.batch, key, residence)
        encoded = step.hosts.encode(record)
        leaving = self._leaving[key] = Departure(moved.host, residence.shard, residence.moves, encoded)
        self._residences.in_transit.add(key)
        if not self._send_part(key, leaving, now):
            step.batch.put(Table.META, LEAVING + key, self._encode(leaving))

    def go_on(self, now: float) -> None:
        """Send the next part of each host whose last part was delivered; at the start of a step."""
        for key, leaving in list(self._leaving.items()):
            if self._may_go_on(key, leaving) and self._send_part(key, leaving, now):
                self._step.batch.delete(Table.META, LEAVING + key)

    def _send_part(self, key: bytes, leaving: Departure, now: float) -> bool:
        """Send the next rows of a host; return whether these were the last."""
        rows = self._take_rows(key)
        is_last = rows.size < PART_BYTES
        record, sent_at = (leaving.record, now) if is_last else (b"", 0.0)
        part = HostPart(leaving.host, leaving.moves, rows.encode(), record, sent_at)
        self._last_parts[key] = self._mail.put_host(leaving.shard, part)
        if is_last:
            del self._leaving[key], self._last_parts[key]
            self._residences.in_transit.remove(key)
        return is_last

    def _take_rows(self, key: bytes) -> Writes:
        """Remove and return rows of a host, up to the size of a part."""
        batch, rows, size = self._step.batch, Writes(), 0
        for table in CARRIED:
            for row, stored in self._step.store.scan(table, key, after(key)):
                if size >= PART_BYTES:
                    return rows
                begun = len(rows)
                self._take_row(rows, table, row, stored)
                size += sum(len(name) + len(value or b"") for _, name, value in rows[begun:])
                if table is not Table.DEFERRED:
                    batch.delete(table, row)
            if table is Table.SHAPE:
                self._shapes.forget()
        return rows

    def _take_row(self, rows: Writes, table: Table, row: bytes, stored: bytes) -> None:
        """Take a row, and the rows in tables ordered by time to which it refers."""
        step = self._step
        if table is Table.DEFERRED:
            rows.put(Table.DUE, by_moment(row), step.due.carry_off(step.batch, by_moment(row)))
            return
        rows.put(table, row, stored)
        for _, planned in led_to(table, row, stored):
            appointment = step.calendar.carry_off(step.batch, planned)
            if appointment is not None:  # otherwise the page is in the queue of revisits
                rows.put(Table.REVISIT, planned, appointment)

    # -- hosts that arrive -----------------------------------------------

    def take_in(self, parts: Iterable[HostPart], sender: int, now: float) -> None:
        """Take in parts of hosts that a shard has sent."""
        for part in parts:
            self._take_in_part(part, sender, now)
        self._shapes.forget()

    def _take_in_part(self, part: HostPart, sender: int, now: float) -> None:
        step, key = self._step, host_key(part.host)
        rows = Writes.decode(part.rows)
        if step.wishes and has_covered_rows(part.host, rows, step.wishes):
            note_guest(step.batch, part.host)
        for table, row, stored in rows:
            assert stored is not None, f"{part.host} has a row without a value"
            if table is Table.DUE:
                step.due.carry_in(step.batch, row, stored)
            elif table is Table.REVISIT:
                step.calendar.carry_in(step.batch, row, stored)
            else:
                step.batch.put(table, row, stored)
        self._residences.note(step.batch, key, Residence(self._residences.shard, part.moves))
        if not part.record:
            self._routing.expect(step.batch, key)
            return
        self._routing.arrived(step.batch, key)
        record = step.hosts.decode(part.record)
        if self._residences.gates.receive(step.batch, record.gate, part.host, sender) != (
            self._residences.shard
        ):
            # It moves on in the next step; if a crash prevents that, its name is looked up again here.
            self.passing_through.append(NewAddress(part.host, record.address, record.gate))
            record.address = ""
        self._settle(record, part.sent_at, now)
        home = self._residences.home(part.host)
        if home not in (sender, self._residences.shard):  # otherwise it knows already
            self._mail.put(home, Resident(part.host, self._residences.shard, part.moves))

    def _settle(self, record: HostRecord, sent_at: float, now: float) -> None:
        _lengthen_pauses(record, sent_at, now)
        record.resolved_at = now
        self._step.queues.count_moved(record, 1)
        if record.account is not None:
            self._step.learned.account.pages += account_of(record).pages
        self._step.orders.brief(record)
        self._transitions.arrive(record, now)

    @property
    def can_go_on(self) -> bool:
        """Whether the next part can be sent of some host that has left in part."""
        return any(self._may_go_on(key, leaving) for key, leaving in self._leaving.items())

    def _may_go_on(self, key: bytes, leaving: Departure) -> bool:
        return self._mail.is_delivered(leaving.shard, self._last_parts.get(key, 0))

    def check(self, living: Mapping[bytes, str]) -> None:
        """State every invariant, given the hosts with a record; between steps only."""
        self._residences.check(living, self._routing.arriving)
        assert not living.keys() & self._residences.in_transit, "a host is here and on its way"
        for table in CARRIED:
            for row, _ in self._step.store.scan(table):
                key = row[:KEY_BYTES]
                noted = self._residences.noted(key)
                is_here = noted is None or noted.shard == self._residences.shard
                assert is_here or key in self._leaving, f"{table} has rows of {key.hex()}, which has left"


def _lengthen_pauses(record: HostRecord, sent_at: float, now: float) -> None:
    """Move the times of a host that has arrived, so that the pauses left when it was sent begin now."""
    behind = max(0.0, now - sent_at)
    if record.next_at > sent_at:
        record.next_at += behind
    if record.held_until > sent_at:
        record.held_until += behind
    record.next_at = max(record.next_at, record.held_until)
    if record.left_at:
        record.left_at += behind
    if record.troubled_at:
        record.troubled_at += behind  # because it is compared with the end of the last visit
    record.shut_origins = {
        origin: Shut(shut.troubles, shut.until + behind) for origin, shut in record.shut_origins.items()
    }
