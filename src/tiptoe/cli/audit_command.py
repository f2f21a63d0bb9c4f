"""`tiptoe audit`: did the crawl keep every rule, by its own request log?"""

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from tiptoe.audit.auditor import Audit, audit
from tiptoe.audit.html_report import audit_page
from tiptoe.audit.text import report_lines, verdict
from tiptoe.cli.arguments import AsJson, Directory
from tiptoe.cli.bar import Share, bar
from tiptoe.cli.section_printer import write_page
from tiptoe.cli.targets import host_meant
from tiptoe.url.address import host_of

__all__ = ["audit_command"]

NOT_JUDGED = 2


def audit_command(
    directory: Directory = Path("crawl"),
    host: Annotated[
        str, Parameter(help="Report on this host only, as one can send it to its webmaster.")
    ] = "",
    *,
    html: Annotated[Path | None, Parameter(help="Write the report as one HTML page to this file.")] = None,
    as_json: AsJson = False,
) -> int:
    """Check the request log of a crawl against every rule of politeness."""
    if host:
        host = host_meant(host_of(host) if "://" in host else host)
    with bar("reading the request log", Share) as shown:
        done = audit(directory, host, total=shown.expect, read=shown.advance)
    if html is not None:
        write_page(html, audit_page(done))
    if html is not None and not as_json:
        print(f"written to {html}: {verdict(done)}")
    elif as_json:
        print(msgspec.json.format(msgspec.json.encode(_as_json(done)), indent=1).decode())
    else:
        for line in report_lines(done):
            print(line)
    if done.findings.count:
        return 1
    return NOT_JUDGED if done.findings.unjudged else 0


def _as_json(done: Audit) -> dict[str, object]:
    figures, findings = done.figures, done.findings
    return {
        "verdict": verdict(done),
        "host": done.host or None,
        "requests": figures.requests,
        "violations": findings.count,
        "unjudged": findings.unjudged,
        "cut_off": figures.cut_off,
        "hosts": figures.hosts,
        "bytes_received": figures.bytes_received,
        "first_at": figures.first_at,
        "last_at": figures.last_at,
        "outcomes": dict(figures.outcomes.most_common()),
        "purposes": dict(figures.purposes.most_common()),
        "shortest_pause": figures.pauses.shortest,
        "pauses": [{"from": begin, "count": count} for begin, count in figures.pauses.rows()],
        "by_rule": dict(sorted(findings.by_rule.items())),
        "terms": done.terms,
        "listed": findings.kept,
    }
