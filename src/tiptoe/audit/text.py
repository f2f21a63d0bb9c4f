"""How is an audit printed on a terminal or sent by mail?

As plain lines; texts from the web cannot affect the terminal.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from tiptoe.audit.auditor import Audit
from tiptoe.audit.findings import RULES, Violation
from tiptoe.audit.log_figures import busiest
from tiptoe.audit.report_words import (
    moment,
    order_words,
    outcome,
    pause_class,
    plain,
    robots_lines,
    span,
    terms_rows,
)
from tiptoe.observe.amounts import counted, human_bytes, human_count

__all__ = ["damage_words", "missing_words", "report_lines", "verdict"]

VIOLATIONS_SHOWN = 200
HOSTS_LISTED = 10
REQUESTS_LISTED = 100
AGENTS_NAMED = 3
LABEL = 15


def verdict(audit: Audit) -> str:
    """Return the result in one line."""
    found, requests = audit.findings.count, audit.figures.requests
    text = f"{counted(found, 'violation')} in {counted(requests, 'request')}"
    if audit.findings.unjudged:
        text += f", {human_count(audit.findings.unjudged)} of which could not be judged"
    if audit.missing:
        text += f"; the logs of {_agents(audit.missing)} are missing"
    if audit.damaged_lines:
        text += f"; {counted(audit.damaged_lines, 'line')} of the log cannot be read"
    return text


def _agents(names: Sequence[str]) -> str:
    """Return the names of agents, or their number if there are many."""
    return ", ".join(map(plain, names)) if len(names) <= AGENTS_NAMED else counted(len(names), "agent")


def missing_words(audit: Audit) -> str:
    """Return a sentence on whose logs were missing, and what follows from that."""
    return (
        f"Not there to be read, or not all of it: the logs of {', '.join(map(plain, audit.missing))}. What "
        "they have asked is not in this report, and requests that depend on it are not judged."
    )


def damage_words(audit: Audit) -> str:
    """Return a sentence on which lines cannot be read, and what follows from that."""
    first = next(log for log in audit.logs if log.damaged)
    return (
        f"Damaged: {counted(audit.damaged_lines, 'line')} of the log, the first {first.name}:"
        f"{first.damaged_first}. What was asked there is not in this report, and requests that depend on "
        "it are not judged."
    )


def report_lines(audit: Audit) -> Iterator[str]:
    """Yield the report, line by line."""
    yield from _host_head(audit) if audit.host else _crawl_head(audit)
    yield ""
    yield verdict(audit)
    for rule, count in sorted(audit.findings.by_rule.items()):
        yield f"  {rule:7} {human_count(count):>7}  {RULES[rule]}"
    for violation in audit.findings.kept[:VIOLATIONS_SHOWN]:
        yield from _violation(violation)
    if audit.findings.count > VIOLATIONS_SHOWN:
        yield f"  … and {human_count(audit.findings.count - VIOLATIONS_SHOWN)} more; --json lists them"
    yield from _notes(audit)


def _crawl_head(audit: Audit) -> Iterator[str]:
    figures = audit.figures
    others = f" and {counted(len(audit.members), 'other directory', 'other directories')}"
    yield f"Audit of {audit.directory}{others if audit.members else ''}"
    yield from _rows(
        ("requests", f"{human_count(figures.requests)} to {counted(figures.hosts, 'host')}, "
                     f"{human_bytes(figures.bytes_received)} received"),
        ("when", f"{moment(figures.first_at)} to {moment(figures.last_at)}"),
        ("logs", counted(len(audit.logs), "file")),
        ("who", plain(audit.terms[-1].user_agent)),
        ("busiest hour", _busiest(audit)),
        ("pauses", _pauses(audit)),
    )  # fmt: skip
    if figures.table:
        yield ""
        yield "Most requests"
    for host in sorted(figures.table, key=lambda host: -host.requests)[:HOSTS_LISTED]:
        shortest = f"shortest pause {span(host.shortest)}" if host.shortest is not None else "asked once"
        yield f"  {human_count(host.requests):>8}  {plain(host.host)}: {shortest}"


def _host_head(audit: Audit) -> Iterator[str]:
    figures = audit.figures
    yield f"What was asked of {audit.host}"
    yield from _rows(
        ("who", plain(audit.terms[-1].user_agent)),
        ("when", f"{moment(figures.first_at)} to {moment(figures.last_at)}"),
        ("how much", f"{counted(figures.requests, 'request')}, "
                     f"{human_bytes(figures.bytes_received)} received"),
        ("for what", _counts(figures.purposes)),
        ("at address", _counts(figures.addresses)),
        ("answers", _counts(figures.outcomes)),
        ("busiest hour", _busiest(audit)),
        ("pauses", _pauses(audit)),
    )  # fmt: skip
    for begin, count in figures.pauses.rows():
        yield f"  {'':{LABEL}}{pause_class(begin):>18}  {human_count(count):>8}"
    for terms in audit.terms:
        yield ""
        yield (
            "Under which rules" if len(audit.terms) == 1 else f"Under which rules ({plain(terms.user_agent)})"
        )
        yield from (f"  {what}: {much}" for what, much in terms_rows(terms))
    for rules_read in figures.rules_read:
        yield ""
        where, agent = f"{plain(rules_read.origin)}/robots.txt", audit.terms[-1].agent
        yield f"{where} as read at {moment(rules_read.at)}, for {agent}"
        yield from (f"  {line}" for line in robots_lines(rules_read))
    if figures.orders:
        yield ""
        yield "Words of the operator"
        for ordered in figures.orders:
            yield f"  {moment(ordered.at)}  {order_words(ordered)}"
    yield ""
    latest = list(figures.latest)[-REQUESTS_LISTED:]
    yield (
        "Every request" if len(latest) == figures.requests else f"The last {counted(len(latest), 'request')}"
    )
    for asked in latest:
        yield f"  {moment(asked.started_at)}  {outcome(asked):>7}  {plain(asked.url)}"


def _violation(violation: Violation) -> Iterator[str]:
    early = f", {violation.shortfall:.6f} s too early" if violation.shortfall else ""
    yield ""
    yield f"  {violation.rule} {plain(violation.host)} at {violation.address}: {plain(violation.what)}{early}"
    if violation.url:
        yield f"    {plain(violation.url)}"
    if violation.since is not None:
        yield f"    {moment(violation.since, exact=True)}  before it"
    yield f"    {moment(violation.at, exact=True)}  the request"
    yield f"    {', '.join(map(str, violation.lines))}"


def _notes(audit: Audit) -> Iterator[str]:
    figures = audit.figures
    if figures.cut_off:
        yield ""
        yield (
            f"Under way when a harvester of ours died: {counted(figures.cut_off, 'request')}; "
            "when that ended is not known."
        )
    if audit.missing:
        yield ""
        yield missing_words(audit)
    if audit.damaged_lines:
        yield ""
        yield damage_words(audit)
    if mute := audit.mute_logs:
        yield ""
        yield (
            f"From an older tiptoe: {counted(len(mute), 'file')}, the first {mute[0].name}. It is not said "
            "there under which rules they were written; their requests are counted and not judged."
        )


def _rows(*rows: tuple[str, str]) -> Iterator[str]:
    return (f"  {what:{LABEL}}{one}" for what, one in rows if one)


def _counts(counts: Counter[str]) -> str:
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:20]
    return ", ".join(f"{plain(name)} {human_count(count)}" for name, count in most)


def _busiest(audit: Audit) -> str:
    found = busiest(audit.figures.hours)
    return f"{counted(found[1], 'request')} from {moment(found[0])}" if found else ""


def _pauses(audit: Audit) -> str:
    pauses = audit.figures.pauses
    if pauses.shortest is None:
        return ""
    return f"shortest {span(pauses.shortest)}, on average {span(pauses.total / pauses.count)}"
