"""What are the parts of a canonical URL?

String operations only, and only for URLs in the form of `canonical.py`: lower-case
scheme and host, no user name, no default port, a path that begins with a slash.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import xxhash

from tiptoe.url.spelling import one_spelling

__all__ = [
    "KEY_BYTES",
    "UrlParts",
    "host_key",
    "host_of",
    "keys_on",
    "origin_of",
    "page_key",
    "page_keys",
    "split_url",
    "url_key",
]

KEY_BYTES = 8
"""Length of the key of a host, and of that of a URL; both together are the key of a page."""


class UrlParts(NamedTuple):
    """The parts of a canonical URL."""

    scheme: str
    host: str  # IPv6 in brackets
    port: int | None  # None: the scheme's own
    path: str  # path and query


def split_url(url: str) -> UrlParts:
    """Return the parts of a canonical URL."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition("/")
    host, port = _split_port(authority)
    return UrlParts(scheme, host, port, "/" + path)


def origin_of(url: str) -> str:
    """Return scheme, host and port: `https://a.example:8080`."""
    slash = url.find("/", url.find("://") + 3)
    return url if slash < 0 else url[:slash]


def host_of(url: str) -> str:
    """Return the host without its port."""
    authority = url.partition("://")[2].partition("/")[0]
    return _split_port(authority)[0] if ":" in authority else authority


def url_key(url: str) -> bytes:
    """Return the eight bytes that identify a URL, the same for all its spellings."""
    if "%" in url or "?" in url:
        url = one_spelling(url)
    return xxhash.xxh3_64_digest(url.encode("utf-8", "surrogatepass"))


def host_key(host: str) -> bytes:
    """Return the eight bytes that identify a host."""
    return xxhash.xxh3_64_digest(host.encode("utf-8", "surrogatepass"))


def page_key(url: str) -> bytes:
    """Return the key of a page: host first, so that the pages of a host are adjacent."""
    return host_key(host_of(url)) + url_key(url)


def keys_on(host: str, urls: Iterable[str]) -> list[bytes]:
    """Return the keys of several pages of one host."""
    prefix = host_key(host)
    return [prefix + url_key(url) for url in urls]


def page_keys(host: str, urls: Sequence[str]) -> bytes:
    """Return the keys of pages of one host, joined."""
    together = "".join(urls)
    if "?" in together or "%" in together:
        digests = list(map(url_key, urls))
    else:  # `url_key` inlined, because this handles every new link of every page, and most are plain
        digests = [xxhash.xxh3_64_digest(url.encode("utf-8", "surrogatepass")) for url in urls]
    return host_key(host).join([b"", *digests])


def _split_port(authority: str) -> tuple[str, int | None]:
    host, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        return authority, None
    return host, int(port)
