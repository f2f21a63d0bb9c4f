"""How does a word of the operator get into the request log when no harvester hears it?

A harvester notes what it is told in its own log. What is said while nobody runs goes to a log of its own,
`log/requests-operator-*.jsonl`, so that a report to a webmaster has it. No request stands there; its terms
are those of the last log, since they were in force until then.
"""

import time
from contextlib import suppress
from pathlib import Path

import msgspec

from tiptoe.errors import DiskFull
from tiptoe.write.logentries import Opening, Terms
from tiptoe.write.output_kinds import REQUEST_LOG
from tiptoe.write.requestlog import RequestLog

__all__ = ["log_order"]


def log_order(directory: Path, order: str, host: str = "") -> None:
    """Note a word of the operator; where nobody was ever asked, there is nobody to report to."""
    terms = _last_terms(directory)
    if terms is None:
        return
    log = RequestLog(directory, f"operator-{time.time_ns() // 1000:x}", terms=terms)
    log.write_order(order, host)
    with suppress(DiskFull):  # it is obeyed, though nobody can write it down
        log.close()


def _last_terms(directory: Path) -> Terms | None:
    """Return what the last log was written under."""
    openings = [opening for path in REQUEST_LOG.files(directory) if (opening := _opening(path)) is not None]
    return max(openings, key=lambda opening: opening.opened_at).terms if openings else None


def _opening(path: Path) -> Opening | None:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.readline(), type=Opening)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None  # there is nothing in it yet, or it is none of ours
