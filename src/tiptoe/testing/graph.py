"""Which page links to which?

Pages of a host are numbered; page 0 is its home. The navigation links the first
few pages from everywhere; in the text every page links its three children in a
heap, so that all pages can be reached from home, and then others at random.
Links never change, whatever happens to the text.
"""

import enum
from functools import lru_cache
from struct import unpack
from typing import Final

from tiptoe.testing.chance import MASK, Trait, draw_bytes, fraction, scramble
from tiptoe.testing.fragments import path_words
from tiptoe.testing.hosts import Host, Hosts, RobotsKind
from tiptoe.testing.shape import WebShape

__all__ = ["PRIVATE", "Graph", "PageKind"]

PRIVATE: Final = "/private/"
"""The section that hosts with rules disallow."""

CHILDREN: Final = 3
PARAGRAPHS_MEAN_MIN: Final = 4  # half of it still holds all children
NAVIGATION_MAX: Final = 20
SECTIONS: Final = 16
SLUGS: Final = 64
PLACES: Final = SECTIONS * SLUGS  # a power of two, so that a mask spreads numbers over them
PRIVATE_EVERY: Final = 8
SPREAD: Final = 0x9E37  # odd, so that neighbours lie apart and no place is left out
DEEP_ONE_IN: Final = 4  # of the links to other hosts; the rest go to their homes


class PageKind(enum.Enum):
    """How a page answers."""

    TEXT = "text"
    REDIRECT = "redirect"
    GONE = "gone"
    ERROR = "error"
    FLAKY = "flaky"


class Graph:
    """Paths, kinds and links of all pages of a web."""

    def __init__(self, shape: WebShape, hosts: Hosts) -> None:
        self._shape = shape
        self._hosts = hosts
        self._places = lru_cache(None)(_make_places)  # at most two a language
        self._port = b"" if shape.port == 80 else b":%d" % shape.port
        self._external_limit = int(shape.external_share * (1 << 32))
        self.navigation_links = min(NAVIGATION_MAX, max(1, shape.links_per_page // 3))
        links_in_text = shape.links_per_page - self.navigation_links
        self.paragraphs_mean = max(PARAGRAPHS_MEAN_MIN, round(links_in_text / 2))

    def path_of(self, host: Host, number: int) -> bytes:
        """Return the path of a page."""
        if not number:
            return b"/"
        return self._places_of(host)[number * SPREAD + host.salt & PLACES - 1] + b"%d.html" % number

    def number_of(self, host: Host, path: str) -> int | None:
        """Return the number of the page at a path, or None: no such page."""
        if path == "/":
            return 0
        digits = path.rpartition("-")[2].removesuffix(".html")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 12):
            return None
        number = int(digits)
        if not 0 < number < host.pages or self.path_of(host, number).decode() != path:
            return None
        return number

    def url_of(self, host: Host, number: int) -> str:
        """Return the whole address of a page."""
        return (b"http://%b%b%b" % (host.name.encode(), self._port, self.path_of(host, number))).decode()

    def origin_of(self, host: Host) -> str:
        """Return the address of a host without a path."""
        return f"http://{host.name}{self._port.decode()}"

    def kind_of(self, host: Host, number: int) -> PageKind:
        """Return how a page answers; homes always give text."""
        shape = self._shape
        if not (number and shape.has_faulty_pages):
            return PageKind.TEXT
        draw = fraction(page_salt(host, number), Trait.KIND)
        for kind, share in (
            (PageKind.REDIRECT, shape.redirect_share),
            (PageKind.GONE, shape.gone_share),
            (PageKind.ERROR, shape.error_share),
            (PageKind.FLAKY, shape.flaky_share),
        ):
            if draw < share:
                return kind
            draw -= share
        return PageKind.TEXT

    def redirect_of(self, host: Host, number: int) -> str:
        """Return where a page of kind REDIRECT sends its readers: never to another redirect."""
        draw = scramble(page_salt(host, number) + Trait.TARGET)
        if draw & 7 == 0:
            return self.origin_of(self._hosts.at((draw >> 8) % self._shape.hosts)) + "/"
        target = (draw >> 8) % host.pages
        if self.kind_of(host, target) is not PageKind.TEXT:
            target = 0
        return self.url_of(host, target)

    def paragraph_count(self, host: Host, number: int) -> int:
        """Return how many paragraphs a page has: half to one and a half of the mean."""
        mean = self.paragraphs_mean
        return mean // 2 + (page_salt(host, number) >> 7) % (mean + 1)

    def links_in_text(self, host: Host, number: int) -> list[bytes]:
        """Return what the text of a page links to, two links a paragraph, relative if on this host."""
        count = 2 * self.paragraph_count(host, number)
        pages, shift = host.pages, host.salt & PLACES - 1
        places, limit = self._places_of(host), self._external_limit
        first = number * CHILDREN + 1
        links = [self.path_of(host, child) for child in range(first, min(first + CHILDREN, pages))]
        count -= len(links)
        draws = draw_bytes(page_salt(host, number), Trait.LINKS, 4 * count)
        for draw in unpack(f"<{count}I", draws):
            if draw < limit:
                links.append(self._link_elsewhere(scramble(host.salt + draw & MASK)))
            elif target := draw % pages:
                # The same as `path_of`, without the call: this loop is most of what a page costs.
                links.append(places[target * SPREAD + shift & PLACES - 1] + b"%d.html" % target)
            else:
                links.append(b"/")
        return links

    def _link_elsewhere(self, draw: int) -> bytes:
        """Return a link to another host, more often to one with a low index, mostly to its home."""
        place = (draw >> 32) / (1 << 32)
        index = int(self._shape.hosts * place * place)
        if draw % DEEP_ONE_IN:
            return b"http://%b%b/" % (self._hosts.name_of(index).encode(), self._port)
        host = self._hosts.at(index)
        return self.url_of(host, (draw >> 8 & 0xFFFFFF) % host.pages).encode()

    def _places_of(self, host: Host) -> list[bytes]:
        return self._places(host.language, host.robots is RobotsKind.RULES)


def page_salt(host: Host, number: int) -> int:
    """Return the number all traits of a page are drawn from."""
    return scramble(host.salt + number * 0xD1342543DE82EF95 & MASK)


def _make_places(language: str, has_private: bool) -> list[bytes]:
    """Return the beginnings of paths, for example `/mesto/kniha-`."""
    words = path_words(language)
    sections, slugs = words[:SECTIONS], words[-SLUGS:]
    places = [f"/{section}/{slug}-".encode() for slug in slugs for section in sections]
    if has_private:
        for i in range(PRIVATE_EVERY - 1, PLACES, PRIVATE_EVERY):
            places[i] = f"{PRIVATE}{slugs[i // SECTIONS]}-".encode()
    return places
