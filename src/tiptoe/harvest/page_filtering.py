"""What do the operator's filters get to see of an answer?

Pure: an answer, and what was read from it, become the facts that filters go by.
"""

import re
from dataclasses import dataclass
from typing import Final, Protocol

from tiptoe.decide.filtering import FilteredPage, PageFilter
from tiptoe.fetch.outcome import Answer
from tiptoe.filters.resource import PageFacts
from tiptoe.parse.html import Page, read_page

__all__ = ["Filtering"]

STOP_WORDS: Final = ("topindex", "TOPINDEX")
STOP_BYTES: Final = (b"topindex", b"TOPINDEX")
WIDE: Final = ("utf-16", "utf-32")
"""Encodings in which the bytes of a word are others."""

_LEFT_OUT: Final = re.compile(r"(?is)<!--\s*stopindex\s*-->.*?(?:<!--\s*startindex\s*-->|\Z)")
"""What a page asks robots to leave out of their index, between two comments."""

ITS_LINKS: Final = "about:blank#links"
"""Stands for the links of a document, which nobody knows before it is converted."""

TEXT_CHARS_MAX: Final = 1_000_000
"""Of a text file that is looked at for addresses."""

LINE_CHARS_MAX: Final = 10_000


class ReadPage(Protocol):
    """What was read of a page that matters here."""

    charset: str
    hrefs: list[str]  # that its owner lets us follow


@dataclass(frozen=True, slots=True)
class Filtering:
    """The operator's filters, and what they have to know of a request beside its answer."""

    filters: PageFilter
    depth: int
    address: str

    def judge_page(
        self, answer: Answer, page: Page, body: bytes, markup: str, read: ReadPage
    ) -> FilteredPage:
        """Say what comes of a page."""
        facts = self._facts(answer, body, read.charset)
        facts.meta, facts.headings, facts.title = page.meta, page.headings, page.title or ""
        facts.paragraphs = page.paragraphs
        if self.filters.describes and _has_stop_word(body, markup, read.charset):
            indexed = read_page(_LEFT_OUT.sub(" ", markup), agent="")
            facts.paragraphs, facts.is_partial = indexed.paragraphs, True
        return self._judge(answer, facts, read.hrefs)

    def judge_document(self, answer: Answer, *, body: bytes, charset: str, is_text: bool) -> FilteredPage:
        """Say what comes of a document that is not read here; plain text is looked at for addresses."""
        facts = self._facts(answer, body, charset)
        if is_text:
            text = body[:TEXT_CHARS_MAX].decode("utf-8", "replace")
            facts.paragraphs = [line[:LINE_CHARS_MAX] for line in text.splitlines()]
        filtered = self._judge(answer, facts, [ITS_LINKS])
        filtered.resource = None  # its text, and what is said of it, come when it is converted
        filtered.leads_on = filtered.link_refusal is None and ITS_LINKS in filtered.links
        filtered.links = [link for link in filtered.links if link != ITS_LINKS]
        filtered.losses.clear()
        return filtered

    @staticmethod
    def _facts(answer: Answer, body: bytes, charset: str) -> PageFacts:
        said = answer.headers.get("content-type").partition(";")[0].strip().lower()
        return PageFacts(
            headers=answer.headers, media_type=said, charset=charset, body=body, moment=answer.started_at
        )

    def _judge(self, answer: Answer, facts: PageFacts, links: list[str]) -> FilteredPage:
        filtered = self.filters.judge(answer.url, self.depth, self.address, facts, links)
        facts.body = b""  # nobody needs it any more, and pages wait in batches to be written
        return filtered


def _has_stop_word(body: bytes, markup: str, charset: str) -> bool:
    """Whether a page may leave something out; to look through bytes takes a fraction of the time."""
    if charset.startswith(WIDE):
        return any(word in markup for word in STOP_WORDS)
    return b"<!--" in body and any(word in body for word in STOP_BYTES)
