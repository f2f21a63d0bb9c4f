"""Which URLs were left alone, and in which file does one look?

Plain text, a URL a line: what robots.txt disallowed is part of the answer to a
webmaster, so the list is kept like the request log and never cut.
"""

import os
from pathlib import Path

from tiptoe.write.appendfile import AppendFile, Write

__all__ = ["UrlList"]


class UrlList:
    """Writes `log/<name>-<incarnation>.txt`."""

    def __init__(self, directory: Path, name: str, incarnation: str, *, write: Write = os.write) -> None:
        self._file = AppendFile(directory, f"log/{name}-{incarnation}.txt", suffix="", write=write)
        self.marks = self._file.marks
        self.acknowledge = self._file.acknowledge

    def add(self, url: str) -> None:
        """List one URL; it is written with the next flush."""
        self._file.append(url.encode("utf-8", "replace") + b"\n")

    def flush(self) -> None:
        """Hand what waits to the kernel."""
        self._file.flush()

    def close(self) -> None:
        """Write what waits and let go of the file."""
        self._file.flush()
        self._file.close()
