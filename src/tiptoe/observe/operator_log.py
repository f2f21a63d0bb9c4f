"""How does an order of the operator get into the request log when no harvester is running?

A harvester notes the orders it receives in its own log. Orders given while none is running go to a log of
their own, `log/requests-operator-*.jsonl`, so that a report to a webmaster includes them. It contains no
requests; its terms are those of the last log, which were in force until then.
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
    """Note an order of the operator, unless the crawl never made a request: then nobody needs a report."""
    terms = _last_terms(directory)
    if terms is None:
        return
    log = RequestLog(directory, f"operator-{time.time_ns() // 1000:x}", terms=terms)
    log.write_order(order, host)
    with suppress(DiskFull):  # the order is in force, even if it cannot be logged
        log.close()


def _last_terms(directory: Path) -> Terms | None:
    """Return the terms of the last log."""
    openings = [opening for path in REQUEST_LOG.files(directory) if (opening := _opening(path)) is not None]
    return max(openings, key=lambda opening: opening.opened_at).terms if openings else None


def _opening(path: Path) -> Opening | None:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.readline(), type=Opening)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None  # it is still empty, or not one of ours
