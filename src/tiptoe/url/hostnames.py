"""Which host does somebody mean?

People write `Häuser.example`. The crawl knows a host by its canonical name alone: what is blocked under any
other is asked all the same.
"""

import ipaddress
import re
from typing import Final

from tiptoe.url.address import host_of
from tiptoe.url.canonical import Canonicalizer

__all__ = ["canonical_host", "usual_address"]

NAME_CHARS_MAX: Final = 253
LABEL: Final = re.compile(r"[a-z0-9_-]{1,63}")
"""Longer ones cannot be looked up, and none has other letters: a `*` would stand for nobody."""
BEYOND_HOST: Final = frozenset("/\\?#@")
"""A page is not its host: who names one may mean it alone."""


def canonical_host(given: str) -> str:
    """Return the canonical name of a host, or an IP address; raise ValueError with what is expected."""
    text = given.strip()
    if address := usual_address(text):
        return address
    if BEYOND_HOST & set(text) and (page := Canonicalizer().canonical(text)):
        raise ValueError(f"no host name, but the address of a page; its host is {host_of(page)}")
    url = Canonicalizer().canonical(f"http://{text}/") if text and not BEYOND_HOST & set(text) else None
    if url is None or not _can_be_looked_up(host_of(url)):
        raise ValueError("no host name and no IP address; one looks like www.example.org")
    return host_of(url)


def usual_address(text: str) -> str | None:
    """Return an IP address in the one form in which it is known, of a place that IPv4 reaches as IPv4."""
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        return None
    carried = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return str(carried or ip)


def _can_be_looked_up(name: str) -> bool:
    is_name = len(name) <= NAME_CHARS_MAX and all(map(LABEL.fullmatch, name.removesuffix(".").split(".")))
    return is_name or name.startswith("[")  # an IPv6 address, as it stands in a URL
