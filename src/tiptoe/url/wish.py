"""What does an owner want to be forgotten?

    www.example.cz                a host, on all its ports
    *.example.cz                  a host and every host below it
    https://www.example.cz/a      one URL, in all its spellings and with any scheme
    https://www.example.cz/a/*    every URL that begins like this

Text only: `forget/` carries a wish out, and `frontier/wishes.py` enforces it from then on.
"""

import enum
import re
from dataclasses import dataclass
from typing import Final

from tiptoe.url.address import host_of
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.spelling import one_spelling

__all__ = ["Reach", "Wish", "read_wish"]

HOST_NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\]")

FURTHER: Final = "zwhateverfollows"
"""Placeholder for the rest of a URL while its beginning is made canonical: without it, `/a?` would become
`/a`, which means `/about` too, and `/a/.` would mean all of `/a/`."""

EXPECTED: Final = (
    "name a host (www.example.cz), a host with all below it (*.example.cz), an address "
    "(https://www.example.cz/a), or how addresses begin (https://www.example.cz/a/*)"
)


class Reach(enum.Enum):
    """How much a wish covers."""

    HOST = "host"
    DOMAIN = "domain"
    PAGE = "page"
    PREFIX = "prefix"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be forgotten; made by `read_wish`."""

    target: str  # in the standard form in which it is stored
    reach: Reach
    host: str
    rest: str = ""  # of a URL: everything after its scheme

    def covers_host(self, host: str) -> bool:
        """Whether the wish covers everything on a host."""
        if self.reach is Reach.DOMAIN:
            return host == self.host or host.endswith(f".{self.host}")
        return self.reach is Reach.HOST and host == self.host

    def covers(self, url: str) -> bool:
        """Whether the wish covers a canonical URL."""
        if self.reach in (Reach.HOST, Reach.DOMAIN):
            return self.covers_host(host_of(url))
        if self.host not in url:
            return False
        rest = _rest_of(url)
        return rest.startswith(self.rest) if self.reach is Reach.PREFIX else rest == self.rest


def read_wish(text: str) -> Wish:
    """Return the wish that a text means; raise ValueError saying what is expected."""
    text = text.strip()
    is_whole_domain = text.startswith("*.")
    name = text.removeprefix("*.")
    if "/" not in name:
        host = host_of(_canonical(f"https://{name}/"))
        if is_whole_domain:
            return Wish(f"*.{host}", Reach.DOMAIN, host)
        return Wish(host, Reach.HOST, host)
    given = name if "://" in name else f"https://{name}"
    if is_whole_domain or "*" in given.removesuffix("*"):
        raise ValueError(EXPECTED)
    if given.endswith("*"):
        return _prefix(given.removesuffix("*"))
    url = _canonical(given)
    return Wish(url, Reach.PAGE, host_of(url), _rest_of(url))


def _prefix(start: str) -> Wish:
    """Return the wish about URLs with this prefix, which must not change with what follows it."""
    whole = _canonical(start + FURTHER)
    rest = _rest_of(whole)
    if not (whole.endswith(FURTHER) and rest.endswith(FURTHER)):
        raise ValueError(f"no address that is asked for begins so; {EXPECTED}")
    url = whole.removesuffix(FURTHER)
    return Wish(f"{url}*", Reach.PREFIX, host_of(url), rest.removesuffix(FURTHER))


def _canonical(url: str) -> str:
    canonical = Canonicalizer().canonical(url)
    if canonical is None or "@" in url or not HOST_NAME.fullmatch(host_of(canonical)):
        raise ValueError(EXPECTED)
    return canonical


def _rest_of(url: str) -> str:
    return one_spelling(url).partition("://")[2]
