"""Which word of a command line is the directory of the crawl?

Some commands have it first (`tiptoe history DIR URL`), others last (`tiptoe why HOST DIR`). Either order is
understood where only one of the two words can be the directory.
"""

import shlex
import sys
from pathlib import Path

from tiptoe.errors import SettingsError
from tiptoe.observe.crawl_marker import DEFAULT_DIRECTORY, MARKER, no_crawl

__all__ = ["as_typed", "is_crawl", "told_apart"]


def is_crawl(word: str | Path) -> bool:
    """Whether a word of the command line names the directory of a crawl, or what was gathered of one."""
    path = Path(word)
    return (path / MARKER).is_file() or (path / "log").is_dir() or (path / "corpus").is_dir()


def told_apart(command: str, directory: Path, other: str, *, is_last: bool) -> tuple[Path, str]:
    """Return the directory of the crawl and the other word, whichever of the two came first.

    Raise SettingsError when the other word is the directory and this one can be nothing else. `is_last`:
    where the command has its directory.
    """
    if not other or is_crawl(directory) or not is_crawl(other):
        return directory, other
    typed = as_typed(directory)
    if is_last and directory == DEFAULT_DIRECTORY:
        meant = shlex.join(["tiptoe", *command.split(), "TARGET", other])
        raise SettingsError(f"{other} is the directory of a crawl; name a host or page too, as in `{meant}`")
    if is_last and not _looks_like_target(typed):  # rather a directory with a slip of the pen
        raise no_crawl(Path(typed))
    return Path(other), typed


def _looks_like_target(word: str) -> bool:
    """Whether a word may be a host, an address or a pattern of them."""
    return any(sign in word for sign in ".:/*")


def as_typed(directory: Path) -> str:
    """Return the word that a directory was named by: as a path, an address loses slashes."""
    return next((word for word in sys.argv[1:] if Path(word) == directory), str(directory))
