"""In which state is a host, and how does it change to another one?

    IDLE ──line_up──▶ NEW, PARKED ──withdraw──▶ IDLE
    PARKED ──visit──▶ VISITED ──withdraw──▶ IDLE
    VISITED ──mark_unproductive──▶ UNPRODUCTIVE ──reactivate──▶ IDLE
    any ──give_up──▶ GONE ──revive──▶ IDLE

The one place that changes the state of a host, together with the row that belongs to the state (in NEW,
PARKED, or its chance in the calendar) and the gauges that count hosts.
"""

from tiptoe.frontier.front import Front
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.step import Step
from tiptoe.store.tables import AFTER_MOMENT, Table
from tiptoe.url.address import host_key
from tiptoe.url.dropped import Dropped

__all__ = ["Transitions", "forget_waiting"]

GIVEN_UP_MAX = 50
"""Maximum number of given-up hosts that are remembered by name; all are counted."""


class Transitions:
    """Moves hosts from state to state."""

    def __init__(self, step: Step, front: Front) -> None:
        self._step = step
        self._front = front
        self.given_up: dict[str, str] = {}  # the first hosts that were given up in this run, with the reason

    def enqueue(self, record: HostRecord, index: int, chunk: Chunk, now: float) -> None:
        """Queue requests that have passed every check, and make sure that their host gets a turn."""
        self._step.queues.push(record, index, chunk)
        self._step.hosts.touch(record)
        if record.state is HostState.PARKED:
            self._front.change_side(self._step.batch, record)
        elif record.state is HostState.IDLE:
            self.line_up(record, now)

    def line_up(self, record: HostRecord, now: float) -> None:
        """Let an idle host that has requests and is not blocked wait for its turn, or first its address."""
        if record.state is not HostState.IDLE or record.is_blocked or not record.queued:
            return
        gauges = self._step.gauges
        if record.address:
            record.state = HostState.PARKED
            gauges.parked_hosts += 1
            self._front.park(self._step.batch, record, now)
        elif not record.is_lookup_due:  # a name that failed is not looked up again for every new link
            ids = self._step.ids
            record.state = HostState.NEW
            record.new_key = ids.new_hosts.to_bytes(AFTER_MOMENT, "big") + host_key(record.host)
            ids.new_hosts += 1
            gauges.new_hosts += 1
            self._step.batch.put(Table.NEW, record.new_key, record.host.encode())
            self._step.hosts.touch(record)

    def move_up(self, record: HostRecord, now: float) -> None:
        """Park a host again after the time of its turn has changed."""
        if record.state is HostState.PARKED:
            self.withdraw(record)
            self.line_up(record, now)

    def visit(self, record: HostRecord) -> None:
        """Begin the visit of a parked host."""
        assert record.state is HostState.PARKED, f"{record} is not parked"
        self._move(record, HostState.VISITED)

    def withdraw(self, record: HostRecord) -> None:
        """Make a host idle that was waiting or visited."""
        assert record.state in (HostState.NEW, HostState.PARKED, HostState.VISITED), (
            f"{record} is not at work"
        )
        self._move(record, HostState.IDLE)

    def mark_unproductive(self, record: HostRecord, now: float) -> None:
        """Mark a host in a visit as unproductive; its queue stays until it is tried again."""
        assert record.state is HostState.VISITED, f"{record} is not visited"
        self._move(record, HostState.UNPRODUCTIVE)
        record.unproductive_since = now
        self._step.gauges.unproductive_hosts += 1
        self._step.gauges.unproductive += record.queued

    def reactivate(self, record: HostRecord) -> None:
        """Make an unproductive host idle after its rest."""
        assert record.state is HostState.UNPRODUCTIVE, f"{record} is not unproductive"
        self._move(record, HostState.IDLE)

    def give_up(self, record: HostRecord, reason: str) -> None:
        """Give up a host; the caller deals with its queue."""
        assert record.state is not HostState.GONE, f"{record} is gone already"
        self._move(record, HostState.GONE)
        record.gone_because = reason
        self._step.gauges.give_up(reason)
        if len(self.given_up) < GIVEN_UP_MAX:
            self.given_up[record.host] = reason

    def revive(self, record: HostRecord) -> None:
        """Make a host idle that was given up and gets another chance; its name will be looked up again."""
        assert record.state is HostState.GONE, f"{record} is not gone"
        self._move(record, HostState.IDLE)
        record.address = ""

    def block(self, record: HostRecord, now: float, *, is_blocked: bool) -> None:
        """Block a host by order, or unblock it; its queue stays."""
        if record.gone_because != Dropped.KEY_TAKEN:
            self._step.gauges.blocked_hosts += is_blocked - record.is_blocked
        record.is_blocked = is_blocked
        self._step.hosts.touch(record)
        if is_blocked and record.state in (HostState.NEW, HostState.PARKED):
            self.withdraw(record)
        self.line_up(record, now)

    def leave(self, record: HostRecord) -> None:
        """Take a host whose new address is elsewhere out of the table NEW."""
        assert record.state is HostState.NEW, f"{record} waits for no address"
        self._move(record, HostState.IDLE)
        self._step.gauges.blocked_hosts -= record.is_blocked

    def arrive(self, record: HostRecord, now: float) -> None:
        """Take in a host that has moved here; if it has requests, it waits for its turn."""
        self._step.gauges.blocked_hosts += record.is_blocked
        self._step.hosts.take_in(record)
        self.line_up(record, now)

    def _move(self, record: HostRecord, state: HostState) -> None:
        """Change the state; remove everything that belongs to the old one."""
        gauges, batch = self._step.gauges, self._step.batch
        match record.state:
            case HostState.PARKED:
                gauges.parked_hosts -= 1
                self._front.unpark(batch, record)
            case HostState.NEW:
                gauges.new_hosts -= 1
                batch.delete(Table.NEW, record.new_key)
                record.new_key = b""
            case HostState.UNPRODUCTIVE:
                gauges.unproductive_hosts -= 1
                gauges.unproductive -= record.queued
            case HostState.GONE:
                gauges.give_up(record.gone_because, -1)
                record.gone_because = ""
                self._step.calendar.strike_chance(batch, record)
        record.state = state
        self._step.hosts.touch(record)


def forget_waiting(record: HostRecord) -> None:
    """Reset a host to idle whose row in NEW or PARKED is gone."""
    if record.state in (HostState.PARKED, HostState.NEW, HostState.VISITED):
        record.state = HostState.IDLE
    record.parked_key = record.new_key = b""
    record.is_lookup_due = False
