"""Which rules for fields have stopped matching, and where?

Sites change without telling the authors of rules. So for each rule and host, the pages of the corpus on which
a field was looked for and found are counted; a rule is reported when it has found nothing for longer than
chance explains.
"""

import heapq
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.fields.rule_book import RuleBook
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.file_lines import open_listed
from tiptoe.url.address import host_of
from tiptoe.write.output_kinds import CORPUS

__all__ = ["FieldMatches", "MatchCount", "recent_matches"]

COUNTED_MAX: Final = 20_000
MISSES_KEPT: Final = 100
"""Maximum number of latest pages without the field whose times are kept per count, because the lines of a
corpus are not in order of time; beyond it, the number of misses is a lower bound."""

NEVER_MIN: Final = 10
"""Number of pages without a single match from which a rule is reported."""

SILENCE_MIN: Final = 5
CHANCE_MAX: Final = 0.001
"""A rule that used to match is reported after `SILENCE_MIN` or more misses in a row, if so many would have a
probability below `CHANCE_MAX` were it still matching as often."""

RECENT_BYTES: Final = 64 << 20


@dataclass(slots=True)
class MatchCount:
    """How often a rule has found its field on the pages of a host."""

    name: str  # of the rule and its field
    host: str
    pages: int = 0
    matched: int = 0
    first_at: str = ""
    matched_at: str = ""  # last match; empty: never
    misses: list[str] = field(default_factory=list)  # a heap

    def add(self, at: str, *, is_match: bool) -> None:
        """Count one page."""
        self.pages += 1
        self.first_at = min(self.first_at or at, at)
        if is_match:
            self.matched += 1
            self.matched_at = max(self.matched_at, at)
        elif len(self.misses) < MISSES_KEPT:
            heapq.heappush(self.misses, at)
        else:
            heapq.heappushpop(self.misses, at)

    @property
    def missed(self) -> int:
        """Number of pages without the field since it was last found; a lower bound if there are very many."""
        return sum(at > self.matched_at for at in self.misses) if self.matched else self.pages

    @property
    def has_stopped(self) -> bool:
        """Whether the rule no longer finds anything."""
        missed = self.missed
        if not self.matched:
            return missed >= NEVER_MIN
        missing_share = 1 - self.matched / max(self.pages - missed, self.matched)
        return missed >= SILENCE_MIN and missing_share**missed < CHANCE_MAX

    @property
    def text(self) -> str:
        """The report about a rule that no longer matches."""
        since = (self.matched_at or self.first_at)[:10]
        return f"rule {self.name}: matched 0 of {self.missed} pages of {self.host} since {since}"


class FieldMatches:
    """The counts of all rules of a crawl."""

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        self._counts: dict[tuple[str, str], MatchCount] = {}
        self.is_cut = False  # there are more rules and hosts than are counted

    def add(self, url: str, at: str, fields: Mapping[str, object] | None) -> None:
        """Count a document; one without fields was processed before there were rules."""
        if fields is None:
            return
        host = host_of(url)
        for rule in self._book.rules_for(url):
            for one in rule.fields:
                key = (f"{rule.name}.{one.name}", host)
                count = self._counts.get(key)
                if count is None:
                    if len(self._counts) >= COUNTED_MAX:
                        self.is_cut = True
                        continue
                    count = self._counts[key] = MatchCount(*key)
                count.add(at, is_match=fields.get(one.name) is not None)

    def counts(self) -> list[MatchCount]:
        """Return all counts: rules that no longer match first, then by number of pages."""
        return sorted(self._counts.values(), key=lambda one: (not one.has_stopped, -one.pages, one.name))

    @property
    def stopped(self) -> list[MatchCount]:
        """The rules that no longer find anything."""
        return [count for count in self.counts() if count.has_stopped]


class _FieldedDocument(msgspec.Struct):
    """The part of a line of the corpus that is needed here."""

    url: str
    fetched_at: str = ""
    fields: dict[str, object] | None = None


def recent_matches(
    directory: Path, book: RuleBook, members: Sequence[Path] = (), *, bytes_max: int = RECENT_BYTES
) -> FieldMatches:
    """Count the newest documents of a crawl, only as many as can be read quickly."""
    found = FieldMatches(book)
    decoder = CorpusDecoder(directory, _FieldedDocument, members)
    paths = [path for one in (directory, *members) for path in CORPUS.files(one)]
    for path in sorted(paths, key=_written_at, reverse=True):
        if bytes_max <= 0:
            break
        bytes_max -= _count_end(path, decoder, found, bytes_max)
    return found


def _written_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # it was renamed to its final name, and is skipped


def _count_end(
    path: Path, decoder: CorpusDecoder[_FieldedDocument], found: FieldMatches, bytes_max: int
) -> int:
    """Count the documents at the end of a file; return how many bytes were read."""
    try:
        file = open_listed(path)
    except OSError:
        return 0
    with file:
        size = file.seek(0, os.SEEK_END)
        start = file.seek(max(size - bytes_max, 0))
        if start:
            file.readline()  # the rest of a line
        for line in file:
            try:
                document = decoder.read(path, line.rstrip(b"\n"))
                found.add(document.url, document.fetched_at, document.fields)
            except (msgspec.DecodeError, ValueError, LookupError):
                continue  # torn or damaged: the statistics report it
    return size - start
