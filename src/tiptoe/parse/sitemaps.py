"""Which pages does a site say it has, and when did they change?

Reads the sitemaps.org forms: urlset, sitemapindex, plain text, each perhaps
gzipped. Broken XML gives what can be saved of it. No entity is expanded, no DTD
loaded, nothing fetched; input and output are bounded.
"""

import io
import math
import zlib
from dataclasses import dataclass, field

from tiptoe.parse.moments import moment_of
from tiptoe.parse.xmlitems import Item, read_items
from tiptoe.parse.xmlrepair import XML_STARTS

__all__ = ["Sitemap", "SitemapEntry", "read_sitemap"]

URL_CHARS_MAX = 2048  # by the sitemaps protocol
GZIP_MAGIC = b"\x1f\x8b"
INFLATE_STEP_BYTES = 1 << 16
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One page of a sitemap."""

    url: str  # as written, perhaps relative
    lastmod: float | None = None  # seconds since 1970, UTC
    priority: float | None = None  # 0 to 1


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Pages, and further sitemaps, in the order of the file."""

    entries: list[SitemapEntry] = field(default_factory=list)
    children: list[str] = field(default_factory=list)


def read_sitemap(body: bytes, urls_max: int = 50_000, bytes_max: int = 50 * 1024 * 1024) -> Sitemap:
    """Read a sitemap of any form; what is no sitemap is an empty one."""
    data = _inflated(body, bytes_max) if body.startswith(GZIP_MAGIC) else body[:bytes_max]
    data = data.removeprefix(BYTE_ORDER_MARK).lstrip()
    if data.startswith(XML_STARTS):
        return _read_xml(data, urls_max)
    return Sitemap(entries=_read_text(data, urls_max))


def _inflated(body: bytes, bytes_max: int) -> bytes:
    """Inflate up to the limit; a damaged end costs only what follows the damage."""
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    data = bytearray()
    rest = memoryview(body)
    while rest and not inflater.eof:
        piece, rest = rest[:INFLATE_STEP_BYTES], rest[INFLATE_STEP_BYTES:]
        try:
            data += inflater.decompress(piece, bytes_max - len(data))
        except zlib.error:
            break
        if len(data) >= bytes_max:
            break
    return bytes(data)


def _read_xml(data: bytes, urls_max: int) -> Sitemap:
    sitemap = Sitemap()

    def take(item: Item) -> bool:
        texts: dict[str, str] = {}
        for child in item.children:
            texts.setdefault(child.name, child.text)
        url = texts.get("loc", "")
        if 0 < len(url) <= URL_CHARS_MAX and item.name == "sitemap":
            sitemap.children.append(url)
        elif 0 < len(url) <= URL_CHARS_MAX:
            lastmod, priority = moment_of(texts.get("lastmod", "")), _priority(texts.get("priority", ""))
            sitemap.entries.append(SitemapEntry(url, lastmod, priority))
        return len(sitemap.entries) + len(sitemap.children) < urls_max

    read_items(data, ("url", "sitemap"), take)
    return sitemap


def _read_text(data: bytes, urls_max: int) -> list[SitemapEntry]:
    """Read one address a line; lines that are none are skipped, so a stray page gives nothing."""
    entries: list[SitemapEntry] = []
    for line in io.BytesIO(data):
        url = line[: URL_CHARS_MAX + 2].decode("utf-8", "replace").strip()
        if url.startswith(("http://", "https://")) and len(url) <= URL_CHARS_MAX and " " not in url:
            entries.append(SitemapEntry(url))
            if len(entries) >= urls_max:
                break
    return entries


def _priority(text: str) -> float | None:
    try:
        priority = float(text)
    except ValueError:
        return None
    return None if math.isnan(priority) else min(max(priority, 0.0), 1.0)
