"""Where do the links of a page lead, as written?

URLs are returned as written in the page, stripped; resolving and judging them
is left to `tiptoe.url`. Each is returned once, in document order.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

__all__ = ["HREF_CHARS_MAX", "LINKS_MAX", "Attributes", "Element", "Links", "find_links"]

Attributes: TypeAlias = Mapping[str, str | None]
Element: TypeAlias = tuple[str, Attributes]

LINKS_MAX: Final = 10_000
HREF_CHARS_MAX: Final = 4_096

_NO_PAGE: Final = ("javascript:", "vbscript:", "mailto:", "tel:", "data:", "sms:", "about:", "blob:")
_NO_PAGE_INITIALS: Final = frozenset(
    ["#", *(letter for scheme in _NO_PAGE for letter in (scheme[0], scheme[0].upper()))]
)
_SCHEME_CHARS_MAX: Final = max(map(len, _NO_PAGE))
_FEED_TYPES: Final = frozenset({"application/rss+xml", "application/atom+xml"})
_PAGE_TYPES: Final = frozenset({"", "text/html", "application/xhtml+xml", "application/pdf"})
_REFRESH = re.compile(
    r"""\s*+(?:\d++[\d.]*+|(?=\.)[\d.]++)?+\s*+[;,\s]\s*+(?:url\s*+=\s*+)?+(?:"([^"]*)|'([^']*)|([^\s"'].*))""",
    re.IGNORECASE,
)
"""As the HTML standard reads it: `url=` may be missing."""


@dataclass(slots=True)
class Links:
    """What a page points to."""

    follow: dict[str, None] = field(default_factory=dict)  # used as an ordered set
    nofollow: int = 0  # links the page asks not to follow
    no_page: int = 0  # script, mail and the like, written as links
    beyond: int = 0  # links too many or too long to be read
    feeds: dict[str, None] = field(default_factory=dict)
    base_href: str | None = None
    license: str | None = None  # the first link that is marked as a license


def find_links(elements: Iterable[Element]) -> Links:
    """Collect the links of elements, given in document order."""
    links = Links()
    follow = links.follow
    for tag, attributes in elements:
        if tag == "a":
            href = attributes.get("href")
            if not href:
                continue
            href = href.strip()
            if not href:
                continue
            if href[0] in _NO_PAGE_INITIALS:
                if href[0] == "#":
                    continue
                if _leads_nowhere(href):
                    links.no_page += 1
                    continue
            rel = attributes.get("rel")
            if rel and _reads_rel(links, rel, href):
                links.nofollow += 1
            elif len(follow) < LINKS_MAX and len(href) <= HREF_CHARS_MAX:
                follow[href] = None
            elif href not in follow:
                links.beyond += 1
        elif tag == "link":
            _add_head_link(links, attributes)
        elif tag == "frame":
            _add(follow, attributes.get("src"))
        elif tag == "meta":
            _add(follow, _refresh_target(attributes))
        elif tag == "base" and links.base_href is None:
            links.base_href = _address(attributes.get("href"))
    return links


def _reads_rel(links: Links, rel: str, href: str) -> bool:
    """Note a license; tell whether the link must not be followed."""
    rels = rel.lower().split()
    if links.license is None and "license" in rels and len(href) <= HREF_CHARS_MAX:
        links.license = href
    return "nofollow" in rels


def _add_head_link(links: Links, attributes: Attributes) -> None:
    rels = (attributes.get("rel") or "").lower().split()
    if "license" in rels:
        links.license = links.license or _address(attributes.get("href"))
    elif "nofollow" in rels:
        links.nofollow += 1
    elif "alternate" in rels and "stylesheet" not in rels:
        kind = (attributes.get("type") or "").split(";")[0].strip().lower()
        if kind in _FEED_TYPES:
            _add(links.feeds, attributes.get("href"))
        elif kind in _PAGE_TYPES:
            _add(links.follow, attributes.get("href"))
    elif "next" in rels or "prev" in rels:
        _add(links.follow, attributes.get("href"))


def _refresh_target(attributes: Attributes) -> str | None:
    if (attributes.get("http-equiv") or "").strip().lower() != "refresh":
        return None
    found = _REFRESH.match((attributes.get("content") or "")[:HREF_CHARS_MAX])
    return next((target for target in found.groups() if target), None) if found else None


def _add(addresses: dict[str, None], href: str | None) -> None:
    address = _address(href)
    if address and address[0] != "#" and not _leads_nowhere(address) and len(addresses) < LINKS_MAX:
        addresses[address] = None


def _leads_nowhere(address: str) -> bool:
    return address[:_SCHEME_CHARS_MAX].lower().startswith(_NO_PAGE)


def _address(href: str | None) -> str | None:
    address = (href or "").strip()
    return address if address and len(address) <= HREF_CHARS_MAX else None
