"""Was the crawler polite, from the servers' point of view?

Reads only arrivals. It deliberately shares no code with the frontier: both were
written from the rules, so that the same mistake cannot hide in both.

Rules (numbers as in the requirements):
    POL-1  pause between an answer and the next request to the same host
    POL-2  hosts of one address in a series     POL-3  requests to one host in a series
    POL-4  one request at a time to an address  POL-5  robots.txt first, and obeyed
    POL-7  a User-Agent with a contact          POL-8  Retry-After is waited for
A series is the requests to an address between two rests of at least the general pause.
"""

import ipaddress
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tiptoe.testing.recorder import Arrival

__all__ = ["Breach", "Rules", "judge"]

CONTACT: Final = re.compile(r"https?://\S|\S@\S")
ROBOTS: Final = "/robots.txt"
RETRY_AFTER_SECONDS_MAX: Final = 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules that the crawler was given; `tolerance` is allowed everywhere, in seconds."""

    req_delay: float
    max_hosts: int
    max_reqs: int
    general_pause: float
    tolerance: float = 0.0
    crawl_delays: Callable[[str], float | None] = lambda host: None
    is_allowed: Callable[[str], bool] = lambda url: True
    cdn_addresses: Sequence[str] = ()  # addresses or networks where the address rules count per host
    retry_after_max: float = RETRY_AFTER_SECONDS_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One rule broken by one request; `lines` are positions in the given list, from 1."""

    rule: str
    host: str
    address: str
    lines: tuple[int, ...]
    shortfall: float  # seconds the request came too early; 0 for rules not about time
    what: str

    def __str__(self) -> str:
        early = f", {self.shortfall:.6f} s too early" if self.shortfall else ""
        lines = ", ".join(map(str, self.lines))
        return f"{self.rule} {self.host} at {self.address}: {self.what}{early} (lines {lines})"


@dataclass(frozen=True, slots=True)
class _ArrivalLine:
    number: int
    arrival: Arrival


def judge(arrivals: Iterable[Arrival], rules: Rules) -> list[Breach]:
    """Return every breach of the rules, in the order of the record; only an empty list is a pass."""
    lines = _in_order(arrivals)
    found: list[Breach] = []
    for visit in _grouped(lines, lambda arrival: arrival.host):
        found += _judge_pauses(visit, rules)
        found += _judge_robots(visit, rules)
        found += _judge_retry_after(visit, rules)
    is_shared = _cdn_test(rules.cdn_addresses)
    for visit in _grouped(lines, lambda a: f"{a.address} {a.host}" if is_shared(a.address) else a.address):
        found += _judge_series(visit, rules)
    found += _judge_names(lines)
    return sorted(found, key=lambda violation: (violation.lines[-1], violation.rule))


def _in_order(arrivals: Iterable[Arrival]) -> list[_ArrivalLine]:
    lines = [_ArrivalLine(number, arrival) for number, arrival in enumerate(arrivals, 1)]
    return sorted(lines, key=lambda line: line.arrival.arrived_at)


def _grouped(lines: list[_ArrivalLine], key: Callable[[Arrival], str]) -> Iterator[list[_ArrivalLine]]:
    groups: defaultdict[str, list[_ArrivalLine]] = defaultdict(list)
    for line in lines:
        groups[key(line.arrival)].append(line)
    yield from groups.values()


def _gaps(visit: list[_ArrivalLine]) -> Iterator[tuple[_ArrivalLine, _ArrivalLine, float]]:
    """Yield each line with the last one answered before it, and the pause between them."""
    last = visit[0]
    for line in visit[1:]:
        yield last, line, line.arrival.arrived_at - last.arrival.answered_at
        if line.arrival.answered_at >= last.arrival.answered_at:
            last = line


def _accuse(
    rule: str, what: str, line: _ArrivalLine, *before: _ArrivalLine, shortfall: float = 0.0
) -> Breach:
    numbers = (*(earlier.number for earlier in before), line.number)
    arrival = line.arrival
    return Breach(
        rule=rule, host=arrival.host, address=arrival.address, lines=numbers, shortfall=shortfall, what=what
    )


