"""How is a whole log checked?

    audit(directory)                     every host
    audit(directory, "a.cz")             one host, and requests to its address
    audit(directory, members=(others))   a crawl on several machines, whose logs are in several directories

The log is read once (twice for one host: first its addresses are found). See
`observe/merging.py` for the order and `partitions.py` for logs larger than memory.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiptoe.audit.address_judge import AddressJudge, gate_names
from tiptoe.audit.clocks import align
from tiptoe.audit.findings import Findings
from tiptoe.audit.host_judge import HostJudge
from tiptoe.audit.log_figures import AuditFigures, HostFigures
from tiptoe.audit.log_lines import (
    Event,
    Log,
    LogRequest,
    LogRobots,
    Ordered,
    find_logs,
    read_all,
    read_cut_off,
    read_log,
)
from tiptoe.audit.order_judge import OrderJudge
from tiptoe.audit.partitions import PART_BYTES, PARTS_MAX, Partitions
from tiptoe.errors import SettingsError
from tiptoe.url.address import host_of
from tiptoe.write.logentries import Terms

__all__ = ["Audit", "audit"]


@dataclass(slots=True, kw_only=True)
class Audit:
    """The result of an audit."""

    directory: Path
    members: Sequence[Path]  # further directories of the same crawl
    missing: Sequence[str]  # agents of the crawl whose logs could not be read
    host: str  # empty: all hosts
    logs: Sequence[Log]
    findings: Findings
    figures: AuditFigures

    @property
    def terms(self) -> list[Terms]:
        """The terms that were in force, each once, in order of time."""
        logs = sorted(self.logs, key=lambda log: log.first_at)
        found = [terms for log in logs for terms in (log.terms, *(amended for _, amended in log.amended))]
        return list(dict.fromkeys(terms for terms in found if terms is not None))

    @property
    def mute_logs(self) -> list[Log]:
        """Logs that do not record the terms they were written under."""
        return [log for log in self.logs if log.opening is None]

    @property
    def damaged_lines(self) -> int:
        """Lines that cannot be read, in all logs."""
        return sum(log.damaged for log in self.logs)

    @property
    def is_whole(self) -> bool:
        """Whether all logs were present and everything could be judged."""
        return not (self.findings.unjudged or self.missing or self.damaged_lines)


def audit(
    directory: Path,
    host: str = "",
    *,
    members: Sequence[Path] = (),
    missing: Sequence[str] = (),
    limits: Mapping[Path, int] | None = None,
    part_bytes: int = PART_BYTES,
    total: Callable[[int], None] = lambda size: None,
    read: Callable[[int], None] = lambda size: None,
) -> Audit:
    """Judge the request log of a crawl; `total` and `read` are told numbers of bytes, for a progress bar.

    Without the logs of `missing` agents some requests cannot be judged. `limits` are the sizes that the logs
    of the directory itself had when those of the members were copied: later lines may depend on what members
    have written since.
    """
    logs = find_logs(directory, *members, limits=limits)
    align(logs)
    if all(log.opening is None for log in logs):
        raise SettingsError(
            f"{directory}: its request log does not say under which rules it was written (no opening line): "
            "it comes from an older tiptoe and cannot be audited; `tiptoe rehearse` judges such a version"
        )
    size = sum(log.size for log in logs)
    total(2 * size if host else size)
    run = _AuditRun(logs, host, is_partial=bool(missing))
    wanted = None
    if host:
        run.addresses = _addresses_of(host, logs, read)
        if not run.addresses:
            raise SettingsError(
                f"{host}: no request to this host in {directory / 'log'}; see the names there"
            )
        wanted = _line_test(host, run.addresses)
    events = read_all(logs, wanted=wanted, read=read)
    parts = min(PARTS_MAX, -(-size // part_bytes))
    if parts <= 1 or host:
        run.judge_at_once(events)
    else:
        run.judge_in_parts(events, parts)
    run.figures.table.sort(reverse=True)
    return Audit(
        directory=directory, members=members, missing=missing, host=host, logs=logs, findings=run.findings,
        figures=run.figures,
    )  # fmt: skip


class _AuditRun:
    """One audit in progress."""

    def __init__(self, logs: Sequence[Log], host: str, *, is_partial: bool) -> None:
        self.logs = logs
        self.is_partial = is_partial
        self.host = host
        self.addresses: set[str] = set()
        self.findings = Findings(logs, about=host)
        self.figures = AuditFigures()
        self._gate_of = gate_names(logs)
        self._orders = OrderJudge(self.findings, self.logs)

    def judge_at_once(self, events: Iterable[Event]) -> None:
        """Judge everything in memory."""
        hosts, addresses = _HostPart(self), AddressJudge(self.findings, self.logs)
        for event in events:
            if isinstance(event, LogRequest):
                if not self.host or event.host == self.host:
                    self._hear(event)
                    hosts.take(event)
                    addresses.asked(event)
                elif self._gate_of(event) in self.addresses:
                    addresses.asked(event)
            elif isinstance(event, Ordered):
                self._take_order(event)
            elif not self.host or host_of(event.origin) == self.host:
                if self.host:
                    self.figures.note_robots(event)
                hosts.take(event)
        hosts.close()

    def judge_in_parts(self, events: Iterable[Event], parts: int) -> None:
        """Judge part by part: hosts first, then addresses."""
        with Partitions(parts) as by_host, Partitions(parts) as by_address:
            for event in events:
                if isinstance(event, LogRequest):
                    self._hear(event)
                    by_host.put(event.host, event)
                    by_address.put(self._gate_of(event), event)
                elif isinstance(event, LogRobots):
                    by_host.put(host_of(event.origin), event)
                else:
                    self._take_order(event)
            for part in by_address.parts():
                judge = AddressJudge(self.findings, self.logs)
                for event in part:
                    if isinstance(event, LogRequest):
                        judge.asked(event)
            for part in by_host.parts():
                hosts = _HostPart(self)
                for event in part:
                    hosts.take(event)
                hosts.close()

    def _hear(self, asked: LogRequest) -> None:
        self.figures.add(asked)
        if self.logs[asked.file].terms is None:
            self.findings.unjudged += 1
        if self.host:
            self.figures.addresses[asked.address] += 1
            self.figures.latest.append(asked)
        self._orders.asked(asked)

    def _take_order(self, ordered: Ordered) -> None:
        self._orders.ordered(ordered)
        if self.host and ordered.host in ("", self.host):
            self.figures.note_order(ordered)


class _HostPart:
    """Judges the hosts of one part and counts the requests to each."""

    def __init__(self, run: _AuditRun) -> None:
        self._run = run
        self._judge = HostJudge(run.findings, run.logs, is_partial=run.is_partial)
        self._hosts: dict[str, HostFigures] = {}

    def take(self, event: LogRequest | LogRobots) -> None:
        if isinstance(event, LogRobots):
            self._judge.note_robots(event)
            return
        gap = self._judge.asked(event)
        host = self._hosts.get(event.host)
        if host is None:
            host = self._hosts[event.host] = HostFigures(host=event.host)
        terms = self._run.logs[event.file].terms_at(event.started_at)
        host.add(event, gap, terms.general_pause if terms else 0.0)
        if gap is not None:
            self._run.figures.pauses.add(gap)

    def close(self) -> None:
        self._run.figures.enter_hosts(self._hosts.values(), self._run.findings.by_host)


def _addresses_of(host: str, logs: Sequence[Log], read: Callable[[int], None]) -> set[str]:
    needle = _needle(host)
    found = set()
    for log in logs:
        for event in (*read_log(log, wanted=lambda line: needle in line, read=read), *read_cut_off(log)):
            if isinstance(event, LogRequest) and event.host == host:
                found.add(event.address)
    return found


def _line_test(host: str, addresses: set[str]) -> Callable[[bytes], bool]:
    needles = [_needle(host), *(f'"address":"{address}"'.encode() for address in addresses)]
    return lambda line: any(needle in line for needle in needles)


def _needle(host: str) -> bytes:
    return f'"host":"{host}"'.encode()
