"""Under which key does a web archive file a URL?

The key turns the host round, so that a domain's pages lie together, and forgets
what seldom tells pages apart (scheme, `www.`, letter case, order of parameters):
`https://www.Example.com/B/?y=2&x=1` becomes `com,example)/b?x=1&y=2`. It is the
key that replay tools compute when they look a page up. They also drop session
ids; those are gone from our URLs before we ask.
"""

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

__all__ = ["surt"]

URL = re.compile(
    r"([a-z][a-z0-9+.-]*)://(?:[^/?#@]*@)?(\[[^]]*\]|[^/?#:]*)(?::(\d*))?([^?#]*)(?:\?([^#]*))?", re.I
)
WWW = re.compile(r"www\d*\.")
SLASHES = re.compile(r"//+")
DEFAULT_PORTS = {"http": "80", "https": "443"}
UNESCAPED = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
UNESCAPE_ROUNDS_MAX = 8


def surt(url: str) -> str:
    """Return the archive key of a URL; what is no URL with a host is its own key."""
    match = URL.match(url)
    if match is None:
        return _unify(url)
    scheme, host, port, path, query = match.groups()
    host = host.lower().strip(".")
    if host.startswith("www"):
        host = WWW.sub("", host, count=1)
    # An IPv6 address holds no dots to turn round.
    key = ",".join(reversed(host.split(".")))
    if port and port != DEFAULT_PORTS.get(scheme.lower()):
        key = f"{key}:{port}"
    path = SLASHES.sub("/", _unify(path).lower())
    if len(path) > 1:
        path = path.removesuffix("/")
    key = f"{key}){path or '/'}"
    return f"{key}?{_sort_parameters(_unify(query).lower())}" if query else key


def _sort_parameters(query: str) -> str:
    if "&" not in query:
        return query
    return "&".join(sorted(query.split("&"), key=lambda parameter: parameter.split("=", 1)))


def _unify(text: str) -> str:
    """Write every character in one way: escaped only where it must be."""
    if text.isascii() and text.isprintable() and "%" not in text and " " not in text and "#" not in text:
        return text
    raw = text.encode("utf-8", "replace")
    # Escapes of escapes are opened too, but not for ever.
    for _ in range(UNESCAPE_ROUNDS_MAX):
        opened = unquote_to_bytes(raw)
        if opened == raw:
            break
        raw = opened
    return quote_from_bytes(raw, safe=UNESCAPED)