def _judge_pauses(visit: list[_ArrivalLine], rules: Rules) -> Iterator[Breach]:
    """POL-1: the pause counts from the end of an answer; a Crawl-delay from when it was served."""
    told_at = min((line.arrival.answered_at for line in visit if _serves_rules(line)), default=float("inf"))
    crawl_delay = rules.crawl_delays(visit[0].arrival.host) or 0.0
    for before, line, gap in _gaps(visit):
        wanted = rules.req_delay
        if line.arrival.arrived_at >= told_at:
            wanted = max(wanted, crawl_delay)
        shortfall = wanted - rules.tolerance - gap
        if gap + rules.tolerance < 0.0:
            yield _accuse("POL-1", "two requests to one host at once", line, before, shortfall=shortfall)
        elif shortfall > 0.0:
            what = f"pause of {gap:.6f} s instead of {wanted:g} s"
            yield _accuse("POL-1", what, line, before, shortfall=shortfall)


def _serves_rules(line: _ArrivalLine) -> bool:
    return line.arrival.target == ROBOTS and line.arrival.status == 200


def _judge_robots(visit: list[_ArrivalLine], rules: Rules) -> Iterator[Breach]:
    """POL-5: request robots.txt first; stay away while it is unavailable; obey it."""
    answers = [line for line in visit if line.arrival.target == ROBOTS]
    known: _ArrivalLine | None = None
    next_answer = 0
    for line in visit:
        while (
            next_answer < len(answers)
            and answers[next_answer].arrival.answered_at <= line.arrival.arrived_at + rules.tolerance
            and answers[next_answer] is not line
        ):
            known = answers[next_answer]
            next_answer += 1
        if line.arrival.target == ROBOTS:
            continue
        if known is None:
            yield _accuse("POL-5", "asked before robots.txt was answered", line)
        elif known.arrival.status == 0 or known.arrival.status >= 500:
            yield _accuse("POL-5", "requested although robots.txt could not be fetched", line, known)
        if not rules.is_allowed(line.arrival.url):
            yield _accuse("POL-5", f"robots.txt forbids {line.arrival.target}", line)


def _judge_retry_after(visit: list[_ArrivalLine], rules: Rules) -> Iterator[Breach]:
    """POL-8: after 429 or 503, no request before the wait that the host requested is over."""
    blocked: _ArrivalLine | None = None
    until = float("-inf")
    for line in visit:
        early = until - rules.tolerance - line.arrival.arrived_at
        if blocked and early > 0.0:
            yield _accuse("POL-8", "asked before Retry-After was over", line, blocked, shortfall=early)
        wish = line.arrival.retry_after
        if wish is not None and line.arrival.status in (429, 503):
            ends_at = line.arrival.answered_at + min(wish, rules.retry_after_max)
            if ends_at > until:
                blocked, until = line, ends_at


def _judge_series(visit: list[_ArrivalLine], rules: Rules) -> Iterator[Breach]:
    """POL-2, 3, 4: requests beyond a series had to wait for the general pause."""
    requests = Counter([visit[0].arrival.host])
    if rules.max_hosts < 1 or rules.max_reqs < 1:
        yield _accuse("POL-3", "no request is allowed at all", visit[0])
    for before, line, gap in _gaps(visit):
        host = line.arrival.host
        shortfall = rules.general_pause - rules.tolerance - gap
        if gap + rules.tolerance < 0.0:
            yield _accuse("POL-4", "two requests to one address at once", line, before, shortfall=shortfall)
        if shortfall <= 0.0:
            requests.clear()
        requests[host] += 1
        if requests[host] == 1 and len(requests) > rules.max_hosts:
            what = f"host number {len(requests)} of a series, {rules.max_hosts} allowed"
            yield _accuse("POL-2", what, line, before, shortfall=shortfall)
        if requests[host] > rules.max_reqs:
            what = f"request number {requests[host]} of a series, {rules.max_reqs} allowed"
            yield _accuse("POL-3", what, line, before, shortfall=shortfall)


def _judge_names(lines: list[_ArrivalLine]) -> Iterator[Breach]:
    """POL-7: anyone who reads the log of a server can find out whom to contact."""
    for line in lines:
        if not CONTACT.search(line.arrival.user_agent):
            what = f"User-Agent without a contact: {line.arrival.user_agent!r}"
            yield _accuse("POL-7", what, line)


def _cdn_test(addresses: Sequence[str]) -> Callable[[str], bool]:
    networks = [ipaddress.ip_network(address, strict=False) for address in addresses]
    if not networks:
        return lambda address: False
    return lambda address: any(ipaddress.ip_address(address) in network for network in networks)
