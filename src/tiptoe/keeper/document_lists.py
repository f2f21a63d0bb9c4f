"""Which lists of documents may be converted, and how much of each?"""

from collections.abc import Mapping

from tiptoe.frontier.filemarks import FileMark, FileState
from tiptoe.write.output_kinds import DOCUMENT_LIST

__all__ = ["document_lists"]


def document_lists(files: Mapping[str, FileMark]) -> dict[str, int]:
    """Return how many bytes of each list are committed: bytes beyond may be taken back."""
    return {
        name: mark.size
        for name, mark in files.items()
        if DOCUMENT_LIST.match(name) and mark.state is not FileState.AWAY
    }
