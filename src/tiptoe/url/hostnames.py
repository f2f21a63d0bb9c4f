"""Which host is meant by a given name?

People write `Häuser.example`. The crawl knows a host only by its canonical name: blocking it under any other
name would have no effect.
"""

import ipaddress
import re
from typing import Final

from tiptoe.url.address import host_of
from tiptoe.url.canonical import Canonicalizer

__all__ = ["canonical_host", "usual_address"]

NAME_CHARS_MAX: Final = 253
LABEL: Final = re.compile(r"[a-z0-9_-]{1,63}")
"""Labels of names that can be looked up; others are longer or have other characters, such as `*`."""
BEYOND_HOST: Final = frozenset("/\\?#@")
"""Characters that are not part of a host. A page is refused, because only the page may be meant."""


def canonical_host(given: str) -> str:
    """Return the canonical name of a host, or an IP address; raise ValueError saying what is expected."""
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
    """Return an IP address in its standard form, as IPv4 if it is IPv4-mapped; None if it is not one."""
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        return None
    carried = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return str(carried or ip)


def _can_be_looked_up(name: str) -> bool:
    is_name = len(name) <= NAME_CHARS_MAX and all(map(LABEL.fullmatch, name.removesuffix(".").split(".")))
    return is_name or name.startswith("[")  # an IPv6 address as written in a URL
