"""How is a crawl rehearsed before it starts?

With `tiptoe rehearse`, using the settings it would start with, on a simulated web: no request leaves this
machine. Settings are left out if they name machines, files or programs, if they say when to begin or resume,
or if they are pauses, which would only make the rehearsal long.
"""

import shutil
from pathlib import Path
from typing import Final

from tiptoe.cluster.private_files import write_private
from tiptoe.control.crawl_launch import to_toml_file
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.setting_guard import FOR_ADMINISTRATORS, FROM_HERE_ONLY
from tiptoe.keeper.settings_file import recall

__all__ = ["REHEARSAL_SECONDS", "rehearsal_settings", "rehearsal_words", "remove_rehearsal"]

REHEARSAL_SECONDS: Final = 180.0
CRAWL_SECONDS: Final = 30
HOSTS: Final = 60
LEFT_OUT: Final = (FROM_HERE_ONLY - {"filters.dir"}) | FOR_ADMINISTRATORS | {
    "crawl.schedule", "crawl.on_end", "crawl.max_seconds", "catalog.enabled", "harvest.harvesters",
    "politeness.req_delay", "politeness.general_pause",
}  # fmt: skip


def rehearsal_settings(crawl: KnownCrawl) -> dict[str, object]:
    """Return the settings of a rehearsal."""
    given = {**(recall(crawl.directory) or {}), **crawl.settings}
    return {name: value for name, value in given.items() if name not in LEFT_OUT}


def rehearsal_words(crawl: KnownCrawl, folder: Path) -> list[str]:
    """Return the command that rehearses a crawl, in a folder of the server."""
    path = folder / f"rehearsal-{crawl.name}.toml"
    write_private(path, to_toml_file(rehearsal_settings(crawl)))
    return [
        "rehearse", str(path), "--fresh", "--hosts", str(HOSTS), "--max-seconds", f"{CRAWL_SECONDS}s",
        "--on-end", "quit", "--out", str(folder / f"rehearsal-{crawl.name}"),
    ]  # fmt: skip


def remove_rehearsal(crawl: KnownCrawl, folder: Path) -> None:
    """Remove the files of a rehearsal."""
    out = folder / f"rehearsal-{crawl.name}"
    shutil.rmtree(out, ignore_errors=True)
    for path in (out.with_name(f"{out.name}-arrivals.jsonl"), out.with_name(f"{out.name}.toml")):
        path.unlink(missing_ok=True)
