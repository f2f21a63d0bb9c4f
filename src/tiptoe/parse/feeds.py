"""Which pages does a feed announce?

RSS (0.9 to 2.0, also as RDF) and Atom, read by element names, ignoring namespaces; and JSON Feed. As safe as
`sitemaps.py`: broken files are read as far as possible, sizes are bounded, nothing is expanded or fetched.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

import msgspec

from tiptoe.parse.moments import moment_of
from tiptoe.parse.xmlitems import XmlItem, read_items
from tiptoe.parse.xmltags import HOLE, attribute, decode_xml, root_attribute, root_name

__all__ = ["FEED_ROOTS", "FeedEntry", "entry_address", "entry_moment", "read_feed", "read_feed_text"]

URL_CHARS_MAX = 2048
FEED_ROOTS = frozenset({"rss", "feed", "rdf", "channel"})
NO_FEED_ROOTS = frozenset({"", "html", "head", "body", "urlset", "sitemapindex"})
MOMENT_NAMES = ("updated", "modified", "date", "pubdate", "published", "issued")
"""Names of elements with dates, in order of preference: dates of changes before that of publication."""
PAGE_RELATIONS = ("", "alternate", "http://www.iana.org/assignments/relation/alternate")
"""Relations of a link to the page of its entry (RFC 4287, 4.2.7.2)."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One page that a feed announces."""

    url: str  # as written, perhaps relative
    updated_at: float | None = None  # seconds since 1970, UTC


class _JsonItem(msgspec.Struct):
    """One page, as JSON Feed lists it."""

    url: str | None = None
    date_modified: str | None = None
    date_published: str | None = None


class _JsonFeed(msgspec.Struct):
    items: list[_JsonItem] = []


def read_feed(body: bytes, urls_max: int = 1000, bytes_max: int = 10 * 1024 * 1024) -> list[FeedEntry]:
    """Read the entries of a feed, each URL once; none if it is not a feed."""
    text = decode_xml(body[:bytes_max]).lstrip("\ufeff \t\r\n")
    if text.startswith("{"):
        return _read_json(text, urls_max)
    return [] if root_name(text) in NO_FEED_ROOTS else read_feed_text(text, urls_max)


def read_feed_text(text: str, urls_max: int) -> list[FeedEntry]:
    """Read the entries of a decoded feed, each URL once."""
    entries: dict[str, FeedEntry] = {}
    base = root_attribute(text, "base")

    def take(item: XmlItem) -> bool:
        url = entry_address(item, base)
        if url is not None and url not in entries:
            entries[url] = FeedEntry(url, entry_moment(item))
        return len(entries) < urls_max

    read_items(text, ("item", "entry"), take)
    return list(entries.values())


def entry_address(item: XmlItem, base: str) -> str | None:
    """Return the URL of an entry's page, resolved against the base of its feed."""
    url = next((link for link in _links(item) if 0 < len(link) <= URL_CHARS_MAX), None)
    return None if url is None else _joined(_joined(base, attribute(item.attributes, "base")), url)


def _read_json(text: str, urls_max: int) -> list[FeedEntry]:
    try:
        items = msgspec.json.decode(text, type=_JsonFeed).items
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return []
    found: dict[str, FeedEntry] = {}
    for item in items[:urls_max]:
        if item.url and len(item.url) <= URL_CHARS_MAX:
            found.setdefault(
                item.url, FeedEntry(item.url, moment_of(item.date_modified or item.date_published or ""))
            )
    return list(found.values())


def _links(item: XmlItem) -> Iterator[str]:
    """Yield the URLs an entry may have, best first."""
    others: list[str] = []  # links of extensions, and to other forms of the page
    permalinks: list[str] = []
    names: list[str] = []  # identifiers, which need not be links (RSS 2.0) but may look like URLs
    for child in item.children:
        if child.name == "link":
            if child.text:
                yield child.text
            elif child.attribute("rel").lower() in PAGE_RELATIONS:
                address, form = child.attribute("href"), child.attribute("type").lower()
                if child.prefix in ("", item.prefix) and "html" in (form or "html"):
                    yield address
                others.append(address)
        elif child.name == "guid":
            is_name = child.attribute("ispermalink").lower() == "false"
            (names if is_name else permalinks).append(child.text)
        elif child.name == "content":  # of Atom; `src` if the content is elsewhere (RFC 4287, 4.1.3.2)
            permalinks.append(child.attribute("src"))
    yield from others
    about = attribute(item.attributes, "about")  # RSS 1.0
    for address in (*permalinks, about, *names):
        if address.lower().startswith(("http:", "https:")) and HOLE not in address:
            yield address


def _joined(base: str, address: str) -> str:
    """Resolve a URL against `xml:base`, which may itself be relative."""
    try:
        return urljoin(base, address) if base else address
    except ValueError:  # an invalid host
        return address


def entry_moment(item: XmlItem) -> float | None:
    """Return when an entry was last changed, if it says so."""
    moments: dict[str, float] = {}
    for child in item.children:
        if child.name in MOMENT_NAMES and child.name not in moments:
            moment = moment_of(child.text)
            if moment is not None:
                moments[child.name] = moment
    return next((moments[name] for name in MOMENT_NAMES if name in moments), None)
