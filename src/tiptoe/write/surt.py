"""Under which key does a web archive file a URL?

The key reverses the host name, so that the pages of a domain are adjacent, and
ignores what rarely distinguishes pages (scheme, `www.`, letter case, order of parameters):
`https://www.Example.com/B/?y=2&x=1` becomes `com,example)/b?x=1&y=2`. It is the
key that pywb and cdxj-indexer compute when they look up a page, including their
idea of session ids: they would not find a page under a better key.
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

# Replay tools also match these names at the end of longer ones, and drop the last match of each.
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
"""Session id in a path, as ASP.NET writes it: `/(s(…24 letters and digits…))/page.aspx`."""


def surt(url: str) -> str:
    """Return the archive key of a URL; anything else is its own key."""
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
    if not host:  # file: URL
        return f"{scheme}:"
    if host.startswith("www"):
        host = WWW.sub("", host, count=1)
    # An IPv6 address has no dots to reverse; only its brackets are dropped.
    key = ",".join(reversed(host.strip("[]").split(".")))
    return f"{key}:{port})" if port and port != DEFAULT_PORTS.get(scheme) else f"{key})"


def _without_session(query: str) -> str:
    # Every session parameter contains one of these.
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
    """Return a text in which characters are escaped only where they must be."""
    if text.isascii() and text.isprintable() and "%" not in text and " " not in text and "#" not in text:
        return text
    raw = text.encode("utf-8", "replace")
    # Nested escapes are resolved too, up to a limit.
    for _ in range(UNESCAPE_ROUNDS_MAX):
        opened = unquote_to_bytes(raw)
        if opened == raw:
            break
        raw = opened
    return quote_from_bytes(raw, safe=UNESCAPED)
