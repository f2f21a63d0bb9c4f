"""What do the entries of a feed say?

For feeds that are read for their texts: the longest of content, summary and description of each entry, as
HTML. As safe as `feeds.py`.
"""

from dataclasses import dataclass
from html import escape
from typing import Final

import msgspec

from tiptoe.parse.feeds import entry_address, entry_moment
from tiptoe.parse.moments import moment_of
from tiptoe.parse.xmlitems import Child, XmlItem, read_items
from tiptoe.parse.xmltags import decode_xml, root_attribute

__all__ = ["FeedText", "read_feed_texts"]

ENTRIES_MAX: Final = 50_000
TEXT_CHARS_MAX: Final = 5_000_000
TITLE_CHARS_MAX: Final = 500
TEXT_NAMES: Final = frozenset({"encoded", "content", "description", "summary", "body", "fulltext"})


@dataclass(frozen=True, slots=True)
class FeedText:
    """One entry."""

    url: str  # as written; empty: it has none
    title: str
    html: str
    updated_at: float | None


class _JsonEntry(msgspec.Struct):
    url: str | None = None
    title: str | None = None
    content_html: str | None = None
    content_text: str | None = None
    summary: str | None = None
    date_modified: str | None = None
    date_published: str | None = None


class _JsonEntries(msgspec.Struct):
    items: list[_JsonEntry] = []


def read_feed_texts(body: bytes) -> list[FeedText]:
    """Return the entries of a feed that have a text."""
    text = decode_xml(body).lstrip("\ufeff \t\r\n")
    if text.startswith("{"):
        return _read_json(text)
    found: list[FeedText] = []
    base = root_attribute(text, "base")

    def take(item: XmlItem) -> bool:
        texts = [_html_of(child) for child in item.children if child.name in TEXT_NAMES]
        html = max(texts, key=len, default="")
        if html:
            title = next((child.text for child in item.children if child.name == "title"), "")
            url = entry_address(item, base) or ""
            found.append(FeedText(url, title[:TITLE_CHARS_MAX], html, entry_moment(item)))
        return len(found) < ENTRIES_MAX

    read_items(text, ("item", "entry"), take, chars_max=TEXT_CHARS_MAX)
    return found


def _html_of(child: Child) -> str:
    """Return the text of a child as HTML; Atom declares plain text, RSS never does."""
    return escape(child.text) if child.attribute("type") in ("text", "text/plain") else child.text


def _read_json(text: str) -> list[FeedText]:
    try:
        items = msgspec.json.decode(text, type=_JsonEntries).items
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return []
    found = []
    for item in items[:ENTRIES_MAX]:
        html = item.content_html or escape(item.content_text or item.summary or "")
        moment = moment_of(item.date_modified or item.date_published or "")
        if html:
            found.append(FeedText(item.url or "", (item.title or "")[:TITLE_CHARS_MAX], html, moment))
    return found
