"""Which page links to which?

Pages of a host are numbered; page 0 is its home. The navigation links the first
few pages from everywhere; in the text every page links its three children in a
heap, so that all pages can be reached from home, and then others at random; some
pages end with a list of further links. Links to other hosts prefer those with a low
index, which are the popular ones. Links never change, whatever happens to the text.
"""

import enum
from functools import lru_cache
from struct import unpack
from typing import Final

from tiptoe.testing.chance import MASK, Trait, draw_bytes, fraction, scramble
from tiptoe.testing.fragments import path_words
from tiptoe.testing.shape import WebShape
from tiptoe.testing.sizes import log_normal, power_law
from tiptoe.testing.traits import choose
from tiptoe.testing.web_hosts import Conduct, WebHost, WebHosts

__all__ = ["PRIVATE", "Graph", "PageKind", "page_salt"]

PRIVATE: Final = "/private/"
"""The section that hosts with rules disallow."""

CHILDREN: Final = 3
PARAGRAPHS_MEAN_MIN: Final = 4  # half of it still holds all children
PARAGRAPHS_MIN: Final = 2  # for the same reason
PARAGRAPHS_MAX: Final = 500
LIST_SPREAD: Final = 0.6
LIST_LINKS_MAX: Final = 2_000
NAVIGATION_MAX: Final = 20
SECTIONS: Final = 16
SLUGS: Final = 64
PLACES: Final = SECTIONS * SLUGS  # a power of two, so that a mask spreads numbers over them
PRIVATE_EVERY: Final = 8
SPREAD: Final = 0x9E37  # odd, so that neighbours are far apart and no place is left out
DEEP_ONE_IN: Final = 4  # of the links to other hosts; the rest go to their homes


class PageKind(enum.Enum):
    """How a page answers."""

    TEXT = "text"
    REDIRECT = "redirect"
    GONE = "gone"
    ERROR = "error"
    FLAKY = "flaky"
    SILENT = "silent"
    RESET = "reset"
    FORBIDDEN = "forbidden"


KINDS_BY_CONDUCT: Final = {
    Conduct.MOVED: PageKind.REDIRECT,
    Conduct.FORBIDDING: PageKind.FORBIDDEN,
    Conduct.BROKEN: PageKind.ERROR,
    Conduct.SILENT: PageKind.SILENT,
}


class Graph:
    """Paths, kinds and links of all pages of a web."""

    def __init__(self, shape: WebShape, hosts: WebHosts) -> None:
        self._shape = shape
        self._hosts = hosts
        self._places = lru_cache(None)(_make_places)  # at most two per language
        self._port = b"" if shape.port == 80 else b":%d" % shape.port
        self._external_limit = int(shape.external_share * (1 << 32))
        self._has_faulty_pages = shape.has_faulty_pages
        self._kinds = (
            (PageKind.REDIRECT, shape.redirect_share),
            (PageKind.GONE, shape.gone_share),
            (PageKind.ERROR, shape.error_share),
            (PageKind.FLAKY, shape.flaky_share),
            (PageKind.SILENT, shape.silent_share),
            (PageKind.RESET, shape.reset_share),
        )
        # A uniform number between 0 and 1, raised to this power, has the density that the exponent specifies.
        self._popularity_power = 1.0 / (1.0 - shape.popularity_exponent)
        self.navigation_links = min(NAVIGATION_MAX, max(1, shape.links_per_page // 3))
        links_in_text = shape.links_per_page - self.navigation_links
        self.paragraphs_mean = max(PARAGRAPHS_MEAN_MIN, round(links_in_text / 2))

    def path_of(self, host: WebHost, number: int) -> bytes:
        """Return the path of a page."""
        if not number:
            return b"/"
        return self._places_of(host)[number * SPREAD + host.salt & PLACES - 1] + b"%d.html" % number

    def number_of(self, host: WebHost, path: str) -> int | None:
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

    def url_of(self, host: WebHost, number: int) -> str:
        """Return the complete URL of a page."""
        return (b"http://%b%b%b" % (host.name.encode(), self._port, self.path_of(host, number))).decode()

    def origin_of(self, host: WebHost) -> str:
        """Return the URL of a host without a path."""
        return f"http://{host.name}{self._port.decode()}"

    def kind_of(self, host: WebHost, number: int) -> PageKind:
        """Return how a page answers; homes of hosts that behave always give text."""
        if host.conduct is not Conduct.NORMAL:
            return KINDS_BY_CONDUCT[host.conduct]
        if not (number and self._has_faulty_pages):
            return PageKind.TEXT
        return choose(fraction(page_salt(host, number), Trait.KIND), self._kinds, PageKind.TEXT)

    def paragraph_count(self, host: WebHost, number: int) -> int:
        """Return how many paragraphs a page has: near the mean, or from the log-normal law."""
        mean, sigma = self.paragraphs_mean, self._shape.size_spread
        if self.article_of(host, number) is not None:
            return mean  # the same in every copy
        if sigma:
            count = round(log_normal(fraction(page_salt(host, number), Trait.SIZE), mean, sigma))
            return max(PARAGRAPHS_MIN, min(PARAGRAPHS_MAX, count))
        return mean // 2 + (page_salt(host, number) >> 7) % (mean + 1)

    def article_of(self, host: WebHost, number: int) -> int | None:
        """Return which of the shared texts this page has, if any."""
        share = self._shape.copy_share
        if not (share and number) or host.is_terse:
            return None
        salt = page_salt(host, number)
        if fraction(salt, Trait.COPY) >= share:
            return None
        return int(fraction(salt, Trait.ARTICLE) * self._shape.articles)

    def links_in_text(self, host: WebHost, number: int) -> list[bytes]:
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
                # The same as `path_of`, inlined: this loop is most of the cost of a page.
                links.append(places[target * SPREAD + shift & PLACES - 1] + b"%d.html" % target)
            else:
                links.append(b"/")
        return links

    def links_in_list(self, host: WebHost, number: int) -> list[bytes]:
        """Return what the list behind the text links to: pages of this host; most pages have no list."""
        share, salt = self._shape.list_share, page_salt(host, number)
        draw = fraction(salt, Trait.LISTED)
        if draw >= share:
            return []
        count = min(LIST_LINKS_MAX, int(power_law(draw / share, self._shape.list_links, LIST_SPREAD)))
        drawn = unpack(f"<{count}I", draw_bytes(salt, Trait.LISTED, 4 * count))
        return [self.path_of(host, place % host.pages) for place in drawn]

    def all_links(self, host: WebHost, number: int) -> list[bytes]:
        """Return everything that a page links to, the navigation included."""
        navigation = range(min(self.navigation_links, host.pages))
        links = [self.path_of(host, page) for page in navigation]
        return links + self.links_in_text(host, number) + self.links_in_list(host, number)

    def _link_elsewhere(self, draw: int) -> bytes:
        """Return a link to another host, more often to one with a low index, mostly to its home."""
        place = (draw >> 32) / (1 << 32)
        index = int(self._shape.hosts * place**self._popularity_power)
        if draw % DEEP_ONE_IN:
            return b"http://%b%b/" % (self._hosts.name_of(index).encode(), self._port)
        host = self._hosts.at(index)
        return self.url_of(host, (draw >> 8 & 0xFFFFFF) % host.pages).encode()

    def _places_of(self, host: WebHost) -> list[bytes]:
        return self._places(host.language, host.has_private)


def page_salt(host: WebHost, number: int) -> int:
    """Return the number from which all traits of a page are drawn."""
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
