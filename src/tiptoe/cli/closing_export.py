"""Which export follows a crawl (`crawl.export`)?

`tiptoe export` in a process of its own, into the folder `export` of the crawl. There it may replace
what an earlier run has left: the operator keeps no files of their own in it.
"""

import subprocess
import sys
from pathlib import Path

from tiptoe.cli.exits import Exit
from tiptoe.cli.export_copy import COPY_FORMATS
from tiptoe.export.formats import FORMATS
from tiptoe.settings.layers import Settings

__all__ = ["EXPORT_FOLDER", "export_in_closing"]

EXPORT_FOLDER = "export"
CLOSED = (Exit.DONE, Exit.LIMIT)
"""Exit codes of a crawl that has something to export and was not merely interrupted."""


def export_in_closing(settings: Settings, ended: Exit, *, quiet: bool = False) -> Exit:
    """Export the results of a crawl as its settings say; return the exit code of both together."""
    chosen = settings.crawl.export
    if ended not in CLOSED:
        return ended
    directory = Path(settings.crawl.out)
    suffix = COPY_FORMATS.get(chosen) or FORMATS[chosen].suffix
    out = directory / EXPORT_FOLDER / f"{directory.resolve().name}{suffix}"
    out.parent.mkdir(exist_ok=True)
    words = ["export", "--directory", str(directory), "--format", chosen, "--out", str(out), "--force"]
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "-m", "tiptoe", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if quiet else None,
        check=False,
    )
    return ended if done.returncode in (Exit.DONE, Exit.TEXTLESS) else Exit.FAULT
