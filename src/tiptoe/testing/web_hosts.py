"""Which hosts are there in the simulated web, and what are they like?

A host is a function of its index and the seed. Names use reserved domains, each
registrable by itself; for their addresses see `web_addresses.py`, for their kinds
`traits.py`.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tiptoe.testing.chance import MASK, Trait, fraction, scramble
from tiptoe.testing.shape import WebShape
from tiptoe.testing.sizes import log_normal, power_law
from tiptoe.testing.traits import Conduct, HostTraits, Life, RobotsKind
from tiptoe.testing.web_addresses import address_at, dead_number, living_number

__all__ = ["DOMAINS", "Conduct", "Life", "RobotsKind", "WebHost", "WebHosts", "address_at"]

DOMAINS: Final = ("example", "test")
HOSTS_REMEMBERED: Final = 32_768
NAME_CHARS_MAX: Final = 64
LATENCY_SECONDS_MAX: Final = 10.0
WITH_PRIVATE: Final = frozenset((RobotsKind.RULES, RobotsKind.NAMED, RobotsKind.MOVED))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # a key of caches: hashing all fields is slow
class WebHost:
    """All traits of one host; the traits of its pages are drawn from `salt`."""

    index: int
    name: str
    language: str
    pages: int
    salt: int
    life: Life
    conduct: Conduct
    robots: RobotsKind
    has_private: bool  # some pages are in the section that its rules disallow
    crawl_delay: float | None
    has_sitemap: bool
    has_sitemap_index: bool
    charset: str
    header_charset: str  # what Content-Type names, if anything
    meta_charset: str  # what the page itself names, if anything
    compresses: bool
    is_terse: bool  # writes short lines only
    is_hostile: bool
    latency_seconds: float

    @property
    def is_crawlable(self) -> bool:
        """True if a polite robot may request pages from it."""
        has_rules = self.robots is not RobotsKind.ERROR and self.conduct is not Conduct.SILENT
        return self.life is Life.ALIVE and has_rules


class WebHosts:
    """All hosts of a web, made on demand; the latest ones are cached."""

    def __init__(self, shape: WebShape) -> None:
        self._shape = shape
        self._traits = HostTraits(shape)
        self._seed = scramble(shape.seed & MASK)
        self.at = lru_cache(HOSTS_REMEMBERED)(self._make)
        """Return the host with this index."""
        self.name_of = lru_cache(HOSTS_REMEMBERED)(self._name)
        """Return the name of the host with this index."""

    def named(self, name: str) -> WebHost | None:
        """Return the host of that name, dead or alive, or None."""
        if len(name) > NAME_CHARS_MAX:
            return None
        digits = name[1:].partition("-")[0]
        if not (digits.isascii() and digits.isdigit()):
            return None
        index = int(digits)
        if index >= self._shape.hosts:
            return None
        host = self.at(index)
        return host if host.name == name else None

    def address_number(self, host: WebHost) -> int | None:
        """Return the number of the host's address, see `address_at`; None if it has none."""
        if host.life is Life.NO_SUCH_HOST:
            return None
        if host.life is Life.REFUSED:
            return dead_number(host.index)
        return living_number(self._shape, host.index, host.salt)

    def _salt(self, index: int) -> int:
        return scramble(self._seed + index * 0x9E3779B97F4A7C15 & MASK)

    def _name(self, index: int) -> str:
        salt = self._salt(index)
        languages = self._shape.languages
        language = languages[int(fraction(salt, Trait.LANGUAGE) * len(languages))]
        return f"h{index:06d}-{language}.{DOMAINS[salt & 1]}"

    def _make(self, index: int) -> WebHost:
        shape, salt = self._shape, self._salt(index)
        name = self.name_of(index)
        traits = self._traits
        charset, robots = traits.charset(salt), traits.robots(salt)
        header_charset, meta_charset = traits.declared(charset, salt)
        has_delay = fraction(salt, Trait.CRAWL_DELAY) < shape.crawl_delay_share
        return WebHost(
            index=index,
            name=name,
            language=name.partition("-")[2].partition(".")[0],
            pages=_count_pages(shape, fraction(salt, Trait.PAGES)),
            salt=salt,
            life=traits.life(salt),
            conduct=traits.conduct(salt),
            robots=robots,
            has_private=robots in WITH_PRIVATE,
            crawl_delay=shape.crawl_delay_seconds if has_delay else None,
            has_sitemap=fraction(salt, Trait.SITEMAP) < shape.sitemap_share,
            has_sitemap_index=fraction(salt, Trait.SITEMAP_KIND) < shape.sitemap_index_share,
            charset=charset,
            header_charset=header_charset,
            meta_charset=meta_charset,
            compresses=fraction(salt, Trait.GZIP) < shape.gzip_share,
            is_terse=fraction(salt, Trait.TERSE) < shape.terse_host_share,
            is_hostile=fraction(salt, Trait.HOSTILE) < shape.hostile_share,
            latency_seconds=_choose_latency(shape, fraction(salt, Trait.LATENCY)),
        )


def _count_pages(shape: WebShape, draw: float) -> int:
    return max(1, min(shape.pages_max, round(power_law(draw, shape.pages_per_host, shape.pages_spread))))


def _choose_latency(shape: WebShape, draw: float) -> float:
    if not shape.latency_spread:
        return shape.latency_seconds * (0.5 + draw)
    return min(LATENCY_SECONDS_MAX, log_normal(draw, shape.latency_seconds, shape.latency_spread))
