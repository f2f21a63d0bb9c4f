"""Which names are to be looked up?

Hosts without an address wait in the table NEW. A name that could not be looked up waits in the table DUE, and
returns to NEW when it is due.
"""

from collections.abc import Iterable, Mapping

from tiptoe.frontier.correspondence import Correspondence
from tiptoe.frontier.gate import GateKeys, address_of
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.host_moves import NewAddress
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.patience import Trouble
from tiptoe.frontier.restraint import Restraint
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.frontier.visits import OpenVisit
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Table

__all__ = ["Lookups"]


class Lookups:
    """Names on their way to an address."""

    def __init__(
        self, step: Step, transitions: Transitions, restraint: Restraint, gates: GateKeys, intake: Intake,
        visits: Mapping[int, OpenVisit], others: Correspondence | None,
    ) -> None:  # fmt: skip
        self._step = step
        self._transitions = transitions
        self._restraint = restraint
        self._gates = gates
        self._intake = intake
        self._visits = visits
        self._others = others  # None: there is no other frontier
        self._under_way: set[str] = set()
        self._edge = b""

    def take(self, wanted: int) -> list[str]:
        """Hand out names that are not being looked up yet."""
        taken: list[str] = []
        if self._step.gauges.new_hosts <= len(self._under_way):
            return taken  # all are being looked up; finding that out from the store would cost more
        for key, name in self._step.store.scan(Table.NEW, self._edge):
            if len(taken) == wanted:
                break
            host = name.decode()
            self._edge = key + b"\0"
            if host not in self._under_way:
                self._under_way.add(host)
                taken.append(host)
        if not taken and self._edge:
            self._edge = b""  # a host that came from another frontier may have a place before the edge
            return self.take(wanted)
        return taken

    def forget(self, hosts: list[str]) -> None:
        """Have names looked up again that a lost harvester was looking up."""
        self._under_way.difference_update(hosts)
        self._edge = b""

    def last_addresses(self, hosts: Iterable[str]) -> dict[str, str]:
        """Return the last addresses of hosts that were looked up before, which a new lookup should prefer."""
        hosts = list(hosts)
        self._step.hosts.fetch(hosts)
        records = filter(None, map(self._step.hosts.find, hosts))
        return {record.host: address_of(record.gate) for record in records if record.gate}

    def settle(self, lookups: list[tuple[str, str, str]], now: float) -> list[NewAddress]:
        """Settle lookups (host, address and failure of each); return the hosts that are to move."""
        self._step.hosts.fetch(host for host, _, _ in lookups)
        moved: list[NewAddress] = []
        for host, address, failure in lookups:
            self._under_way.discard(host)
            record = self._step.hosts.find(host)
            if record is None or record.state is not HostState.NEW:
                continue
            if not address:
                self._unresolved(record, Trouble(failure), now)
                continue
            gate = self._gates.key(address, host)
            if self._others is None or not self._others.removals.belongs_elsewhere(gate, host):
                self._settle_address(record, address, gate, now)
            elif self._is_visited(record):
                self._edge = b""  # it is looked up once more when the visit is over
            elif all(host != other.host for other in moved):
                self._intake.read_inbox(record, now)
                moved.append(NewAddress(host, address, gate))
        return moved

    def _is_visited(self, record: HostRecord) -> bool:
        """Whether a host is still in a visit, having been given up and revived meanwhile."""
        return record.visits > 0 and any(record.host in visit.made for visit in self._visits.values())

    def _settle_address(self, record: HostRecord, address: str, gate: str, now: float) -> None:
        self._transitions.withdraw(record)
        record.address = address
        record.gate = gate
        record.resolved_at = now
        self._transitions.line_up(record, now)

    def _unresolved(self, record: HostRecord, trouble: Trouble, now: float) -> None:
        """Look the name up again later, or give the host up."""
        self._restraint.host_trouble(record, trouble, now)
        if record.state is not HostState.GONE:
            self._transitions.withdraw(record)
            record.is_lookup_due = True
            again = Request(f"http://{record.host}/", Purpose.ADDRESS, via=trouble.value)
            self._restraint.defer(again, record.next_at)

    def bring_back(self, record: HostRecord, now: float) -> None:
        """Queue a name again that could not be looked up and is now due."""
        record.is_lookup_due = False
        self._step.hosts.touch(record)
        self._transitions.line_up(record, now)
