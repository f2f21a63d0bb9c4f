"""Where else are traces of something that is to be forgotten?

In event logs, line by line, and in what a killed process has left behind: files that were about to replace
others, and notes about the page that was being read. The request log stays, as evidence.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from tiptoe.url.wish import Wish
from tiptoe.write.output_kinds import output_folders
from tiptoe.write.replacing import replace_lines

__all__ = ["remove_leftovers", "thin_logs"]

UNFINISHED: Final = ("*.part", "*.round-*")
BUSY: Final = "state/*.busy"
EVENTS: Final = "log/*.log"
ADDRESS: Final = re.compile(r"[a-z]{3,5}://[^\s\"]+")
BEHIND: Final = ".,;:!?)]}'>"
"""Characters that may follow a URL in a sentence."""

NAME: Final = re.compile(r"[\w.-]+|\[[0-9a-f:.]+\]")


def remove_leftovers(directory: Path, wish: Wish) -> None:
    """Remove unfinished files and covered notes in a directory in which no other process works."""
    for folder in ("state", *output_folders()):
        for pattern in UNFINISHED:
            for path in (directory / folder).rglob(pattern):
                path.unlink(missing_ok=True)
    for note in directory.glob(BUSY):
        url = note.read_bytes().split(b"\n", 1)[0].strip(b"\0").decode("utf-8", "replace")
        if wish.covers(url):
            note.unlink(missing_ok=True)


def thin_logs(directory: Path, wish: Wish, step: Callable[[], object]) -> None:
    """Remove covered lines from the event logs."""
    needle = wish.host.encode()

    def is_about(line: bytes) -> bool:
        if needle not in line:
            return False
        text = line.decode("utf-8", "replace")
        urls, names = ADDRESS.findall(text), NAME.findall(text)
        return (
            any(wish.covers(url) or wish.covers(url.rstrip(BEHIND)) for url in urls)
            or any(wish.covers_host(name.strip(".")) for name in names)
        )  # fmt: skip

    for path in sorted(directory.glob(EVENTS)):
        with path.open("rb") as file:
            if not any(map(is_about, file)):
                continue
            file.seek(0)
            step()
            replace_lines(path, _others(file, is_about))


def _others(lines: Iterable[bytes], is_about: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Yield the lines that are not covered, nor indented below one: an excerpt of a text is below its URL."""
    covered_depth: int | None = None
    for line in lines:
        depth = len(line) - len(line.lstrip(b" "))
        if covered_depth is not None and depth > covered_depth:
            continue
        covered_depth = depth if is_about(line) else None
        if covered_depth is None:
            yield line
