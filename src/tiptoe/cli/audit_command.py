"""`tiptoe audit`: did the crawl keep every rule, by its own request log?"""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from tiptoe.audit.auditor import Audit, audit
from tiptoe.audit.html_report import audit_page
from tiptoe.audit.text import report_lines, verdict
from tiptoe.cli.targets import host_meant
from tiptoe.errors import SettingsError
from tiptoe.url.address import host_of

__all__ = ["audit_command"]

NOT_JUDGED = 2


def audit_command(
    directory: Annotated[Path, Parameter(help="Directory of the crawl.")] = Path("crawl"),
    host: Annotated[
        str, Parameter(help="Report on this host only, as one can send it to its webmaster.")
    ] = "",
    *,
    html: Annotated[Path | None, Parameter(help="Write the report as one HTML page to this file.")] = None,
    as_json: Annotated[bool, Parameter(name="--json", help="Print JSON.", negative="")] = False,
) -> int:
    """Check the request log of a crawl against every rule of politeness."""
    if host:
        host = host_meant(host_of(host) if "://" in host else host)
    with Progress(
        TextColumn("reading the request log"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty(),
    ) as progress:  # fmt: skip
        task = progress.add_task("audit", total=None)
        done = audit(
            directory,
            host,
            total=lambda size: progress.update(task, total=size),
            read=lambda size: progress.advance(task, size),
        )
    if html is not None:
        _write(html, audit_page(done))
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


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8", errors="replace")
    except OSError as problem:
        raise SettingsError(f"--html {path}: cannot be written: {problem.strerror}") from None


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
