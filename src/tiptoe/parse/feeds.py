"""Which pages does a feed announce?

RSS (0.9 to 2.0, also as RDF) and Atom, read by element names whatever their
namespace. Same safety as `sitemaps.py`: recovered, bounded, nothing expanded or fetched.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tiptoe.parse.moments import moment_of
from tiptoe.parse.xmlitems import Item, read_items
from tiptoe.parse.xmlrepair import ENTITY_MARK, XML_STARTS

__all__ = ["FeedEntry", "read_feed"]

URL_CHARS_MAX = 2048
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MOMENT_NAMES = ("updated", "modified", "date", "pubdate", "published", "issued")
"""Names of moments, the latest in a page's life first."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One page that a feed announces."""

    url: str  # as written, perhaps relative
    updated_at: float | None = None  # seconds since 1970, UTC


def read_feed(body: bytes, urls_max: int = 1000, bytes_max: int = 10 * 1024 * 1024) -> list[FeedEntry]:
    """Read the entries of a feed, each address once; what is no feed has none."""
    data = body[:bytes_max].removeprefix(BYTE_ORDER_MARK).lstrip()
    entries: dict[str, FeedEntry] = {}

    def take(item: Item) -> bool:
        url = next((link for link in _links(item) if 0 < len(link) <= URL_CHARS_MAX), None)
        if url is not None and url not in entries:
            entries[url] = FeedEntry(url, _updated_at(item))
        return len(entries) < urls_max

    if data.startswith(XML_STARTS):
        read_items(data, ("item", "entry"), take)
    return list(entries.values())


def _links(item: Item) -> Iterator[str]:
    """Yield the addresses an entry may have, best first."""
    fallback: list[str] = []
    for child in item.children:
        if child.name == "link":
            if child.text:
                yield child.text
            elif child.attributes.get("rel", "alternate") == "alternate":
                href = child.attributes.get("href", "")
                yield "" if ENTITY_MARK in href else href.strip()
        elif child.name == "guid" and child.attributes.get("isPermaLink") != "false":
            fallback.append(child.text if child.text.startswith(("http:", "https:")) else "")
    yield from fallback


def _updated_at(item: Item) -> float | None:
    moments: dict[str, float] = {}
    for child in item.children:
        if child.name in MOMENT_NAMES and child.name not in moments:
            moment = moment_of(child.text)
            if moment is not None:
                moments[child.name] = moment
    return next((moments[name] for name in MOMENT_NAMES if name in moments), None)
