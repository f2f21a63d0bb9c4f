"""Which files may other programs read while a crawl runs, and how far?"""

from collections.abc import Mapping

from tiptoe.frontier.filemarks import FileMark, FileState, is_numbered
from tiptoe.write.output_kinds import DOCUMENT_LIST

__all__ = ["document_lists", "open_sizes"]


def document_lists(files: Mapping[str, FileMark]) -> dict[str, int]:
    """Return how many bytes of each list are committed: anything beyond may be cut off again."""
    return {
        name: mark.size
        for name, mark in files.items()
        if DOCUMENT_LIST.match(name) and mark.state is not FileState.AWAY
    }


def open_sizes(files: Mapping[str, FileMark]) -> dict[str, int]:
    """Return how many bytes of each unfinished numbered file are committed."""
    return {
        name: mark.size for name, mark in files.items() if mark.state is FileState.OPEN and is_numbered(name)
    }
