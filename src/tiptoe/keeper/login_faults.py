"""Which hosts did not let us in, and why?

Failed logins that harvesters report go into the log, the live display and the status, by host.
"""

from collections.abc import Iterable
from typing import Final

from tiptoe.decide.discard import Discard
from tiptoe.keeper.plan import RunRecord
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.printable import printable
from tiptoe.protocol.work import Report
from tiptoe.url.address import host_of

__all__ = ["note_login_faults"]

HOSTS_MAX: Final = 1_000
REASON_CHARS_MAX: Final = 300


def note_login_faults(reports: Iterable[Report], figures: RunRecord, log: EventLog) -> None:
    """Note each host for which a harvester reports a failed login."""
    for report in reports:
        for result in report.results:
            if result.discard == Discard.LOGIN_FAILED:
                _note(host_of(result.request.url), result.detail, figures, log)


def _note(host: str, detail: str, figures: RunRecord, log: EventLog) -> None:
    reason = printable(detail[:REASON_CHARS_MAX])  # the text may come from a page
    if figures.login_faults.get(host) == reason or len(figures.login_faults) >= HOSTS_MAX:
        return
    figures.login_faults[host] = reason
    log.note("login.failed", host=host, reason=reason)
    figures.notices.append(f"{host}: the login did not work: {reason}")
