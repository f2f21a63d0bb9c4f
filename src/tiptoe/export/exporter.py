"""What happens between the corpus and the file?"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.export.amounts import Amounts
from tiptoe.export.duplicates import Dedup, by_document, by_paragraph, keep_all
from tiptoe.export.formats import FORMATS
from tiptoe.export.output import STANDARD_OUTPUT, Output
from tiptoe.export.reading import corpus_bytes, has_usability, read_documents
from tiptoe.export.seen import SeenHashes, seen_hashes
from tiptoe.export.selection import Selection
from tiptoe.write.corpus import Document

__all__ = ["DEDUPS", "Wish", "export"]

DEDUPS: Final[Mapping[str, Dedup]] = {"paragraph": by_paragraph, "document": by_document, "none": keep_all}

OWN_FOLDERS: Final = ("corpus", "warc", "log", "state")
"""What the crawl itself writes and reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be exported, and how."""

    directory: Path
    format: str
    out: Path
    selection: Selection
    dedup: str = "none"
    sentences: bool = False
    force: bool = False


def export(wish: Wish, advance: Callable[[int], object] = lambda count: None) -> Amounts:
    """Write the wanted documents to a file; `advance` hears how many bytes of the corpus were read."""
    _check(wish)
    amounts = Amounts()
    # Beside the output there is room for a corpus; where temporary files lie there may be none.
    scratch = None if wish.out == STANDARD_OUTPUT else wish.out.parent
    with Output(wish.out, force=wish.force) as output, seen_hashes(scratch) as seen:
        documents = _wanted(wish, seen, amounts, advance)
        FORMATS[wish.format].write(documents, output, wish.sentences)
    amounts.written_bytes = output.written_bytes
    return amounts


def _check(wish: Wish) -> None:
    """Raise SettingsError for what cannot be done, before anything is."""
    corpus_bytes(wish.directory)
    folders = [(wish.directory / name).resolve() for name in OWN_FOLDERS]
    if any(folder in wish.out.resolve().parents for folder in folders):
        raise SettingsError(f"--out {wish.out}: lies among the files of the crawl itself")
    if wish.selection.usability_min > 0.0 and not has_usability(wish.directory):
        raise SettingsError(
            f"--min-usability: no document in {wish.directory} has a usability; it comes from a segmenter"
        )


def _wanted(
    wish: Wish, seen: SeenHashes, amounts: Amounts, advance: Callable[[int], object]
) -> Iterator[Document]:
    """Yield what is left of the corpus after selection and deduplication."""
    without_known = DEDUPS[wish.dedup]
    for document in read_documents(wish.directory, amounts, advance):
        omission = wish.selection.omission(document)
        if omission is not None:
            amounts.omitted[omission].add(document)
            continue
        left = without_known(document, seen, amounts)
        if left is not None:
            amounts.written.add(left)
            yield left
