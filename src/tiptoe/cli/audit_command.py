"""`tiptoe audit`: did the crawl keep every rule, according to its own request log?"""

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from tiptoe.audit.auditor import Audit, audit
from tiptoe.audit.html_report import audit_page
from tiptoe.audit.text import report_lines, verdict
from tiptoe.cli.arguments import CRAWL_MARK, AsJson, Directory, Local
from tiptoe.cli.bar import Share, bar
from tiptoe.cli.crawl_meant import is_crawl, target_and_directory
from tiptoe.cli.section_printer import write_page
from tiptoe.cli.targets import host_meant
from tiptoe.cli.whole_crawl import whole_crawl
from tiptoe.cluster.file_protocol import FilePart
from tiptoe.errors import SettingsError
from tiptoe.url.address import host_of

__all__ = ["audit_command"]

NOT_JUDGED = 2


def audit_command(
    directory: Directory = Path("crawl"),
    *others: Annotated[
        str,
        Parameter(
            help="Further directories of the same crawl, from other machines; or a host, for a report on "
            "this host alone that you can send to its webmaster."
        ),
        CRAWL_MARK,
    ],
    host: Annotated[str, Parameter(help="Report on this host only.")] = "",
    local: Local = False,
    html: Annotated[Path | None, Parameter(help="Write the report as one HTML page to this file.")] = None,
    as_json: AsJson = False,
) -> int:
    """Check the request log of a crawl against every rule of politeness."""
    if len(others) == 1:
        directory, other = target_and_directory("audit", directory, others[0], is_last=False)
        others = (other,)
    further = [Path(word) for word in others if is_crawl(word)]
    hosts = [word for word in others if not is_crawl(word)] + [host] * bool(host)
    if len(hosts) > 1:
        raise SettingsError(f"{' and '.join(hosts)}: one host at a time; the others are no crawl directories")
    wanted = "".join(host_meant(host_of(word) if "://" in word else word) for word in hosts)
    crawl = whole_crawl(directory, further, [FilePart.LOGS], local=local)
    with bar("reading the request log", Share) as shown:
        done = audit(
            directory, wanted, members=crawl.members, missing=crawl.missing, limits=crawl.log_sizes,
            total=shown.expect, read=shown.advance,
        )  # fmt: skip
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
    return 0 if done.is_whole else NOT_JUDGED


def _as_json(done: Audit) -> dict[str, object]:
    figures, findings = done.figures, done.findings
    return {
        "verdict": verdict(done),
        "directories": [str(path) for path in (done.directory, *done.members)],
        "missing": list(done.missing),
        "host": done.host or None,
        "requests": figures.requests,
        "violations": findings.count,
        "unjudged": findings.unjudged,
        "unreadable_lines": done.damaged_lines,
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
