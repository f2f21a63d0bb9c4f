"""What do the operator's filters see of an answer?

Pure: turns an answer, and what was read from it, into the facts that filters judge.
"""

import re
from typing import Final, NamedTuple, Protocol

from tiptoe.decide.filtering import FilteredPage, PageFilter
from tiptoe.fetch.outcome import Answer
from tiptoe.filters.resource import PageFacts
from tiptoe.parse.html import Page, read_page

__all__ = ["Filtering"]

COMMENT_BEGIN: Final = b"<!--"
WIDE: Final = ("utf-16", "utf-32")
"""Encodings in which ASCII words are not ASCII bytes."""

_LEFT_OUT: Final = re.compile(r"(?is)<!--\s*stopindex\s*-->.*?(?:<!--\s*startindex\s*-->|\Z)")
"""A part that the page asks robots not to index, between two comments."""

_STOP_COMMENT: Final = re.compile(rb"(?i)<!--\s*stopindex")

ITS_LINKS: Final = "about:blank#links"
"""Stands for the links of a document, which are unknown until it is converted."""

TEXT_BYTES_MAX: Final = 1_000_000
"""Number of bytes of a text file that are searched for URLs; the rest is ignored."""

LINE_CHARS_MAX: Final = 10_000


class ReadPage(Protocol):
    """The parts of a `Reading` that are needed here."""

    charset: str
    hrefs: list[str]  # that its owner permits us to follow


class Filtering(NamedTuple):
    """The operator's filters, and what they need to know about a request besides its answer."""

    filters: PageFilter
    depth: int
    address: str

    def judge_page(
        self, answer: Answer, page: Page, body: bytes, markup: str, read: ReadPage
    ) -> FilteredPage:
        """Return what the filters say about a page."""
        facts = self._facts(answer, body, read.charset)
        facts.meta, facts.headings, facts.title = page.meta, page.headings, page.title or ""
        facts.paragraphs = page.paragraphs
        if self.filters.describes and _has_stop_comment(body, markup, read.charset):
            indexed = read_page(_LEFT_OUT.sub(" ", markup), agent="")
            facts.paragraphs, facts.is_partial = indexed.paragraphs, True
        return self._judge(answer, facts, read.hrefs)

    def judge_document(self, answer: Answer, *, body: bytes, charset: str, is_text: bool) -> FilteredPage:
        """Return what the filters say about a document, which is not read here; text is searched for URLs."""
        facts = self._facts(answer, body, charset)
        if is_text:
            text = body[:TEXT_BYTES_MAX].decode("utf-8", "replace")
            facts.paragraphs = [line[:LINE_CHARS_MAX] for line in text.splitlines()]
        filtered = self._judge(answer, facts, [ITS_LINKS])
        filtered.resource = None  # its text is judged and described when it is converted
        filtered.leads_on = filtered.link_refusal is None and ITS_LINKS in filtered.links
        filtered.links = [link for link in filtered.links if link != ITS_LINKS]
        filtered.losses.clear()
        return filtered

    @staticmethod
    def _facts(answer: Answer, body: bytes, charset: str) -> PageFacts:
        text = answer.headers.get("content-type").partition(";")[0].strip().lower()
        return PageFacts(
            headers=answer.headers, media_type=text, charset=charset, body=body, moment=answer.started_at
        )

    def _judge(self, answer: Answer, facts: PageFacts, links: list[str]) -> FilteredPage:
        filtered = self.filters.judge(answer.url, self.depth, self.address, facts, links)
        facts.body = b""  # no longer needed; frees memory while the page waits to be written
        return filtered


def _has_stop_comment(body: bytes, markup: str, charset: str) -> bool:
    """Whether a page may contain a stop comment; searching the bytes is much faster than the markup."""
    if charset.startswith(WIDE):
        return _LEFT_OUT.search(markup) is not None
    place = body.find(COMMENT_BEGIN)
    while place >= 0:
        if _STOP_COMMENT.match(body, place):
            return True
        place = body.find(COMMENT_BEGIN, place + len(COMMENT_BEGIN))
    return False
