"""Which pages does a feed announce?

RSS (0.9 to 2.0, also as RDF) and Atom, read by element names whatever their
namespace. Same safety as `sitemaps.py`: recovered, bounded, nothing expanded or fetched.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from lxml import etree

from tiptoe.parse.sitemaps import end_elements, w3c_moment

__all__ = ["FeedEntry", "read_feed"]

URL_CHARS_MAX = 2048
MOMENT_CHARS_MAX = 60
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
    for element in end_elements(data, ("{*}item", "{*}entry")) if data.startswith(b"<") else ():
        url = next((link for link in _links(element) if 0 < len(link) <= URL_CHARS_MAX), None)
        if url is not None and url not in entries:
            entries[url] = FeedEntry(url, _updated_at(element))
            if len(entries) >= urls_max:
                break
    return list(entries.values())


def _links(element: Any) -> Iterator[str]:
    """Yield the addresses an entry may have, best first."""
    fallback: list[str] = []
    for child in element.iterchildren(tag=etree.Element):
        name = _bare_name(child)
        text = (child.text or "").strip()
        if name == "link":
            if text:
                yield text
            elif child.get("rel", "alternate") == "alternate":
                yield child.get("href", "").strip()
        elif name == "guid" and child.get("isPermaLink") != "false" and text.startswith(("http:", "https:")):
            fallback.append(text)
    yield from fallback


def _updated_at(element: Any) -> float | None:
    moments: dict[str, float] = {}
    for child in element.iterchildren(tag=etree.Element):
        name = _bare_name(child)
        if name in MOMENT_NAMES and name not in moments:
            moment = _moment((child.text or "").strip())
            if moment is not None:
                moments[name] = moment
    return next((moments[name] for name in MOMENT_NAMES if name in moments), None)


def _moment(text: str) -> float | None:
    """Return the moment of a W3C or a mail date."""
    if not 0 < len(text) <= MOMENT_CHARS_MAX:
        return None
    if text[:4].isdigit():
        return w3c_moment(text)
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return None


def _bare_name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2].lower()
