"""What happened in this process, and when?

One line per event: moment, process, event, then facts as key=value. Lines begin
with the moment, so `sort -m log/*.log` merges the logs of all processes.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from tiptoe.observe.printable import printable

__all__ = ["EventLog"]


class EventLog:
    """Appends events to a file."""

    def __init__(self, process: str, file: TextIO) -> None:
        self._process = process
        self._file = file

    @classmethod
    def at(cls, path: Path, process: str) -> "EventLog":
        """Open the log of a process, for appending."""
        path.parent.mkdir(parents=True, exist_ok=True)
        return cls(process, path.open("a", encoding="utf-8", buffering=1))

    def note(self, event: str, **facts: object) -> None:
        """Write one event."""
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        text = " ".join(f"{key}={_plain(value)}" for key, value in facts.items())
        try:
            self._file.write(f"{moment} {self._process} {event} {text}".rstrip() + "\n")
        except OSError:
            return  # a full disk must not stop the crawl for the sake of its log

    def close(self) -> None:
        self._file.close()


def _plain(value: object) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    # Some texts come from the web, and people view logs on a terminal.
    text = printable(text.replace("\n", " "))
    return text if text and not any(c in text for c in ' "') else '"' + text.replace('"', "'") + '"'
