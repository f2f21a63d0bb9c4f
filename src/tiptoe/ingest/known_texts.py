"""How much of a text is already in the corpus?

This uses the same index of paragraphs as a keeper. Since texts are read in order by one process, no claims
are needed. What a text adds is written with its batch.
"""

from struct import Struct
from typing import Final

from tiptoe.decide.discard import Discard
from tiptoe.decide.storing import CandidateText, StorePoint
from tiptoe.frontier.duplicity import Paragraphs, split_hashes
from tiptoe.harvest.judgement import DuplicityRules, TextJudgement, judge
from tiptoe.ingest.page_intake import ReadText
from tiptoe.store.tables import Rows, Table, Writes
from tiptoe.url.address import host_key, host_of

__all__ = ["KnownTexts"]

SITES_MAX: Final = 100_000
"""Maximum number of sites whose number of pages is cached; above it the cache is emptied."""

_PAGES = Struct(">Q")


class KnownTexts:
    """The texts of the corpus, by their paragraphs."""

    def __init__(self, rows: Rows, rules: DuplicityRules, store: StorePoint) -> None:
        self._rows = rows
        self._rules = rules
        self._store = store
        self._paragraphs = Paragraphs(rows)
        self._pages: dict[bytes, int] = {}  # by site

    def judge(self, text: ReadText) -> tuple[TextJudgement | None, Discard | None]:
        """Return the judgement on a text, None if its own crawl made it, and why it is left out, if it is."""
        if text.is_judged:
            return None, None
        url = text.document.url
        keys = split_hashes(text.hashes)
        self._paragraphs.load(keys)
        marks = self._paragraphs.look_part(
            url,
            keys,
            pages=self._pages_of(host_key(host_of(url))),
            has_whole=True,
            is_revisit=text.document.version > 1,
        )
        known = judge(text.fingerprint, marks, self._rules)
        return known, self._store.refusal(CandidateText(url, duplicity=known.duplicity))

    def learn(self, batch: Writes, text: ReadText, *, is_kept: bool) -> None:
        """Add a text to the index, whether it enters the corpus or was left out."""
        url = text.document.url
        is_revisit = text.document.version > 1
        self._paragraphs.learn(batch, url, text.hashes, is_kept=is_kept, is_revisit=is_revisit)
        site = host_key(host_of(url))
        pages = self._pages_of(site) + 1
        self._pages[site] = pages
        batch.put(Table.CONTENT, site, _PAGES.pack(pages))

    def committed(self) -> None:
        """Free memory after what was learned has been written."""
        self._paragraphs.committed()
        if len(self._pages) > SITES_MAX:
            self._pages.clear()

    def _pages_of(self, site: bytes) -> int:
        if site not in self._pages:
            row = self._rows.get(Table.CONTENT, site)
            self._pages[site] = int(_PAGES.unpack(row)[0]) if row else 0
        return self._pages[site]
