"""Request logs, written line by line, with the mistakes that a test wants."""

from pathlib import Path

import msgspec

from tiptoe.audit.auditor import Audit, audit
from tiptoe.audit.findings import Violation
from tiptoe.write.logentries import Opening, OrderEntry, RequestEntry, RobotsEntry, Terms, TermsEntry

TERMS = Terms(
    user_agent="tiptoe/0.1.0 (+https://example.org/bot)",
    agent="tiptoe",
    req_delay=5.0,
    max_hosts=2,
    max_reqs=3,
    general_pause=300.0,
    slow_factor=2.0,
    delay_max=60.0,
    retry_after_max=3600.0,
    backoff_first=60.0,
    robots_expiry=86_400.0,
)
BEGIN = 1_790_000_000.0
HOST = "a.example"
ADDRESS = "192.0.2.1"


class LogFile:
    """One log; moments are seconds after BEGIN."""

    def __init__(
        self,
        directory: Path,
        name: str = "h1-0001",
        *,
        terms: Terms | None = TERMS,
        opened: float = 0.0,
        counted: float | None = None,
    ) -> None:
        self.path = directory / "log" / f"requests-{name}.jsonl"
        self.name = name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        if terms is not None:
            self._write(
                Opening(
                    opened_at=BEGIN + opened,
                    counted=opened if counted is None else counted,
                    boot="boot-1",
                    harvester=name,
                    terms=terms,
                )
            )

    def ask(
        self,
        at: float,
        path: str = "/",
        *,
        host: str = HOST,
        address: str = ADDRESS,
        took: float = 0.25,
        visit: str = "1",
        purpose: str = "page",
        status: int | None = 200,
        delay: float = 5.0,
        **more: object,
    ) -> "LogFile":
        """Write the line of a request."""
        return self._write(
            RequestEntry(
                started_at=BEGIN + at,
                ended_at=BEGIN + at + took,
                host=host,
                address=address,
                url=f"http://{host}{path}",
                purpose=purpose,
                robots="allowed",
                delay=delay,
                visit=visit,
                harvester=self.name,
                status=status,
                bytes_received=100,
                **more,  # type: ignore[arg-type]
            )
        )

    def rules(
        self,
        at: float,
        *rules: tuple[bool, str],
        host: str = HOST,
        state: str = "rules",
        crawl_delay: float = 0.0,
    ) -> "LogFile":
        """Write what a robots.txt said."""
        origin = f"http://{host}"
        return self._write(
            RobotsEntry(read_at=BEGIN + at, origin=origin, state=state, crawl_delay=crawl_delay, rules=rules)
        )

    def order(self, at: float, order: str, host: str = "") -> "LogFile":
        """Write a word of the operator."""
        return self._write(OrderEntry(heard_at=BEGIN + at, order=order, host=host))

    def amend(self, at: float, terms: Terms) -> "LogFile":
        """Write that other terms hold."""
        return self._write(TermsEntry(since=BEGIN + at, terms=terms))

    def _write(self, entry: msgspec.Struct) -> "LogFile":
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(entry) + b"\n")
        return self


def welcome(directory: Path, *hosts: str, terms: Terms = TERMS) -> LogFile:
    """Return a log in which robots.txt of these hosts allow everything, read long before line 1 + hosts."""
    log = LogFile(directory, terms=terms)
    for host in hosts or (HOST,):
        log.rules(0.0, host=host)
    return log


def violations(directory: Path, host: str = "") -> list[Violation]:
    """Return everything that an audit finds."""
    found = audit(directory, host)
    assert found.findings.count == len(found.findings.kept)
    return found.findings.kept


def only(directory: Path) -> Violation:
    """Return the one thing that an audit finds."""
    (violation,) = violations(directory)
    return violation


def lines_of(violation: Violation) -> list[str]:
    return [str(place) for place in violation.lines]


def run(directory: Path, host: str = "") -> Audit:
    return audit(directory, host)
