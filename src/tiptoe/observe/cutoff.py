"""Which requests of a log were cut off by the death of their harvester?

They were made, so they count as requests, but no line of the log says when they ended or with what result.
All that exists is the note kept beside the log while each was in progress.
"""

from pathlib import Path

import msgspec

from tiptoe.write.underway import Begun, read_underway

__all__ = ["cut_off"]

TAIL_BYTES = 64 * 1024


class _Ended(msgspec.Struct):
    """What identifies a request."""

    visit: str
    url: str


def cut_off(log: Path) -> list[Begun]:
    """Return the requests that were in progress when the writer of a log died; none while it lives."""
    try:
        begun = read_underway(log.with_suffix(".underway"))
    except FileNotFoundError:
        return []
    # A note may still exist after its line was written, but only that of the very last line.
    last = _last_line(log) if begun else b""
    return [one for one in begun if not _is_about(last, one)]


def _last_line(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        lines = file.read().split(b"\n")
    return lines[-2] if len(lines) > 1 else b""


def _is_about(last: bytes, begun: Begun) -> bool:
    try:
        ended = msgspec.json.decode(last, type=_Ended)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return ended.visit == begun.visit and ended.url.startswith(begun.url)
