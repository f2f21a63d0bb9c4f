"""Which word of a command line is the directory of the crawl?

Some commands have it first (`tiptoe history DIR URL`), others last (`tiptoe why HOST DIR`). Either order is
understood where only one of the two words can be the directory.
"""

import shlex
import sys
from pathlib import Path

from tiptoe.errors import SettingsError
from tiptoe.observe.crawl_marker import DEFAULT_DIRECTORY, MARKER, no_crawl

__all__ = ["as_typed", "is_crawl", "target_and_directory"]


def is_crawl(word: str | Path) -> bool:
    """Whether a word of the command line names the directory of a crawl, or of files gathered from one."""
    path = Path(word)
    return (path / MARKER).is_file() or (path / "log").is_dir() or (path / "corpus").is_dir()


def target_and_directory(command: str, directory: Path, other: str, *, is_last: bool) -> tuple[Path, str]:
    """Return the directory of the crawl and the other word, in whichever order they were given.

    Raise SettingsError when the other word is the directory and this one cannot be the other argument.
    `is_last` says whether the command declares its directory last.
    """
    if not other or is_crawl(directory) or not is_crawl(other):
        return directory, other
    typed = as_typed(directory)
    if is_last and directory == DEFAULT_DIRECTORY:
        meant = shlex.join(["tiptoe", *command.split(), "TARGET", other])
        raise SettingsError(f"{other} is the directory of a crawl; name a host or page too, as in `{meant}`")
    if is_last and not _looks_like_target(typed):  # more likely a mistyped directory
        raise no_crawl(Path(typed))
    return Path(other), typed


def _looks_like_target(word: str) -> bool:
    """Whether a word may be a host, an address or a pattern of them."""
    return any(sign in word for sign in ".:/*")


def as_typed(directory: Path) -> str:
    """Return the word as the user typed it: in a path, a URL loses slashes."""
    return next((word for word in sys.argv[1:] if Path(word) == directory), str(directory))
