"""How far has the conversion of a crawl progressed?

The answer is in one small file; replacing it commits a batch of documents as
converted. It says how much of each list is done, and how much of each corpus file
belongs to that; `mend` cuts off the rest.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tiptoe.errors import CorruptFile, CrawlerError
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.contents import whole_lines_end
from tiptoe.write.numbered_files import rename_finished
from tiptoe.write.output_kinds import CONVERTED_TEXTS
from tiptoe.write.replacing import replace_lines

__all__ = ["CONVERTED", "Progress", "held", "load", "mend", "store"]

CONVERTED = "converted"
"""Counter of converted documents; every other counter is a reason why there is no text."""

FILE = Path("state", "convert.json")
LOCK = Path("state", "convert.lock")
NAME = re.compile(r"converted-(\d+)-\d+-\d{5,}\.jsonl", re.ASCII)


class Progress(msgspec.Struct):
    """What has been converted."""

    generation: int = 1  # of texts; a new one begins when all documents are converted again
    run: int = 0
    batch: int = 0
    lists: dict[str, int] = {}  # bytes of each list whose documents are converted
    marks: dict[str, int] = {}  # bytes of each open corpus file that belong to them
    counts: dict[str, int] = {}  # documents by result
    types: dict[str, int] = {}  # texts by media type
    links: int = 0

    @property
    def prefix(self) -> str:
        """Prefix of the names of this run's corpus files."""
        return f"{CONVERTED_TEXTS.stem}{self.generation:03d}-{self.run:04d}"

    def count(self, what: str) -> None:
        """Count a document with this result."""
        self.counts[what] = self.counts.get(what, 0) + 1


def load(directory: Path) -> Progress:
    """Return the progress of earlier runs."""
    path = directory / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Progress)
    except FileNotFoundError:
        return Progress()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorruptFile(path, offset=0, found=f"no progress of a conversion ({error})") from error


def store(directory: Path, progress: Progress) -> None:
    """Commit: everything before these marks counts from now on, even after a power cut."""
    replace_lines(directory / FILE, [msgspec.json.encode(progress)])


def mend(directory: Path, progress: Progress) -> dict[str, int]:
    """Cut the texts of a killed run back to what is committed; remove those of earlier generations.

    Return how many committed bytes are missing from which file.
    """
    lost = {}
    for path in CONVERTED_TEXTS.files(directory):
        name = path.name.removesuffix(OPEN_SUFFIX)
        match = NAME.fullmatch(name)
        if match is None:
            continue
        committed_name = f"{CONVERTED_TEXTS.folder}/{name}"
        mark = progress.marks.get(committed_name, 0)
        if int(match[1]) != progress.generation:
            path.unlink()
        elif path.name != name:
            if mark:
                whole = whole_lines_end(path, mark)
                if whole < mark:
                    lost[committed_name] = mark - whole
                os.truncate(path, whole)
                rename_finished(path)
            else:
                path.unlink()
    return lost


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Hold the lock on the conversion of this crawl's documents; CrawlerError if another process has it."""
    with (directory / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CrawlerError(f"{directory}: its documents are being converted already") from None
        yield
