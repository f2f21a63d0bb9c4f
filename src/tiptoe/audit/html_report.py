"""How is an audit shown as one page in a browser?

The page needs no other file and loads nothing; all text from outside is escaped.
"""

from collections.abc import Iterator
from html import escape

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
from tiptoe.audit.text import damage_words, missing_words, verdict
from tiptoe.audit.timeline import timeline
from tiptoe.observe.amounts import counted, human_bytes, human_count
from tiptoe.observe.charts import Amount, bars, cards, line, table
from tiptoe.observe.page import html_page

__all__ = ["audit_page"]

VIOLATIONS_SHOWN = 500
POINTS_MAX = 300


def audit_page(audit: Audit) -> str:
    """Return the whole page."""
    if audit.host:
        title = f"What was asked of {audit.host}"
        lead = (
            f"Every request that {audit.terms[-1].agent} made to this host, from its own log, "
            f"checked against the rules it was made under: {verdict(audit)}."
        )
        sections = list(_host_sections(audit))
    else:
        title = "Audit of a crawl"
        lead = f"The request log, checked against every rule of politeness: {verdict(audit)}."
        sections = list(_crawl_sections(audit))
    return html_page(
        title, lead, sections, footer="Times are UTC. Made by tiptoe audit from the request log alone."
    )


def _crawl_sections(audit: Audit) -> Iterator[tuple[str, str]]:
    figures = audit.figures
    facts = [("hosts", human_count(figures.hosts)), ("log files", human_count(len(audit.logs)))]
    yield "Summary", _summary(audit, facts)
    yield "Violations", _violations(audit)
    yield "Requests over time", _curve(audit)
    yield "Pauses", _pauses(audit)
    yield "Answers", _answers(audit)
    yield "Hosts", _hosts(audit)
    yield "Rules in force", _terms(audit)


def _host_sections(audit: Audit) -> Iterator[tuple[str, str]]:
    found = busiest(audit.figures.hours)
    facts = [("in the busiest hour", human_count(found[1]))] if found else []
    yield "Summary", _who(audit) + _summary(audit, facts)
    yield "When", _when(audit)
    yield "Violations", _violations(audit)
    yield "Pauses", _pauses(audit)
    yield "Answers", _answers(audit)
    yield "Rules in force", _terms(audit)
    yield "robots.txt as we read it", _robots(audit)
    if audit.figures.orders:
        rows = [(moment(one.at), order_words(one)) for one in audit.figures.orders]
        yield "Words of the operator", table(("when", "what"), rows)
    yield "Requests", _requests(audit)


def _who(audit: Audit) -> str:
    name = plain(audit.terms[-1].user_agent)
    return f"<p>Our requests carry this name, with an address to write to: <code>{escape(name)}</code></p>"


def _summary(audit: Audit, facts: list[tuple[str, str]]) -> str:
    figures = audit.figures
    shortest = figures.pauses.shortest
    known = [
        ("violations", human_count(audit.findings.count)),
        ("requests", human_count(figures.requests)),
        *facts,
        ("received", human_bytes(figures.bytes_received)),
        ("shortest pause", span(shortest) if shortest is not None else "-"),
    ]
    notes = [f"From {moment(figures.first_at)} to {moment(figures.last_at)}."]
    if figures.cut_off:
        notes.append(
            f"Under way when a process of ours died: {counted(figures.cut_off, 'request')}; "
            "when that ended is not known."
        )
    if audit.findings.unjudged:
        notes.append(
            f"Not judged: {counted(audit.findings.unjudged, 'request')}, whose log does not say enough."
        )
    if audit.missing:
        notes.append(missing_words(audit))
    if audit.damaged_lines:
        notes.append(damage_words(audit))
    return cards(known) + "".join(f'<p class="note">{escape(note)}</p>' for note in notes)


def _violations(audit: Audit) -> str:
    findings = audit.findings
    if not findings.count:
        return f'<p class="good">None. Checked were: {escape("; ".join(RULES.values()))}.</p>'
    rows = [(rule, RULES[rule], count) for rule, count in sorted(findings.by_rule.items())]
    html = table(("rule", "what it is about", "violations"), rows)
    shown = findings.kept[:VIOLATIONS_SHOWN]
    html += table(("rule", "host", "when", "what", "lines of the log"), map(_row, shown))
    if findings.count > len(shown):
        html += f'<p class="note">… and {human_count(findings.count - len(shown))} more.</p>'
    return html


