"""Which news about a page counts when several arrive in any order?

The later one; for the same moment, that the page is gone. Fields that filters have given to a page stay with
it. News is gathered and compared with the contents of the index, some hundred pages at a time: so the order
in which files are read does not matter, nor whether something is read twice.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from tiptoe.catalog.catalog_index import Change, IndexWriter, KnownPage, ReadPosition, is_gone, rank_of
from tiptoe.catalog.description import ResourceDescription
from tiptoe.catalog.entry import CatalogEntry, page_number

__all__ = ["PageNews"]

BATCH_PAGES: Final = 500
BATCH_CHARS: Final = 4_000_000

Given = Mapping[str, tuple[str, ...]]


class _News(NamedTuple):
    """News about a page: its text, that it is gone (no text), or fields given to it."""

    number: int
    rank: int
    entry: CatalogEntry | None
    source: str
    given: Given | None = None
    url: str = ""


class _Recent(NamedTuple):
    """What was written about a page but not committed yet."""

    rank: int
    entry: CatalogEntry | None  # only if fields were given to it

    @property
    def is_out_of_sight(self) -> bool:
        """Whether the page has a text that cannot be read back before the commit."""
        return self.entry is None and not is_gone(self.rank)


class PageNews:
    """Takes in news about pages and writes what counts.

    `keeps_given`: there are fields given by filters, so the existing entries of pages must be read.
    """

    def __init__(self, writer: IndexWriter, *, keeps_given: bool = False) -> None:
        self._writer = writer
        self.keeps_given = keeps_given
        self._waiting: list[_News] = []
        self._put_off: list[_News] = []  # fields of pages whose text is out of sight
        self._chars = 0
        self._recent: dict[int, _Recent] = {}
        self.taken = 0  # since the last commit
        self.passed_over = 0  # older versions, in total

    def page(self, entry: CatalogEntry, source: str) -> None:
        """Take in the text of a page."""
        rank = rank_of(entry.moment, is_gone=False)
        self._take(_News(page_number(entry.described.url), rank, entry, source))
        self._chars += len(entry.described.full_text)

    def gone(self, url: str, moment: int, source: str) -> None:
        """Take in the news that a page is gone."""
        self._take(_News(page_number(url), rank_of(moment, is_gone=True), None, source))

    def fields(self, url: str, given: Given, moment: int, source: str) -> None:
        """Take in fields that were given to a page."""
        self.keeps_given = True
        rank = rank_of(moment, is_gone=False)
        self._take(_News(page_number(url), rank, None, source, given, url))

    def commit(self, positions: Mapping[str, ReadPosition]) -> None:
        """Write what counts, and commit it with these positions."""
        self._flush()
        if self._put_off:
            # With the old positions: after a kill between the two commits, all of it is read again.
            self._writer.commit(self._writer.positions())
            self._recent.clear()
            self._waiting, self._put_off = self._put_off, []
            self._flush()
        self._writer.commit(positions)
        self._recent.clear()
        self.taken = 0

    def _take(self, news: _News) -> None:
        self._waiting.append(news)
        self.taken += 1
        if len(self._waiting) >= BATCH_PAGES or self._chars >= BATCH_CHARS:
            self._flush()

    def _flush(self) -> None:
        waiting, self._waiting, self._chars = self._waiting, [], 0
        numbers = {news.number for news in waiting} - self._recent.keys()
        known = self._writer.known(numbers, with_entries=self.keeps_given)
        changes: dict[int, Change] = {}
        for news in waiting:
            recent = self._recent.get(news.number)
            if news.given is not None and recent is not None and recent.is_out_of_sight:
                self._put_off.append(news)
                continue
            before = self._before(news.number, known)
            change = self._change(news, before)
            if change is None:
                self.passed_over += 1
                continue
            changes[news.number] = change
            has_given = change.entry is not None and bool(change.entry.given)
            self._recent[news.number] = _Recent(change.rank, change.entry if has_given else None)
        self._writer.write(list(changes.values()))

    def _before(self, number: int, known: Mapping[int, KnownPage]) -> tuple[KnownPage | None, bool]:
        """Return what counts for a page so far, and whether the index has something about it."""
        recent = self._recent.get(number)
        if recent is not None:
            return KnownPage(recent.rank, recent.entry), True
        return known.get(number), number in known

    def _change(self, news: _News, before: tuple[KnownPage | None, bool]) -> Change | None:
        page, is_known = before
        if news.given is not None:
            return self._described(news, page, is_known=is_known)
        if page is not None and news.rank < page.rank:
            return None
        entry = news.entry
        if entry is not None and page is not None and page.entry is not None and page.entry.given:
            entry = msgspec.structs.replace(entry, given=page.entry.given, given_at=page.entry.given_at)
        return Change(news.number, news.rank, entry, news.source, is_known)

    def _described(self, news: _News, page: KnownPage | None, *, is_known: bool) -> Change | None:
        """Return a page with the fields given to it; without a text it is found only by these."""
        moment = news.rank >> 1
        given = dict(news.given or {})
        if page is not None and page.entry is not None:
            if moment < page.entry.given_at:
                return None
            entry = msgspec.structs.replace(page.entry, given=given, given_at=moment)
            return Change(news.number, page.rank, entry, news.source, is_known)
        if page is not None and news.rank < page.rank:
            return None  # it is gone since
        entry = CatalogEntry(
            described=ResourceDescription(url=news.url), moment=moment, given=given, given_at=moment
        )
        # With the lowest rank, so that any text of the page counts and keeps these fields.
        return Change(news.number, 0, entry, news.source, is_known)
