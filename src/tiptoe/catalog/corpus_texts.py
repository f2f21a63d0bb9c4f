"""How does an index get the text of a page that it does not store itself?

From the line of the corpus that the page was read from. The corpus is on the same disk, so a second copy
would only take space, and much of the time to build a catalog. A line may no longer be there: its file was
moved away, repaired, or a page before it was forgotten. Then the text is missing until the next update of the
catalog; its first characters are stored with the page, and are shown instead.
"""

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import msgspec

from tiptoe.catalog.entry import CatalogEntry, CorpusText, TextPlace, main_text
from tiptoe.observe.crawl_members import member_directories
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.write.appendfile import OPEN_SUFFIX

__all__ = ["CorpusTexts", "corpus_file_name", "without_text"]


def corpus_file_name(directory: Path, path: Path) -> str:
    """Return the final name of a file of a crawl, relative to its directory."""
    return os.path.relpath(path, directory).removesuffix(OPEN_SUFFIX)


def without_text(entry: CatalogEntry) -> CatalogEntry:
    """Return an entry as it is stored: without the text if that can be read from the corpus."""
    if entry.text_at is None:
        return entry
    return msgspec.structs.replace(entry, described=msgspec.structs.replace(entry.described, full_text=""))


class CorpusTexts:
    """Reads texts of pages from the corpus of a crawl."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def with_text(self, entry: CatalogEntry) -> CatalogEntry:
        """Return a stored entry with its text; without it, if the corpus no longer has it."""
        if entry.text_at is None:
            return entry
        text = self._text(entry, entry.text_at)
        described = msgspec.structs.replace(entry.described, full_text=text)
        return msgspec.structs.replace(entry, described=described)

    def _text(self, entry: CatalogEntry, place: TextPlace) -> str:
        path = self._directory / place.file
        try:
            document = self._decoder.read(path, _line(path, place))
        except (OSError, msgspec.DecodeError, ValueError, LookupError):
            return ""
        is_same = document.id == entry.record and document.url == entry.described.url
        return main_text(document) if is_same else ""

    @cached_property
    def _decoder(self) -> CorpusDecoder[CorpusText]:
        return CorpusDecoder(self._directory, CorpusText, member_directories(self._directory))


def _line(path: Path, place: TextPlace) -> bytes:
    try:
        return _part(path, place)
    except FileNotFoundError:
        with suppress(FileNotFoundError):
            return _part(path.with_name(path.name + OPEN_SUFFIX), place)
    return _part(path, place)  # it has got its final name in between


def _part(path: Path, place: TextPlace) -> bytes:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(file, place.length, place.offset)
    finally:
        os.close(file)
