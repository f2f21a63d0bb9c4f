"""How is something forgotten in copies of other members' files?

Nobody writes to them but the process that gathers, and no database knows their sizes: so the lines and
records are removed, each file is replaced as a whole, and after an interruption all is done again. An
unfinished archive may end within a record; that end is cut off, and copied again when it is next gathered.
"""

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path

from tiptoe.forget.archive_files import exchanges_meant, fill_out, lines_kept
from tiptoe.forget.leftovers import remove_leftovers, thin_logs
from tiptoe.forget.line_files import Text, lines_meant, realign_ratings, take_out
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.url.wish import Wish
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.archive import records_in
from tiptoe.write.output_kinds import ARCHIVE, ARCHIVE_INDEX, CORPUS, DESCRIPTIONS, DOCUMENT_LIST, GONE_LIST
from tiptoe.write.replacing import replace_lines

__all__ = ["forget_in_copies"]

UNFINISHED = ("*/*.gathering", "*/*.withdrawn")
"""Copies under way, and files that their owner took back: their pages are in other files, or will be."""


def forget_in_copies(
    directory: Path, wish: Wish, *, now: float, step: Callable[[], object] = lambda: None
) -> None:
    """Remove what is covered from a directory with copies of another member's files."""
    for pattern in UNFINISHED:
        for path in directory.glob(pattern):
            path.unlink()
    remove_leftovers(directory, wish)
    decoder = CorpusDecoder(directory, Text)
    for kind in (CORPUS, DOCUMENT_LIST, GONE_LIST, DESCRIPTIONS):
        for path in kind.files(directory):
            meant = lines_meant(path, wish, decoder)
            if meant.count:
                step()
                take_out(path, kind, meant)
                if kind is CORPUS:
                    realign_ratings(path)
    for path in ARCHIVE.files(directory):
        _thin_archive(path, wish, now, step)
    for path in ARCHIVE_INDEX.files(directory):
        kept, count = lines_kept(path, wish)
        if count:
            step()
            replace_lines(path, kept)
    thin_logs(directory, wish, step)


def _thin_archive(path: Path, wish: Wish, now: float, step: Callable[[], object]) -> None:
    if path.name.endswith(OPEN_SUFFIX):
        _cut_broken_end(path)
    stretches = exchanges_meant(path, wish, by_index=False)  # the copy of its index may be older
    if stretches:
        step()
        fill_out(path, stretches, at=now)


def _cut_broken_end(path: Path) -> None:
    end = path.stat().st_size
    last = next(iter(deque(records_in(path, end), maxlen=1)), None)
    if last is not None and last.record is None:
        os.truncate(path, last.start)
