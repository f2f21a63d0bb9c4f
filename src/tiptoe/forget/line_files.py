"""Which lines of a file are covered by a wish, and how are they removed?

Lines are cut out, so that files get shorter; in lists whose readers rely on byte offsets they become blank.
Later ratings refer to their document by its offset, which is updated by the document's id.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.url.wish import Wish
from tiptoe.write.archive import Advance
from tiptoe.write.output_kinds import UNREADABLE, FileForm, OutputKind
from tiptoe.write.ratings import late_path, read_late
from tiptoe.write.replacing import replace_lines

__all__ = ["LinesMeant", "Text", "lines_meant", "realign_ratings", "take_out"]

COPY_BYTES: Final = 1 << 20
LINE_BYTES_MAX: Final = 256 << 20


class Text(msgspec.Struct, gc=False):
    """The needed fields of a line: its URL, and the text, if there is one."""

    url: str
    paragraphs: list[str] = []


class _Identified(msgspec.Struct, gc=False):
    id: str


@dataclass(slots=True)
class LinesMeant:
    """The stretches of lines that are to be removed."""

    stretches: list[tuple[int, int]] = field(default_factory=list)  # adjacent ones joined
    count: int = 0

    @property
    def size(self) -> int:
        """Their total size in bytes."""
        return sum(end - start for start, end in self.stretches)

    def add(self, start: int, end: int) -> None:
        self.count += 1
        if self.stretches and self.stretches[-1][1] == start:
            self.stretches[-1] = (self.stretches[-1][0], end)
        else:
            self.stretches.append((start, end))


def lines_meant(
    path: Path, wish: Wish, decoder: CorpusDecoder[Text], *,
    taken: Callable[[Text], object] = lambda text: None, advance: Advance = lambda count: None,
) -> LinesMeant:  # fmt: skip
    """Return which lines of a file a wish covers; `taken` is called with each."""
    meant, needle = LinesMeant(), wish.host.encode()
    for start, line in _lines(path):
        advance(len(line))
        if needle not in line:  # most lines are not covered, and need not be decoded
            continue
        try:
            text = decoder.read(path, line)
        except UNREADABLE:
            continue
        if wish.covers(text.url):
            meant.add(start, start + len(line))
            taken(text)
    return meant


def take_out(path: Path, kind: OutputKind, meant: LinesMeant) -> None:
    """Remove these lines from a file, or blank them."""
    replace_lines(path, _others(path, meant, blanks=kind.form is FileForm.FIXED_LINES))


def realign_ratings(corpus_file: Path) -> None:
    """Update the offsets of later ratings, and drop ratings without a document."""
    late = {rating.id: rating for rating in read_late(corpus_file).values()}
    if not late:
        return
    decoder = CorpusDecoder(corpus_file.parent.parent, _Identified)
    kept = []
    for start, line in _lines(corpus_file):
        try:
            rating = late.get(decoder.read(corpus_file, line).id)
        except UNREADABLE:
            continue
        if rating is not None:
            kept.append(msgspec.structs.replace(rating, offset=start))
    replace_lines(late_path(corpus_file), (msgspec.json.encode(rating) + b"\n" for rating in kept))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb", buffering=COPY_BYTES) as file:
        at = 0
        while line := file.readline(LINE_BYTES_MAX):
            yield at, line
            at += len(line)


def _others(path: Path, meant: LinesMeant, *, blanks: bool) -> Iterator[bytes]:
    with path.open("rb") as file:
        end_of_file = file.seek(0, os.SEEK_END)
        at = 0
        for start, end in [*meant.stretches, (end_of_file, end_of_file)]:
            file.seek(at)
            while at < start and (piece := file.read(min(COPY_BYTES, start - at))):
                yield piece
                at += len(piece)
            if blanks:
                yield from _blank(path, start, end)
            at = end


def _blank(path: Path, start: int, end: int) -> Iterator[bytes]:
    """Yield blank lines of the same number and lengths."""
    with path.open("rb") as file:
        file.seek(start)
        while start < end and (line := file.readline(end - start)):
            yield b" " * (len(line) - 1) + b"\n"
            start += len(line)
