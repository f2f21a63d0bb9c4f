"""Which wish was being carried out when the process was killed, and what has been forgotten so far?

There are two files. `state/forget.json` exists while a wish is carried out: it contains the wish, and the old
and new size of each file, written before the file is replaced. `forgotten.jsonl` is the permanent record: a
line for each wish, with counts and the reason, and nothing of what was removed.
"""

from pathlib import Path
from typing import Final

import msgspec

from tiptoe.errors import CorruptFile, CrawlerError
from tiptoe.forget.member_wishes import load_wishes
from tiptoe.frontier.wishes import NotedWish
from tiptoe.observe.crawl_marker import FORGOTTEN
from tiptoe.write.record import iso_date
from tiptoe.write.replacing import replace_durably

__all__ = [
    "FileChange", "Forgotten", "Journal", "expect_nothing_pending", "load_journal", "nothing_removed",
    "put_on_record", "records_of",
]  # fmt: skip

JOURNAL_FILE: Final = Path("state", "forget.json")


class FileChange(msgspec.Struct, frozen=True):
    """The replacement of a file."""

    before: int  # bytes
    after: int
    records: int  # how many are forgotten


class Journal(msgspec.Struct, kw_only=True):
    """A wish that is being carried out."""

    target: str
    reason: str
    wished_at: float
    pages: int = 0
    queued: int = 0
    catalogued: int = 0
    files: dict[str, FileChange] = {}

    def save(self, directory: Path) -> None:
        """Save it so that it survives a power cut."""
        replace_durably(directory / JOURNAL_FILE, msgspec.json.encode(self))

    def removed_from(self, folder: str, suffix: str = "") -> int:
        """Return how many records were removed from the files of a folder."""
        return sum(
            change.records
            for name, change in self.files.items()
            if name.startswith(f"{folder}/") and name.endswith(suffix)
        )


class Forgotten(msgspec.Struct, kw_only=True, frozen=True):
    """A line of the record: what was removed when, in numbers."""

    target: str
    reason: str
    wished_at: str  # ISO 8601, UTC
    forgotten_at: str
    documents: int  # texts of the corpus
    answers: int  # in the archive, with their requests
    listed: int  # documents that waited to be converted
    notes: int  # of pages that are gone, and descriptions by filters
    catalogued: int  # pages of the catalog
    pages: int  # that the database knew
    queued: int  # URLs that waited to be requested
    files: int  # that were rewritten
    files_away: list[str] = []  # that were away, so they could not be checked

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to remove."""
        counts = (self.documents, self.answers, self.listed, self.notes)
        return not any((*counts, self.catalogued, self.pages, self.queued))


def nothing_removed(wish: NotedWish, *, at: float) -> Forgotten:
    """Return the line of a crawl that had nothing of what is to be forgotten, such as one just taken over."""
    return Forgotten(
        target=wish.target, reason=wish.reason, wished_at=iso_date(wish.wished_at), forgotten_at=iso_date(at),
        documents=0, answers=0, listed=0, notes=0, catalogued=0, pages=0, queued=0, files=0,
    )  # fmt: skip


def load_journal(directory: Path) -> Journal | None:
    """Return the wish that is being carried out; None if there is none."""
    path = directory / JOURNAL_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Journal)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorruptFile(path, offset=0, found=f"not what is to be forgotten ({error})") from error


def expect_nothing_pending(directory: Path) -> None:
    """Raise CrawlerError if a wish was interrupted, so that nothing covered by it is passed on."""
    if (journal := load_journal(directory)) is not None:
        raise CrawlerError(
            f"{directory}: {journal.target} is still to be forgotten, somebody was interrupted; "
            f"`tiptoe forget --resume {directory}` goes on"
        )
    if waiting := load_wishes(directory).waiting:
        raise CrawlerError(
            f"{directory}: {waiting[0]} is still to be forgotten in these files: start the agent anew, which "
            f"does it first, or stop it and say `tiptoe forget --resume {directory}`"
        )


def put_on_record(directory: Path, line: Forgotten) -> None:
    """Add a line to the record, once, and end the journal."""
    path = directory / FORGOTTEN
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    known = [one for one in records_of(directory) if one.wished_at == line.wished_at]
    if line.target not in [one.target for one in known]:
        replace_durably(path, b"".join([*lines, msgspec.json.encode(line), b"\n"]))
    (directory / JOURNAL_FILE).unlink(missing_ok=True)


def records_of(directory: Path) -> list[Forgotten]:
    """Return the lines of the record, oldest first."""
    path = directory / FORGOTTEN
    found = []
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else []):
        try:
            found.append(msgspec.json.decode(line, type=Forgotten))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CorruptFile(path, offset=number, found=f"line {number + 1} is no record") from error
    return found
