"""Was each address visited by one harvester at a time, in short series, with rests in between?

POL-2, 3 and 4. Pure: given the requests in order, it reports violations. A series is
the requests to an address between two rests of at least the general pause; a new visit
must have been preceded by such a rest. In the named ranges of content delivery
networks every host counts as an address of its own (POL-11).
"""

import ipaddress
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tiptoe.audit.clocks import ROUNDING_SECONDS, gap_between
from tiptoe.audit.findings import Findings
from tiptoe.audit.log_lines import Log, LogRequest
from tiptoe.write.logentries import Terms

__all__ = ["AddressJudge", "gate_names"]


def gate_names(logs: Sequence[Log]) -> Callable[[LogRequest], str]:
    """Return a function that names what the rules apply to: an address, or an address and host."""
    ranges = [log.terms.cdn_ranges if log.terms else () for log in logs]
    networks = [tuple(ipaddress.ip_network(text, strict=False) for text in one) for one in ranges]
    if not any(networks):
        return lambda asked: asked.address

    @lru_cache(maxsize=100_000)
    def is_shared(file: int, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in networks[file])

    return lambda asked: (
        f"{asked.address} {asked.host}" if is_shared(asked.file, asked.address) else asked.address
    )


@dataclass(slots=True)
class _Address:
    """What is remembered about one address."""

    last: LogRequest  # the one that ended last
    requests: Counter[str] = field(default_factory=Counter)  # of this series, by host


class AddressJudge:
    """Judges requests by the address they went to; memory grows with the number of addresses."""

    def __init__(self, findings: Findings, logs: Sequence[Log]) -> None:
        self._findings = findings
        self._logs = logs
        self._gate_of = gate_names(logs)
        self._addresses: dict[str, _Address] = {}

    def asked(self, asked: LogRequest) -> None:
        """Judge a request."""
        terms = self._logs[asked.file].terms_at(asked.started_at)
        if terms is None:
            return
        gate = self._gate_of(asked)
        address = self._addresses.get(gate)
        if address is None:
            address = self._addresses[gate] = _Address(asked)
        else:
            before = address.last
            self._judge_rest(address, before, asked, terms)
            if asked.ended_at >= before.ended_at:
                address.last = asked
        self._count(address, asked, terms)

    def _judge_rest(self, address: _Address, before: LogRequest, asked: LogRequest, terms: Terms) -> None:
        if asked.started_at < before.started_at:
            before, asked = asked, before
        earlier = self._logs[before.file].terms_at(before.started_at) or terms
        pause = min(terms.general_pause, earlier.general_pause)
        between = gap_between(before, asked, self._logs)
        gap, has_rested = between.seconds, between.is_at_least(pause)
        accuse = self._findings.accuse
        if has_rested is None:
            self._findings.unjudged += not asked.is_of_visit(before)
            address.requests.clear()
        elif gap < -ROUNDING_SECONDS:
            what = f"began {-gap:.6f} s before the answer to another request to the address had ended"
            accuse("POL-4", what, asked, before, since=before.ended_at, shortfall=-gap)
        elif has_rested:
            address.requests.clear()
        elif not asked.is_of_visit(before):
            what = f"the address had rested {gap:.6f} s instead of {pause:g} s since the visit before"
            accuse("POL-4", what, asked, before, since=before.ended_at, shortfall=pause - gap)

    def _count(self, address: _Address, asked: LogRequest, terms: Terms) -> None:
        counts = address.requests
        counts[asked.host] += 1
        number = counts[asked.host]
        if number == 1 and len(counts) > terms.max_hosts:
            what = f"host number {len(counts)} of a series, {terms.max_hosts} allowed"
            self._findings.accuse("POL-2", what, asked)
        if number > terms.max_reqs:
            what = f"request number {number} to the host in a series, {terms.max_reqs} allowed"
            self._findings.accuse("POL-3", what, asked)
