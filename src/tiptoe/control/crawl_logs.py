"""What has a crawl logged? The end of one of its event logs.

A log is chosen among the existing ones: a name in a request is compared, never opened as a path.
"""

from pathlib import Path
from typing import Final

__all__ = ["log_files", "log_tail"]

TAIL_BYTES: Final = 256 << 10
LINES_MAX: Final = 500
LINE_CHARS_MAX: Final = 1000


def log_files(directory: Path) -> list[str]:
    """Return the names of the event logs, the keeper's first, then the newest."""
    found = [path for path in (directory / "log").glob("*.log") if path.is_file() and not path.is_symlink()]
    found.sort(key=lambda path: (path.name != "keeper.log", -_changed_at(path)))
    return [path.name for path in found]


def log_tail(directory: Path, name: str, words: str = "") -> list[str] | None:
    """Return the last lines of a log that contain some words, newest last; None: there is no such log."""
    if name not in log_files(directory):
        return None
    try:
        with (directory / "log" / name).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            content = file.read(TAIL_BYTES)
    except OSError:
        return None
    lines = content.decode("utf-8", "replace").splitlines()[1 if size > TAIL_BYTES else 0 :]
    wanted = words.lower()
    return [line[:LINE_CHARS_MAX] for line in lines if wanted in line.lower()][-LINES_MAX:]


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
