"""How are random traits drawn reproducibly?

There is no generator with state: any trait of any host or page can be drawn
separately, in any order, in any process.
"""

from enum import IntEnum
from hashlib import shake_128
from typing import Final

__all__ = ["MASK", "Trait", "draw_bytes", "fraction", "scramble"]

MASK: Final = (1 << 64) - 1


class Trait(IntEnum):
    """What is drawn independently for one host or page."""

    LANGUAGE = 1
    DOMAIN = 2
    PAGES = 3
    LIFE = 4
    ROBOTS = 5
    CRAWL_DELAY = 6
    SITEMAP = 7
    CHARSET = 8
    GZIP = 9
    HOSTILE = 10
    LATENCY = 11
    KIND = 12
    TARGET = 13
    META = 14
    LINKS = 15
    TEXT = 16
    CHANGE = 17
    FLAKY = 18
    CONDUCT = 19
    ADDRESS = 20
    SHARED = 21
    SIZE = 22
    LISTED = 23
    DECLARATION = 24
    STATIC = 25
    SITEMAP_KIND = 26
    CHAIN = 27
    COPY = 28
    ARTICLE = 29
    TERSE = 30
    VANISHING = 31
    VANISHED_AT = 32


def scramble(number: int) -> int:
    """Return 64 bits in which every bit depends on every bit of the number (splitmix64)."""
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB & MASK
    return number ^ (number >> 31)


def fraction(salt: int, trait: Trait) -> float:
    """Return a number from 0 up to, not including, 1 for one trait of the host or page with this salt."""
    return (scramble(salt + trait * 0x9E3779B97F4A7C15) >> 11) / (1 << 53)


def draw_bytes(salt: int, trait: Trait, count: int) -> bytes:
    """Return `count` random bytes for one trait; far cheaper than as many single draws."""
    return shake_128(b"%d %d" % (salt, trait)).digest(count)