def _row(violation: Violation) -> tuple[str, str, str, str, str]:
    early = f", {violation.shortfall:.6f} s too early" if violation.shortfall else ""
    return (
        violation.rule,
        f"{plain(violation.host)} ({violation.address})",
        moment(violation.at),
        plain(violation.what) + early,
        _lines(violation),
    )


def _lines(violation: Violation) -> str:
    """Return the places of the lines, naming the file only once if all are in the same one."""
    if len({place.file for place in violation.lines}) > 1:
        return ", ".join(map(str, violation.lines))
    first, *others = violation.lines
    return ", ".join([str(first), *(str(place.line) for place in others)])


def _when(audit: Audit) -> str:
    found = busiest(audit.figures.hours)
    text = (
        f"<p>Each mark is one or more requests; the darker, the more. In the busiest hour, from "
        f"{moment(found[0])}, there were {human_count(found[1])}.</p>"
        if found
        else ""
    )
    return text + timeline(audit.figures.moments.spans())


def _curve(audit: Audit) -> str:
    spans = audit.figures.moments.spans()
    if not spans:
        return ""
    first, last = spans[0][0], spans[-1][0]
    width = max(audit.figures.moments.width, (last - first) / POINTS_MAX)
    counts = [0] * (int((last - first) / width) + 1)
    for at, count in spans:
        counts[int((at - first) / width)] += count
    points = [(first + number * width, count / width) for number, count in enumerate(counts)]
    return line({"requests a second": points}, unit="")


def _pauses(audit: Audit) -> str:
    rows = [(pause_class(begin), float(count)) for begin, count in audit.figures.pauses.rows()]
    if not rows:
        return "<p>No host was asked twice.</p>"
    text = "<p>Seconds between the end of an answer and the start of the next request to the same host.</p>"
    return text + bars(rows, unit="")


def _answers(audit: Audit) -> str:
    figures = audit.figures
    outcomes = [(name, float(count)) for name, count in figures.outcomes.most_common(20)]
    purposes = [(name, float(count)) for name, count in figures.purposes.most_common(20)]
    html = "<h3>Status of the answer, or why there was none</h3>"
    html += bars(outcomes, unit="", total=figures.requests)
    html += "<h3>What was requested</h3>" + bars(purposes, unit="", total=figures.requests, colour=3)
    if figures.addresses:
        rows = [(plain(address), count) for address, count in figures.addresses.most_common(20)]
        html += table(("at IP address", "requests"), rows)
    return html


def _hosts(audit: Audit) -> str:
    figures = audit.figures
    rows = [
        (
            plain(host.host),
            host.requests,
            Amount(host.bytes_received, "bytes"),
            Amount(host.shortest, "seconds") if host.shortest is not None else "-",
            host.longest_series,
            host.violations,
        )
        for host in figures.table
    ]
    html = table(("host", "requests", "received", "shortest pause", "longest series", "violations"), rows)
    if figures.hosts > len(rows):
        html += (
            f'<p class="note">The {counted(len(rows), "host")} with violations or most requests, of '
            f"{human_count(figures.hosts)}.</p>"
        )
    return html


def _requests(audit: Audit) -> str:
    latest = audit.figures.latest
    rows = [
        (moment(one.started_at), plain(one.url), outcome(one), Amount(one.bytes_received, "bytes"))
        for one in latest
    ]
    text = "All of them." if len(latest) == audit.figures.requests else f"The last {len(latest)}."
    return f'<p class="note">{text}</p>' + table(("when", "what", "answer", "received"), rows)


def _terms(audit: Audit) -> str:
    parts = []
    for terms in audit.terms:
        parts.append(f"<p><code>{escape(plain(terms.user_agent))}</code></p>")
        parts.append(table(("rule", "in force"), terms_rows(terms)))
    return "\n".join(parts)


def _robots(audit: Audit) -> str:
    if not audit.figures.rules_read:
        return "<p>The log does not say.</p>"
    parts = []
    for rules_read in audit.figures.rules_read:
        parts.append(f"<h3>{escape(plain(rules_read.origin))}/robots.txt, read {moment(rules_read.at)}</h3>")
        parts.append("<pre>" + escape("\n".join(robots_lines(rules_read))) + "</pre>")
    return "\n".join(parts)
