"""Which files make up a crawl that several machines have written?

Each agent has a directory of its own. Other members may have gathered copies of it that lag
a little behind: of files with the same name and the same beginning, the longest counts.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tiptoe.write.appendfile import OPEN_SUFFIX

__all__ = ["MEMBERS_FOLDER", "member_directories", "member_files"]

MEMBERS_FOLDER: Final = "members"
"""Folder of a crawl directory with what was gathered from other agents, a directory for each."""

HEAD_BYTES: Final = 4096
"""Number of bytes by which files of the same name are told apart; the first line says who wrote it when."""


def member_directories(directory: Path) -> list[Path]:
    """Return the directories of other agents that were gathered here, sorted by name."""
    folder = directory / MEMBERS_FOLDER
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def member_files(list_files: Callable[[Path], Iterable[Path]], *directories: Path) -> list[Path]:
    """Return the files of a kind in all directories, without copies, in the order of the directories."""
    if len(directories) == 1:
        return list(list_files(directories[0]))
    named: dict[str, list[Path]] = {}
    found: dict[Path, None] = {}
    for path in (path for directory in directories for path in list_files(directory)):
        namesakes = named.setdefault(path.name.removesuffix(OPEN_SUFFIX), [])
        copy = next((other for other in namesakes if _begin_alike(path, other)), None)
        if copy is None:
            namesakes.append(path)
            found[path] = None
        elif _size(path) > _size(copy):
            namesakes[namesakes.index(copy)] = path
            found[path] = found.pop(copy)
    return list(found)


def _begin_alike(one: Path, other: Path) -> bool:
    first, second = _head(one), _head(other)
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except FileNotFoundError:
        return b""  # it was given its final name after it was listed


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
