"""What did the operator's end-of-crawl command print when it last ran?

The keeper writes each line of its output to its event log; here they are read back from the end of that log.
"""

import re
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.control.crawl_logs import log_tail

__all__ = ["EndCommandOutput", "read_end_command"]

LOG: Final = "keeper.log"
EVENT: Final = "end_command."
EVENTS: Final = ("said", "silenced", "done", "failed")
_LINE: Final = re.compile(
    rf"(?P<at>\S+) \S+ {re.escape(EVENT)}(?P<event>\w+)(?: \w+=(?P<fact>.*))?", re.ASCII
)


class EndCommandOutput(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the command."""

    command: str
    began_at: str
    lines: list[str]  # of its output
    lines_left_out: int
    is_over: bool
    fault: str  # why it failed; empty: it did not


def read_end_command(directory: Path) -> EndCommandOutput | None:
    """Return the output of its last run; None when it never ran, or too long ago."""
    found = [match for line in log_tail(directory, LOG, EVENT) or [] if (match := _LINE.fullmatch(line))]
    begins = [place for place, match in enumerate(found) if match["event"] == "begins"]
    if not begins:
        return None
    first, *rest = found[begins[-1] :]
    facts = {name: [_value(match) for match in rest if match["event"] == name] for name in EVENTS}
    return EndCommandOutput(
        command=_value(first),
        began_at=first["at"],
        lines=facts["said"],
        lines_left_out=sum(int(count) for count in facts["silenced"] if count.isdigit()),
        is_over=bool(facts["done"] or facts["failed"]),
        fault=next(iter(facts["failed"]), ""),
    )


def _value(match: "re.Match[str]") -> str:
    fact = match["fact"] or ""
    return fact[1:-1] if fact.startswith('"') and fact.endswith('"') and len(fact) > 1 else fact
