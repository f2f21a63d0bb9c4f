"""Which requests of a log were cut off by the death of their harvester?

They were made, so they count as requests, but no line of the log says when they ended or what came of
them: there is only the note that each had beside the log while it was under way.
"""

from pathlib import Path

import msgspec

from tiptoe.write.underway import Begun, read_underway

__all__ = ["cut_off"]

TAIL_BYTES = 64 * 1024


class _Ended(msgspec.Struct):
    """What tells a request from others."""

    visit: str
    url: str


def cut_off(log: Path) -> list[Begun]:
    """Return the requests that were under way when the writer of a log died; none while it lives."""
    try:
        begun = read_underway(log.with_suffix(".underway"))
    except FileNotFoundError:
        return []
    # A note may outlive the line it was followed by, but only the very last one.
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
