"""Under which key does a web archive file a URL?

The key turns the host round, so that a domain's pages lie together, and forgets
what seldom tells pages apart (scheme, `www.`, letter case, order of parameters):
`https://www.Example.com/B/?y=2&x=1` becomes `com,example)/b?x=1&y=2`. It is the
key that pywb and cdxj-indexer compute when they look a page up, session ids as
they take them for such included: a better key would not be found.
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

# Replay tools look for these names at the end of a name too, and drop the last of each kind.
SESSION_PARAMETERS = tuple(
    re.compile(f"(.*){parameter}(?:&(.*))?")
    for parameter in (
        "jsessionid=[0-9a-z]{32}",
        "phpsessid=[0-9a-z]{32}",
        "sid=[0-9a-z]{32}",
        "aspsessionid[a-z]{8}=[a-z]{24}",
        "cfid=[^&]++&cftoken=[^&]++",
    )
)

SESSION_FOLDER = re.compile(r"(?<=/)\((?:(?:[a-z]\([0-9a-z]{24}\))+|[0-9a-z]{24})\)/(?=[^?]+\.aspx)")
"""As ASP.NET writes it: `/(s(…24 letters and digits…))/page.aspx`."""


def surt(url: str) -> str:
    """Return the archive key of a URL; what is no URL with a host is its own key."""
    match = URL.match(url)
    if match is None:
        return _unify(url)
    scheme, host, port, path, query = match.groups()
    path = _unify(path).lower()
    if host:
        path = SLASHES.sub("/", path)
    if ".aspx" in path:
        path = SESSION_FOLDER.sub("", path)
    if len(path) > 1:
        path = path.removesuffix("/")
    key = _origin(scheme.lower(), host.lower().strip("."), port) + (path or "/")
    query = _without_session(_unify(query).lower()) if query else ""
    return f"{key}?{_sort_parameters(query)}" if query else key


def _origin(scheme: str, host: str, port: str | None) -> str:
    if not host:  # of a file
        return f"{scheme}:"
    if host.startswith("www"):
        host = WWW.sub("", host, count=1)
    # An IPv6 address holds no dots to turn round; its brackets go.
    key = ",".join(reversed(host.strip("[]").split(".")))
    return f"{key}:{port})" if port and port != DEFAULT_PORTS.get(scheme) else f"{key})"


def _without_session(query: str) -> str:
    # One of these is part of every session parameter.
    if "sid=" in query or "sessionid" in query or "cfid=" in query:
        for parameter in SESSION_PARAMETERS:
            if found := parameter.fullmatch(query):
                query = found[1] + (found[2] or "")
    return query


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
