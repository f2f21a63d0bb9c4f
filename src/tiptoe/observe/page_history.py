"""What happened to one page over time?

Built from the archive's indexes, the corpus and the lists of pages that are gone: it has every
visit that left a trace. A *version* is a visit whose text entered the corpus.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

import msgspec

from tiptoe.errors import SettingsError
from tiptoe.observe.crawl_marker import expect_crawl
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.traces import corpus_lines_of, gone_lines_of, index_entries, similar_urls
from tiptoe.observe.visit_notes import read_note
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.canonical_rules import SCHEMES, CanonicalRules
from tiptoe.write.cdxj import IndexEntry
from tiptoe.write.corpus import Document
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import CONVERTED_TEXTS
from tiptoe.write.revisit_records import REVISIT_MIME
from tiptoe.write.surt import surt

__all__ = ["History", "Sighting", "What", "read_history"]

CHOICES_MAX = 5


class What(Enum):
    """What a visit found."""

    NEW = "new"  # the first version
    CHANGED = "changed"  # a further version
    UNCHANGED = "unchanged"
    HARDLY_CHANGED = "hardly changed"  # a different text, but not a new version by `revisit.change`
    GONE = "gone"
    MOVED = "moved"
    FAILED = "failed"  # a failure, which says nothing about the page
    NO_TEXT = "no text"  # an answer that did not enter the corpus


@dataclass(slots=True, kw_only=True)
class Sighting:
    """One visit that left a trace; unknown values are empty or 0."""

    seen_at: datetime
    what: What
    status: int = 0
    version: int = 0  # 0: its text is not in the corpus
    digest: str = ""  # of the body in the archive
    received_digest: str = ""  # of the received body, if different
    warc_file: str = ""
    warc_offset: int = 0
    warc_bytes: int = 0
    text_chars: int = 0
    reason: str = ""  # why the page counts as gone, if the status does not say
    text_at: tuple[Path, int, int] | None = None  # file, offset and length of the line in the corpus


@dataclass(frozen=True, slots=True)
class History:
    """A page, and its visits, the oldest first."""

    directory: Path
    url: str
    sightings: list[Sighting]
    members: Sequence[Path] = ()  # further directories of the same crawl

    def versions(self) -> list[int]:
        """Return the numbers of the versions whose text is known."""
        return [sighting.version for sighting in self.sightings if sighting.version]

    def document(self, version: int) -> Document:
        """Return the document of a version: its text and metadata."""
        for sighting in self.sightings:
            if sighting.version == version and sighting.text_at is not None:
                path, offset, length = sighting.text_at
                with path.open("rb") as file:
                    file.seek(offset)
                    return CorpusDecoder(self.directory, Document, self.members).read(path, file.read(length))
        known = ", ".join(map(str, self.versions())) or "none"
        raise SettingsError(f"version {version} of {self.url}: not in the corpus; versions there: {known}")


def read_history(directory: Path, typed: str, *, members: Sequence[Path] = ()) -> History:
    """Return everything known about a page; its URL may be given as people type it."""
    expect_crawl(directory)
    directories = (directory, *members)
    wanted = _canonical(typed)
    entries = list(index_entries(directories, surt(wanted)))
    url = _choose(wanted, {entry.url for entry in entries})
    own = [entry for entry in entries if entry.url == url]
    # If no archive contains the page, no file of the corpus can be ruled out.
    archives = _archives(own) if own else None
    found = [_sighting(entry) for entry in own]
    _add_texts(found, directories, url, archives)
    _add_gone(found, gone_lines_of(directories, url))
    if not found:
        similar = similar_urls(directories, url)
        hint = f"; did you mean {' or '.join(similar)}?" if similar else ""
        raise SettingsError(f"{url}: never visited, or no answer of it is kept in {directory}{hint}")
    found.sort(key=lambda sighting: sighting.seen_at)
    _number(found)
    _tell_changes(found, directories)
    return History(directory, url, found, members)


def _canonical(typed: str) -> str:
    """Return the canonical form of a URL."""
    form = Canonicalizer(CanonicalRules(schemes=frozenset(SCHEMES))).canonical
    url = form(typed.strip()) if "://" in typed else form(f"https://{typed.strip()}")
    if url is None:
        raise SettingsError(f"{typed}: not an address such as https://www.example.cz/page")
    return url


def _choose(wanted: str, known: set[str]) -> str:
    """Return which of the URLs under one key of the archive is meant."""
    if wanted in known or not known:
        return wanted
    if len(known) == 1:
        return known.pop()  # maybe with another scheme, or without www, but the only one
    shown = ", ".join(sorted(known)[:CHOICES_MAX])
    raise SettingsError(f"{wanted}: never visited, but {shown}; name one of them as it is")


def _archives(entries: Iterable[IndexEntry]) -> set[str]:
    """Return the WARC files that contain a page, and that of converted texts if it may be a document."""
    entries = list(entries)
    files = {entry.filename for entry in entries}
    if any("html" not in entry.mime and entry.mime != REVISIT_MIME for entry in entries):
        files.add(CONVERTED_TEXTS.stem)
    return files


def _sighting(entry: IndexEntry) -> Sighting:
    status = int(entry.status) if entry.status.isascii() and entry.status.isdigit() else 0
    return Sighting(
        seen_at=_stamp(entry.timestamp),
        what=What.UNCHANGED if entry.mime == REVISIT_MIME else _what(status),
        status=status,
        digest=entry.digest,
        warc_file=entry.filename,
        warc_offset=entry.offset,
        warc_bytes=entry.length,
    )


def _what(status: int) -> What:
    """Return what an answer means as long as no text from it is known; ftp and files have no status."""
    if status in (404, 410, 451):
        return What.GONE
    if 300 <= status < 400:
        return What.MOVED
    return What.FAILED if status >= 400 else What.NO_TEXT


def _add_texts(
    found: list[Sighting], directories: Sequence[Path], url: str, archives: set[str] | None
) -> None:
    """Record which visits have their text in the corpus."""
    decoder = CorpusDecoder(directories[0], Document, directories[1:])
    by_place = {(sighting.warc_file, sighting.warc_offset): sighting for sighting in found}
    for path, offset, line in corpus_lines_of(directories, url, archives):
        try:
            document = decoder.read(path, line)
        except (msgspec.DecodeError, ValueError, LookupError):
            continue
        sighting = by_place.get((document.warc_file, document.warc_offset)) if document.warc_file else None
        if sighting is None:
            sighting = Sighting(seen_at=_moment(document.fetched_at), what=What.NEW, digest=document.digest)
            found.append(sighting)
        sighting.seen_at = _moment(document.fetched_at)  # more precise: microseconds
        sighting.version = document.version
        sighting.text_chars = sum(map(len, document.paragraphs))
        sighting.text_at = (path, offset, len(line))


def _add_gone(found: list[Sighting], gone: Iterable[GonePage]) -> None:
    """Record when the page was gone; with robots.txt as the reason there may be no answer."""
    by_moment = {(sighting.seen_at.replace(microsecond=0), sighting.status): sighting for sighting in found}
    for page in gone:
        moment = _moment(page.gone_at)
        sighting = by_moment.get((moment.replace(microsecond=0), page.status))
        if sighting is None:
            sighting = Sighting(seen_at=moment, what=What.GONE, status=page.status)
            found.append(sighting)
        sighting.seen_at, sighting.what, sighting.reason = moment, What.GONE, page.reason


def _number(found: list[Sighting]) -> None:
    """Make version numbers unique and increasing: converted documents have none of their own."""
    last = 0
    for sighting in found:
        if sighting.version:
            sighting.what = What.CHANGED if last else What.NEW
            last = sighting.version = max(sighting.version, last + 1)


def _tell_changes(found: list[Sighting], directories: Sequence[Path]) -> None:
    """Record, for visits without a version, whether they received different bytes and a different text."""
    if not any(sighting.what is What.UNCHANGED for sighting in found):
        return
    text_hash = ""  # of the last version
    for sighting in found:
        if not sighting.warc_file or not (sighting.version or sighting.what is What.UNCHANGED):
            continue
        note = read_note(directories, sighting.warc_file, sighting.warc_offset)
        if sighting.version:
            text_hash = note.text_hash
        elif note.has_other_bytes:
            sighting.received_digest = note.received_digest
            if text_hash and note.text_hash and note.text_hash != text_hash:
                sighting.what = What.HARDLY_CHANGED


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _stamp(digits: str) -> datetime:
    try:
        return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
