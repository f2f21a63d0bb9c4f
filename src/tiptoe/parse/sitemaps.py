"""Which pages does a site list, and when did they change?

Reads the sitemaps.org formats: urlset, sitemapindex and plain text, each possibly gzipped; and RSS and Atom,
which the protocol allows as well. From broken XML, all complete entries are read. No DTD is loaded, no entity
defined in it expanded, nothing fetched; input and output are bounded.
"""

import re
import zlib
from collections.abc import Container, Iterator
from dataclasses import dataclass, field

from tiptoe.parse.feeds import FEED_ROOTS, read_feed_text
from tiptoe.parse.moments import moment_of
from tiptoe.parse.xmlitems import XmlItem, read_items
from tiptoe.parse.xmltags import HOLE, decode_xml, root_name

__all__ = ["SITEMAP_ROOTS", "Sitemap", "SitemapEntry", "inflated", "read_sitemap"]

URL_CHARS_MAX = 2048  # by the sitemaps protocol
GZIP_MAGIC = b"\x1f\x8b"
INFLATE_STEP_BYTES = 1 << 16
GZIP_MEMBERS_MAX = 1000
GZIP_LAYERS_MAX = 3
JUNK_CHARS_MAX = 4096
"""Maximum number of characters before the markup of a sitemap: some programs print warnings there."""

SITEMAP_ROOTS = frozenset({"urlset", "sitemapindex"})
NO_SITEMAP_ROOTS = frozenset({"html", "head", "body"})

MARGIN = "\ufeff\u2060 \t\r\n\f\v\xa0" + "".join(map(chr, range(0x2000, 0x200E)))
"""Spaces of all kinds, including those without width."""
MARKUP_START = re.compile(
    r"<(?:\?xml|(?:\w{1,20}:)?(?:urlset|sitemapindex|rss|feed|rdf)[\s>])", re.IGNORECASE
)
HEAD_CHARS = 8192
OWN_PREFIX = re.compile(r"xmlns:(\w{1,20})\s*=\s*[\"']https?://www\.sitemaps\.org/schemas/sitemap/")
QUOTES = ('"', "'")
LINE_END = re.compile(r"\s*[\r\n]\s*")
WORD = re.compile(r"\S+")
WEB_SCHEMES = ("http://", "https://")
BARE_HOST = "www."
ADDRESS_STARTS = (*WEB_SCHEMES, "ftp://", BARE_HOST)
HOST_AND_PATH = re.compile(r"(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,63}(?::[0-9]{1,5})?/.*")
COMMENT = "#"


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


def read_sitemap(
    body: bytes, urls_max: int = 50_000, bytes_max: int = 50 * 1024 * 1024, *, is_cut: bool = False
) -> Sitemap:
    """Read a sitemap of any format; empty if it is not a sitemap.

    If the body is known to be cut, the last URL is left out, since it may be incomplete.
    """
    data, is_broken_off = _unpacked(body, bytes_max)
    text = decode_xml(data).lstrip(MARGIN)
    if not text.startswith("<"):
        markup = MARKUP_START.search(text, 0, JUNK_CHARS_MAX)
        if markup is None:
            return Sitemap(entries=_read_lines(text, urls_max, is_cut=is_cut or is_broken_off))
        text = text[markup.start() :]
    root = root_name(text)
    if root in FEED_ROOTS:
        announced = read_feed_text(text, urls_max)
        return Sitemap(entries=[SitemapEntry(entry.url, entry.updated_at) for entry in announced])
    return Sitemap() if root in NO_SITEMAP_ROOTS else _read_xml(text, root, urls_max)


def inflated(body: bytes, bytes_max: int) -> bytes:
    """Return a body without gzip, up to the limit; if it is damaged, the part before the damage."""
    return _unpacked(body, bytes_max)[0]


def _unpacked(body: bytes, bytes_max: int) -> tuple[bytes, bool]:
    """Return a body without gzip, up to the limit, and whether there was more of it.

    Servers that compress a compressed file pack it twice but declare only one coding.
    """
    is_broken_off = False
    for _ in range(GZIP_LAYERS_MAX):
        if not body.startswith(GZIP_MAGIC):
            break
        body, is_cut = _inflated_members(body, bytes_max)
        is_broken_off |= is_cut
    return body[:bytes_max], is_broken_off or len(body) > bytes_max


def _inflated_members(body: bytes, bytes_max: int) -> tuple[bytes, bool]:
    data = bytearray()
    rest: memoryview | None = memoryview(body)
    for _ in range(GZIP_MEMBERS_MAX):  # programs that add to a file add members (RFC 1952, 2.2)
        if rest is None or rest[: len(GZIP_MAGIC)] != GZIP_MAGIC:
            return bytes(data), rest is None
        rest = _inflate_member(rest, data, bytes_max)
    return bytes(data), True


def _inflate_member(rest: memoryview, data: bytearray, bytes_max: int) -> memoryview | None:
    """Add the content of one gzip member to the data; return what follows it, None if it does not end."""
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    at = 0
    while at < len(rest) and len(data) < bytes_max:
        piece = rest[at : at + INFLATE_STEP_BYTES]
        try:
            data += inflater.decompress(piece, bytes_max - len(data))
        except zlib.error:
            break
        at += len(piece)
        if inflater.eof:
            return rest[at - len(inflater.unused_data) :]
    return None


