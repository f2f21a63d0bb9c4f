"""Which host does somebody mean?

People write `Häuser.example`. The crawl knows a host by its canonical name alone: what is blocked under any
other is asked all the same.
"""

import ipaddress

from tiptoe.errors import SettingsError
from tiptoe.url.address import host_of
from tiptoe.url.canonical import Canonicalizer

__all__ = ["host_meant"]

NAME_CHARS_MAX, LABEL_CHARS_MAX = 253, 63
"""Longer names cannot be looked up."""


def host_meant(given: str) -> str:
    """Return the canonical name of a host, or an IP address, from what was typed."""
    text = given.strip()
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        pass
    # A page is not its host: who names one may mean it alone.
    url = Canonicalizer().canonical(f"http://{text}/") if text and "/" not in text else None
    if url is None or not _can_be_looked_up(host_of(url)):
        raise SettingsError(f"{given!r} is no host name and no IP address; one looks like www.example.org")
    return host_of(url)


def _can_be_looked_up(name: str) -> bool:
    labels = name.removesuffix(".").split(".")
    return len(name) <= NAME_CHARS_MAX and all(0 < len(label) <= LABEL_CHARS_MAX for label in labels)
