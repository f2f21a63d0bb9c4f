"""Which lists of documents may be converted, and how much of each?"""

from collections.abc import Mapping

from tiptoe.frontier.filemarks import FileMark, FileState
from tiptoe.write.documents import DOCUMENTS_FOLDER

__all__ = ["document_lists"]


def document_lists(files: Mapping[str, FileMark]) -> dict[str, int]:
    """Return how many bytes of each list are committed: bytes beyond may be taken back."""
    return {
        name: mark.size
        for name, mark in files.items()
        if name.startswith(f"{DOCUMENTS_FOLDER}/") and mark.state is not FileState.AWAY
    }
