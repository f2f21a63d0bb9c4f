"""Where do the files of a crawl record its activity?

In its request logs, where lines appear immediately, and in the files of its corpus. They are followed as they
grow; of existing files the ends are read first, so that recent activity is shown from the start. Only reads.
"""

from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.observe.activity import Activity
from tiptoe.observe.file_lines import open_listed
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.output_kinds import CORPUS, REQUEST_LOG

__all__ = ["ActivityFiles"]

READ_BYTES_MAX: Final = 8 << 20
"""Maximum read from one file at a time; an earlier part of the file is skipped at first, and later growth
beyond it is read the next time."""

FILES_MAX: Final = 64
"""Maximum number of files of each kind; with more, only the newest are followed."""

ERROR_STATUS: Final = 400


class _Request(msgspec.Struct):
    ended_at: float
    host: str
    purpose: str
    status: int | None = None
    failure: str | None = None


class _TextAmount(msgspec.Struct):
    fetched_at: str
    paragraphs: list[str]


class ActivityFiles:
    """Follows the files of a crawl and counts the activity that they record."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._positions: dict[str, int] = {}  # by the final name of each file
        self._read_request = msgspec.json.Decoder(_Request).decode
        self._read_text = msgspec.json.Decoder(_TextAmount).decode

    def follow(self, activity: Activity, encoding: str = "utf-8") -> None:
        """Count what is new since the last call; on the first call, what was written last."""
        is_first = not self._positions
        for path in _newest(REQUEST_LOG.files(self._directory)):
            for line in self._new_lines(path, is_first):
                self._count_request(activity, line)
        for path in _newest(CORPUS.files(self._directory)):
            for line in self._new_lines(path, is_first):
                self._count_text(activity, line, encoding)

    def _count_request(self, activity: Activity, line: bytes) -> None:
        try:
            entry = self._read_request(line)
        except msgspec.DecodeError:
            return  # the log contains other lines too
        status = entry.status or 0
        activity.add_request(
            entry.ended_at,
            entry.host,
            is_page=entry.purpose == "page" and status == 200,
            has_failed=entry.failure is not None or (entry.purpose == "page" and status >= ERROR_STATUS),
        )

    def _count_text(self, activity: Activity, line: bytes, encoding: str) -> None:
        try:
            text = self._read_text(line if encoding == "utf-8" else line.decode(encoding))
            at = datetime.fromisoformat(text.fetched_at).timestamp()
        except (msgspec.DecodeError, ValueError):
            return  # damaged; `tiptoe repair` deals with that
        activity.add_text(at, sum(map(len, text.paragraphs)))

    def _new_lines(self, path: Path, is_first: bool) -> list[bytes]:
        name = path.name.removesuffix(OPEN_SUFFIX)
        try:
            with open_listed(path) as file:
                size = file.seek(0, 2)
                start = self._positions.get(name)
                is_cut = start is None and is_first and size > READ_BYTES_MAX
                start = size - READ_BYTES_MAX if is_cut else start or 0
                file.seek(start)
                found = file.read(READ_BYTES_MAX)
        except FileNotFoundError:
            return []  # removed since it was listed
        end = found.rfind(b"\n") + 1
        # An excessively long line is skipped; the rest of it cannot be read as a line.
        self._positions[name] = start + (end or (len(found) if len(found) == READ_BYTES_MAX else 0))
        lines = found[:end].splitlines()
        return lines[1:] if is_cut else lines


def _newest(paths: list[Path]) -> list[Path]:
    """Return the files that were written last, oldest first."""

    def written_at(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except FileNotFoundError:
            return 0.0

    return sorted(paths, key=written_at)[-FILES_MAX:]
