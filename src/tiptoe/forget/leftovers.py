"""What else has a process left behind that was killed?

Files that were about to take the place of others, and notes of which page was being read: nobody looks at
them any more, or only the next run does, and yet they may tell of what is to be forgotten.
"""

from pathlib import Path
from typing import Final

from tiptoe.url.wish import Wish
from tiptoe.write.output_kinds import output_folders

__all__ = ["remove_leftovers"]

UNFINISHED: Final = ("*.part", "*.round-*")
BUSY: Final = "state/*.busy"


def remove_leftovers(directory: Path, wish: Wish) -> None:
    """Remove what is unfinished, in a directory that nobody works on, and notes about what is meant."""
    for folder in ("state", *output_folders()):
        for pattern in UNFINISHED:
            for path in (directory / folder).rglob(pattern):
                path.unlink(missing_ok=True)
    for note in directory.glob(BUSY):
        url = note.read_bytes().split(b"\n", 1)[0].strip(b"\0").decode("utf-8", "replace")
        if wish.covers(url):
            note.unlink(missing_ok=True)