def _read_xml(text: str, root: str, urls_max: int) -> Sitemap:
    sitemap = Sitemap()
    has_items = False
    own = frozenset(OWN_PREFIX.findall(text[:HEAD_CHARS]))

    def take(item: XmlItem) -> bool:
        nonlocal has_items
        has_items = True
        for entry in _entries(item, own):
            if item.name == "sitemap":
                sitemap.children.append(entry.url)
            else:
                sitemap.entries.append(entry)
            if len(sitemap.entries) + len(sitemap.children) >= urls_max:
                return False
        return True

    read_items(text, ("url", "sitemap"), take)
    return sitemap if has_items else _read_bare_addresses(text, root, urls_max)


def _read_bare_addresses(text: str, root: str, urls_max: int) -> Sitemap:
    """Read URLs with no entry around them; whether they are pages or sitemaps depends on the root."""
    addresses: list[str] = []

    def take(item: XmlItem) -> bool:
        addresses.extend(_addresses(item.text))
        return len(addresses) < urls_max

    read_items(text, ("loc",), take)
    if root == "sitemapindex":
        return Sitemap(children=addresses[:urls_max])
    return Sitemap(entries=[SitemapEntry(url) for url in addresses[:urls_max]])


def _entries(item: XmlItem, own: Container[str]) -> list[SitemapEntry]:
    """Return the entries of an item: usually one; several if the end tags of entries are missing.

    URLs with another prefix are of pictures and the like, unless the prefix is one of the protocol's `own`.
    """
    entries: list[SitemapEntry] = []
    urls: list[str] = []
    values: dict[str, str] = {}  # other values of the entry with these URLs
    for child in item.children:
        if child.name != "loc":
            values.setdefault(child.name, child.text)
        elif child.prefix in ("", item.prefix) or child.prefix in own:
            if urls:
                entries += _entries_of(urls, values)
                values = {}
            urls = _addresses(child.text)
    return entries + _entries_of(urls or _stray_addresses(item.text), values)


def _entries_of(urls: list[str], told: dict[str, str]) -> list[SitemapEntry]:
    lastmod, priority = moment_of(told.get("lastmod", "")), _priority(told.get("priority", ""))
    return [SitemapEntry(url, lastmod, priority) for url in urls]


def _addresses(text: str) -> list[str]:
    """Return the URLs of an element: one may be broken across lines, or each line may be one."""
    lines = LINE_END.split(text) if "\n" in text or "\r" in text else [text]
    addresses = [lines[0]]
    for line in lines[1:]:
        if line.lower().startswith(WEB_SCHEMES):
            addresses.append(line)
        else:
            addresses[-1] += line
    bare = [_unquoted(address.strip(MARGIN)) for address in addresses]
    return [_absolute(address) for address in bare if _is_address(address)]


def _unquoted(text: str) -> str:
    """Remove the quotes around a URL; with them it would be read as a relative path that does not exist."""
    return text[1:-1].strip(MARGIN) if text.startswith(QUOTES) and text[-1] == text[0] else text


def _is_address(text: str) -> bool:
    return 0 < len(text) <= URL_CHARS_MAX and HOLE not in text


def _absolute(address: str) -> str:
    """Put slashes before a URL that starts with a bare host name (`www.`)."""
    return "//" + address if address[:4].lower() == BARE_HOST else address


def _stray_addresses(text: str) -> list[str]:
    """Return URLs in the text of an entry itself, recognisable only by how they begin."""
    return _addresses(text) if text.lower().startswith(ADDRESS_STARTS) else []


def _read_lines(text: str, urls_max: int, *, is_cut: bool) -> list[SitemapEntry]:
    """Read one URL per line; other lines are skipped, so a page that is not a sitemap yields nothing."""
    found: list[tuple[str, bool]] = []  # URLs, and whether each is recognisable as one by itself
    is_list = True
    lines = text.splitlines()
    if is_cut and not text.endswith(("\n", "\r")):
        del lines[-1:]
    for url in _listed_addresses(lines):
        if url.startswith(QUOTES):
            url = _unquoted(url)
        if not url or url.startswith(COMMENT):
            continue
        is_telling = url[:8].lower().startswith(ADDRESS_STARTS)
        if " " in url or not _is_address(url) or not (is_telling or HOST_AND_PATH.fullmatch(url)):
            is_list = False
            continue
        found.append((_absolute(url) if is_telling else "//" + url, is_telling))
        if len(found) >= urls_max:
            break
    # `example.org/x` may be anything; it counts as a URL only if every line looks like one.
    return [SitemapEntry(url) for url, is_telling in found if is_telling or is_list]


def _listed_addresses(lines: list[str]) -> Iterator[str]:
    """Yield possible URLs: each line, or each of its words if all of them begin like one."""
    for line in lines:
        # A whole sitemap may be on a single line: yield its words, or a line cut to the length of a URL.
        whole = line.strip(MARGIN).partition("\t")[0]
        if " " in whole and all(word[0].lower().startswith(WEB_SCHEMES) for word in WORD.finditer(whole)):
            yield from (word[0] for word in WORD.finditer(whole))
        else:
            yield whole[: 2 * URL_CHARS_MAX]


def _priority(text: str) -> float | None:
    try:
        priority = float(text.replace(",", "."))
    except ValueError:
        return None
    return priority if 0.0 <= priority <= 1.0 else None
