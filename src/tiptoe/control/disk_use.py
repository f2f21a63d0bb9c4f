"""How much disk space does a crawl use, by folder?"""

import os
from pathlib import Path
from typing import Final

__all__ = ["disk_use"]

FOLDERS: Final = ("warc", "corpus", "documents", "catalog", "log", "state", "members")
FILES_MAX: Final = 50_000
"""Maximum files counted, because examining a million would take too long for a page."""


def disk_use(directory: Path) -> list[tuple[str, int]]:
    """Return the bytes in each folder of a crawl, largest first; links are not followed."""
    left = FILES_MAX
    found = []
    for name in FOLDERS:
        total = 0
        for folder, _, files in os.walk(directory / name):
            for file in files[:left]:
                try:
                    total += os.stat(os.path.join(folder, file), follow_symlinks=False).st_size
                except OSError:
                    continue  # gone since it was listed
            left = max(0, left - len(files))
        if total:
            found.append((name, total))
    return sorted(found, key=lambda pair: -pair[1])
