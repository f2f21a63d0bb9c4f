"""Who lives where in the simulated web?

A host is a function of its index and the seed. Names use reserved domains, each
registrable by itself; addresses lie in the range set apart for benchmarks
(198.18.0.0/15), or in its twin on loopback (127.18.0.0/15) when real servers run.
Hosts that refuse connections have addresses of their own, where nobody listens.
"""

import enum
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tiptoe.testing.chance import MASK, Trait, fraction, scramble
from tiptoe.testing.shape import WebShape

__all__ = ["Host", "Hosts", "Life", "RobotsKind", "address_at"]

DOMAINS: Final = ("example", "test")
HOSTS_REMEMBERED: Final = 32_768
LIVE_ADDRESSES: Final = 3 << 15
DEAD_ADDRESSES: Final = 1 << 15
NAME_CHARS_MAX: Final = 64


class Life(enum.Enum):
    """Whether anybody answers for a host."""

    ALIVE = "alive"
    NO_SUCH_HOST = "no_such_host"
    REFUSED = "refused"


class RobotsKind(enum.Enum):
    """What a host answers when asked for its rules."""

    OPEN = "open"
    RULES = "rules"
    MISSING = "missing"
    ERROR = "error"
    SLOW = "slow"
    HUGE = "huge"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # a key of caches: hashing all fields is dear
class Host:
    """All traits of one host; `salt` is where the traits of its pages are drawn from."""

    index: int
    name: str
    language: str
    pages: int
    salt: int
    life: Life
    robots: RobotsKind
    crawl_delay: float | None
    has_sitemap: bool
    charset: str
    is_charset_in_header: bool
    compresses: bool
    is_hostile: bool
    latency_seconds: float

    @property
    def is_crawlable(self) -> bool:
        """True if a polite robot may ask it for pages."""
        return self.life is Life.ALIVE and self.robots is not RobotsKind.ERROR


class Hosts:
    """All hosts of a web, made when asked for; the last ones are remembered, for speed only."""

    def __init__(self, shape: WebShape) -> None:
        self._shape = shape
        self._seed = scramble(shape.seed & MASK)
        self.at = lru_cache(HOSTS_REMEMBERED)(self._make)
        """Return the host with this index."""
        self.name_of = lru_cache(HOSTS_REMEMBERED)(self._name)
        """Return the name of the host with this index."""

    def named(self, name: str) -> Host | None:
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

    def address_number(self, host: Host) -> int | None:
        """Return the number of the host's address, see `address_at`; None if it has none."""
        if host.life is Life.NO_SUCH_HOST:
            return None
        if host.life is Life.REFUSED:
            return LIVE_ADDRESSES + host.index % (DEAD_ADDRESSES - 1)
        # Number 0 would be the network's own address.
        return 1 + host.index // self._shape.hosts_per_address % (LIVE_ADDRESSES - 1)

    def _salt(self, index: int) -> int:
        return scramble(self._seed + index * 0x9E3779B97F4A7C15 & MASK)

    def _name(self, index: int) -> str:
        salt = self._salt(index)
        languages = self._shape.languages
        language = languages[int(fraction(salt, Trait.LANGUAGE) * len(languages))]
        return f"h{index:06d}-{language}.{DOMAINS[salt & 1]}"

    def _make(self, index: int) -> Host:
        shape, salt = self._shape, self._salt(index)
        name = self.name_of(index)
        legacy = fraction(salt, Trait.CHARSET)
        has_delay = fraction(salt, Trait.CRAWL_DELAY) < shape.crawl_delay_share
        return Host(
            index=index,
            name=name,
            language=name.partition("-")[2].partition(".")[0],
            pages=_count_pages(shape, fraction(salt, Trait.PAGES)),
            salt=salt,
            life=_choose_life(shape, fraction(salt, Trait.LIFE)),
            robots=_choose_robots(shape, fraction(salt, Trait.ROBOTS)),
            crawl_delay=shape.crawl_delay_seconds if has_delay else None,
            has_sitemap=fraction(salt, Trait.SITEMAP) < shape.sitemap_share,
            charset=_choose_charset(shape, legacy, salt),
            is_charset_in_header=legacy >= shape.legacy_charset_share or bool(salt & 4),
            compresses=fraction(salt, Trait.GZIP) < shape.gzip_share,
            is_hostile=fraction(salt, Trait.HOSTILE) < shape.hostile_share,
            latency_seconds=shape.latency_seconds * (0.5 + fraction(salt, Trait.LATENCY)),
        )


def address_at(number: int, *, loopback: bool) -> str:
    """Return the address with this number as text."""
    first = 127 if loopback else 198
    return f"{first}.{18 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"


def _count_pages(shape: WebShape, draw: float) -> int:
    """Return a page count from a power law with the shape's mean, cut at both ends."""
    spread = shape.pages_spread
    # The mean of u^-s over u in (0, 1] is 1 / (1 - s).
    pages = shape.pages_per_host * (1.0 - spread) * math.pow(1.0 - draw, -spread)
    return max(1, min(shape.pages_max, round(pages)))


def _choose_life(shape: WebShape, draw: float) -> Life:
    if draw >= shape.dead_host_share:
        return Life.ALIVE
    return Life.NO_SUCH_HOST if draw < shape.dead_host_share / 2 else Life.REFUSED


def _choose_robots(shape: WebShape, draw: float) -> RobotsKind:
    for kind, share in (
        (RobotsKind.RULES, shape.robots_share),
        (RobotsKind.MISSING, shape.robots_missing_share),
        (RobotsKind.ERROR, shape.robots_error_share),
        (RobotsKind.SLOW, shape.robots_slow_share),
        (RobotsKind.HUGE, shape.robots_huge_share),
    ):
        if draw < share:
            return kind
        draw -= share
    return RobotsKind.OPEN


def _choose_charset(shape: WebShape, draw: float, salt: int) -> str:
    if draw >= shape.legacy_charset_share:
        return "utf-8"
    return "windows-1250" if salt & 2 else "iso-8859-2"
