"""Which word of a command line is the directory of the crawl?

Some commands have it first (`tiptoe history DIR URL`), others last (`tiptoe why HOST DIR`); whoever mixes
them up is told the line that was meant.
"""

import shlex
import sys
from pathlib import Path

from tiptoe.errors import SettingsError
from tiptoe.observe.crawl_marker import DEFAULT_DIRECTORY, MARKER

__all__ = ["is_crawl", "refuse_swapped"]


def is_crawl(word: str | Path) -> bool:
    """Whether a word of the command line names the directory of a crawl, or what was gathered of one."""
    path = Path(word)
    return (path / MARKER).is_file() or (path / "log").is_dir() or (path / "corpus").is_dir()


def refuse_swapped(command: str, directory: Path, other: str, *, is_last: bool) -> None:
    """Raise SettingsError if the other word is the directory, which is the last of the two or the first."""
    if not other or is_crawl(directory) or not is_crawl(other):
        return
    typed = _as_typed(directory)
    if is_last and directory == DEFAULT_DIRECTORY:
        meant = shlex.join(["tiptoe", command, "TARGET", other])
        raise SettingsError(f"{other} is the directory of a crawl; name a host or page too, as in `{meant}`")
    words = [typed, other] if is_last else [other, typed]
    meant = shlex.join(["tiptoe", command, *words])
    raise SettingsError(f"{typed}: no crawl lives there; did you mean `{meant}`?")


def _as_typed(directory: Path) -> str:
    """Return the word that a directory was named by: as a path, an address loses slashes."""
    return next((word for word in sys.argv[1:] if Path(word) == directory), str(directory))
