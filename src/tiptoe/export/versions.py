"""What did the collection look like at a given moment?

It had the last version of each page up to that moment, unless the page was gone by then. Versions of a
page may be in any file, in any order, so the corpus is read twice: once without the texts, to find out
which versions count, and once to write them. Each page takes 21 to 43 bytes of disk.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import xxhash

from tiptoe.errors import SettingsError
from tiptoe.export.corpus_documents import corpus_lines
from tiptoe.export.export_amounts import Omission
from tiptoe.export.hash_tables import LastMoments
from tiptoe.observe.crawl_members import member_files
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.file_lines import whole_lines
from tiptoe.write.archive import Advance
from tiptoe.write.corpus import Document
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import GONE_LIST

__all__ = ["AS_IT_IS", "Mirror", "mirror_bytes", "read_moment", "version_key"]

MICROSECOND = timedelta(microseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

AS_IT_IS = datetime.max.replace(tzinfo=UTC)
"""Everything that exists now, even if the clock of a harvester is ahead."""

# A moment in microseconds, shifted by two bits. At equal moments, that a page is gone counts as later.
TAKEN, GONE, SHIFT = 1, 2, 2


class _Version(msgspec.Struct):
    """The needed fields of a line of the corpus."""

    url: str
    fetched_at: str = ""


def read_moment(text: str, *, name: str = "--as-of") -> datetime:
    """Parse a moment: `now`, a day (its end), or a day and a time; in UTC.

    `name`: the option named in error messages.
    """
    if text.strip().lower() == "now":
        return AS_IT_IS
    try:
        if len(text.strip()) <= len("2026-12-31"):
            day = date.fromisoformat(text.strip()) + timedelta(days=1)
            return datetime(day.year, day.month, day.day, tzinfo=UTC) - MICROSECOND
        moment = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError):
        raise SettingsError(
            f"{name} {text}: expected now, a day such as 2026-12-31, or a moment such as 2026-12-31T18:00"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def mirror_bytes(*directories: Path) -> int:
    """Return how many bytes a mirror has to read besides the corpus itself."""
    files = member_files(GONE_LIST.files, *directories)
    return sum(path.stat().st_size for path in files if path.exists())


class Mirror:
    """The versions that make up the collection as of a moment."""

    def __init__(self, moments: LastMoments, as_of: datetime) -> None:
        self._moments = moments
        self._as_of = _microseconds(as_of)

    def learn(self, directory: Path, advance: Advance, members: Sequence[Path] = ()) -> None:
        """Find the last version of each page, and the pages that were gone."""
        decoder = CorpusDecoder(directory, _Version, members)
        for path, _, line in corpus_lines(directory, advance, members):
            try:
                version = decoder.read(path, line)
            except (msgspec.DecodeError, ValueError, LookupError):
                continue  # counted when its text is read
            self._note(version.url, _moment(version.fetched_at), 0)
        decode_gone = msgspec.json.Decoder(GonePage).decode
        for path in member_files(GONE_LIST.files, directory, *members):
            for line in whole_lines(path, advance):
                try:
                    gone = decode_gone(line)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue
                self._note(gone.url, _moment(gone.gone_at), GONE)

    def omission(self, document: Document) -> Omission | None:
        """Return why a document is not part of the collection; None if it is. Call once for each document."""
        key, moment = _key(document.url), _moment(document.fetched_at)
        last = self._moments.get(key)
        if moment > self._as_of or last is None or moment > last >> SHIFT:
            return Omission.LATER  # also if it was written while we read
        if last & GONE:
            return Omission.GONE
        if moment < last >> SHIFT or last & TAKEN:
            return Omission.REPLACED
        self._moments.note(key, last | TAKEN)
        return None

    def _note(self, url: str, moment: int, what: int) -> None:
        if moment <= self._as_of:
            self._moments.note(_key(url), moment << SHIFT | what)


def _key(url: str) -> int:
    return xxhash.xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"))


def version_key(document: Document) -> int:
    """Return a key for a version of a page; converted documents have no version, but a record each."""
    is_page = "html" in document.type
    name = f"{document.version} {document.url}" if is_page else document.id
    return xxhash.xxh3_64_intdigest(name.encode("utf-8", "surrogatepass"))


def _moment(text: str) -> int:
    """Return a moment in microseconds; 0 if there is none, as if it had existed from the beginning."""
    try:
        moment = datetime.fromisoformat(text)
        return _microseconds(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return 0


def _microseconds(moment: datetime) -> int:
    return max((moment - EPOCH) // MICROSECOND, 0)
