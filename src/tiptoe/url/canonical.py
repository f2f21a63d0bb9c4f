"""Which spelling of an address do we keep?

A page has many addresses and is asked for by one. The canonical form is the
WHATWG serialisation less what does not choose the page: fragment, user name,
default port, trailing dot of the host, session ids, tracking parameters, an
empty query. Escapes are upper case and only where needed. Parameters keep their order.
It is what is asked for; which canonical forms servers take for one page is said in `spelling.py`.

Rule: the canonical form of a canonical form is itself, and the short cut for
plain addresses answers exactly what the long way would.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from tiptoe.url.escapes import tidy_escapes
from tiptoe.url.rules import NUMBERED_PARAMETERS, UNMISTAKABLE_SESSIONS, CanonicalRules
from tiptoe.url.sessions import is_random, is_session_id
from tiptoe.url.whatwg import whatwg_join

__all__ = ["CanonicalRules", "Canonicalizer"]

ROUNDS_MAX = 5
"""Removing one thing may lay bare another; an address that needs more rounds is built to annoy."""

RAW_LENGTH_FACTOR = 4
"""An href may shrink to a quarter when tracking parameters go; longer ones are not looked at."""

PATH_PARAMETER = re.compile(r";([^;=/]*)=([^;/]*)")
COOKIELESS_SESSION = re.compile(r"/\((?=[^/]*[A-Za-z]\([^()/]{16})(?:[A-Za-z]\([^()/]*\))+\)(?=/|\Z)")
"""As ASP.NET writes it; `/(S(3))` is the group of permutations."""

# What neither the standard nor our rules would touch. Left out on purpose: `%`, `;` and
# brackets (session ids), `'` in a query (escaped there), `:` in a relative path (a scheme?).
HOST = r"[a-z0-9][a-z0-9.-]*\.[a-z]{2,}"
PATH = r"[A-Za-z0-9\-_.~!$&'*+,=:@/]*+"
RELATIVE = r"[A-Za-z0-9_~-][A-Za-z0-9\-_.~!$&'*+,=@/]*+"
QUERY = r"\?[A-Za-z0-9\-_.~!$&()*+,;=:@/?]++"

ABSOLUTE, NO_SCHEME, FROM_ROOT, FROM_FOLDER, ONLY_QUERY, SAME_PAGE = range(1, 7)  # groups of the short cut


def _plain_address(schemes: frozenset[str]) -> re.Pattern[str]:
    """Compile the short cut: one group for each way in which a plain address can be written."""
    web = "|".join(sorted(schemes & {"http", "https"})) or "(?!)"
    return re.compile(
        rf"(?:((?:{web})://{HOST}/{PATH}(?:{QUERY})?)|(//{HOST}/{PATH}(?:{QUERY})?)"
        rf"|(/(?!/){PATH}(?:{QUERY})?)|({RELATIVE}(?:{QUERY})?)|({QUERY})|())(?=#|\Z)"
    )


def _any_of(names: Iterable[str]) -> str:
    """Return a pattern for these names, `*` standing for any run; one that never matches for none."""
    return "|".join(re.escape(name.lower()).replace(r"\*", "[^=&;/?]*") for name in sorted(names)) or r"(?!)"


@dataclass(frozen=True, slots=True)
class _Base:
    """One page as seen by its own links; None where only the long way is safe."""

    scheme: str | None = None  # "https:"
    origin: str | None = None  # "https://a.example"
    folder: str | None = None  # "https://a.example/x/"
    path: str | None = None  # "https://a.example/x/y"
    page: str | None = None  # "https://a.example/x/y?z=1"


class Canonicalizer:
    """Canonical forms by one set of rules; holds compiled rules and no other state."""

    def __init__(self, rules: CanonicalRules = CanonicalRules()) -> None:  # noqa: B008  frozen value
        self.rules = rules
        self._plain = _plain_address(rules.schemes).match
        tracking = _any_of(rules.tracking_parameters)
        names = {name.lower() for name in rules.session_parameters}
        session, token = _any_of(names.intersection(UNMISTAKABLE_SESSIONS)), _any_of(names)
        # One pattern over lower-case text is three times as fast as one that ignores case. It finds all that
        # may be unwanted; whether it is, the value says.
        self._has_unwanted = re.compile(
            rf"[?&](?:(?:{tracking})(?=[=&]|\Z)|(?:{session})=|(?:{token})=[^&]{{16}})"
        ).search
        self._is_tracking = re.compile(rf"(?:{tracking})\Z").match
        self._is_session = re.compile(rf"(?:{session})\Z").match
        self._is_token = re.compile(rf"(?:{token})\Z").match

    def canonical(self, url: str) -> str | None:
        """Return the canonical form of an absolute address; None when it is not one we fetch."""
        plain = self._plain(url)
        if plain is not None and plain.lastindex == ABSOLUTE and self._is_clean(plain[0]):
            return self._fetchable(plain[0])
        return self._settle(None, url)

    def join(self, base: str, hrefs: Sequence[str], bad: list[str] | None = None) -> list[str]:
        """Return the canonical forms of all links of one page, each once, in order of appearance.

        Those that have none are added to `bad`.
        """
        around = self._base(base)
        starts = (None, "", around.scheme, around.origin, around.folder, around.path, around.page)
        plain, has_unwanted, bytes_max = self._plain, self._has_unwanted, self.rules.url_bytes_max
        found: dict[str, None] = {}
        for href in dict.fromkeys(hrefs):
            match = plain(href)
            if match is not None and (start := starts[match.lastindex or 0]) is not None:
                link = match[0]
                # `_is_clean`, written out: this loop sees every link of every page.
                if not ("/." in link or "xn--" in link or ("?" in link and has_unwanted(link.lower()))):
                    url = start + link
                    if len(url) <= bytes_max:
                        found[url] = None
                    elif bad is not None:
                        bad.append(href)
                    continue
            settled = self._settle(base, href)
            if settled is not None:
                found[settled] = None
            elif bad is not None:
                bad.append(href)
        return list(found)

    def _is_clean(self, link: str) -> bool:
        """Say whether a plain address holds none of the rarer things that must be changed."""
        return not ("/." in link or "xn--" in link or ("?" in link and self._has_unwanted(link.lower())))

    def _fetchable(self, url: str) -> str | None:
        if len(url) <= self.rules.url_bytes_max and url[: url.find(":")] in self.rules.schemes:
            return url
        return None

    def _base(self, base: str) -> _Base:
        """Return what links of this page may be glued to."""
        url = self.canonical(base)
        if url is None or url.startswith("file:"):
            return _Base()
        slash = url.index("/", url.index("://") + 3)
        scheme, origin = url[: url.index(":") + 1], url[:slash]
        if url != base.partition("#")[0]:
            return _Base(scheme, origin)
        path = url.partition("?")[0]
        return _Base(scheme, origin, folder=path[: path.rindex("/") + 1], path=path, page=url)

    def _settle(self, base: str | None, href: str) -> str | None:
        """Go the long way: standard and rules in turn until nothing changes."""
        if len(href) > RAW_LENGTH_FACTOR * self.rules.url_bytes_max:
            return None
        url = whatwg_join(base, href)
        if url is None and base is not None:  # the base may be broken; absolute links need none
            url = whatwg_join(None, href)
        for _ in range(ROUNDS_MAX):
            if url is None:
                return None
            cleaned = self._clean(url)
            if cleaned is None or cleaned == url:
                return cleaned and self._fetchable(cleaned)
            url = whatwg_join(None, cleaned)
        return None

    def _clean(self, url: str) -> str | None:
        """Apply the rules once to a serialised address."""
        scheme, separator, rest = url.partition("#")[0].partition("://")
        if not separator or scheme not in self.rules.schemes:
            return None
        address, query_mark, query = rest.partition("?")
        host, _, path = address.partition("/")
        host = _bare_host(host)
        if not host and scheme != "file":
            return None
        path = "/" + self._clean_path(tidy_escapes(path))
        query = self._clean_query(tidy_escapes(query)) if query_mark else ""
        return f"{scheme}://{host}{path}?{query}" if query else f"{scheme}://{host}{path}"

    def _clean_path(self, path: str) -> str:
        """Remove session ids from a path, given without its first slash."""
        if ";" in path:
            path = PATH_PARAMETER.sub(self._without_session, path)
        if "(" in path:
            path = COOKIELESS_SESSION.sub("", "/" + path)[1:]
        return path

    def _without_session(self, parameter: re.Match[str]) -> str:
        """Return a parameter of a path, or nothing for the id of a session: here some names suffice."""
        lower = parameter[1].lower()
        is_session = self._is_session(lower) or (self._is_token(lower) and is_random(parameter[2]))
        return "" if is_session else parameter[0]

    def _clean_query(self, query: str) -> str:
        """Remove tracking parameters and session ids; the others stay in order."""
        if self._has_unwanted("?" + query.lower()) is None:
            return query
        parts = query.split("&")
        names = {part.partition("=")[0].lower() for part in parts}
        numbers = [
            number for number, token in NUMBERED_PARAMETERS if token in names and self._is_session(token)
        ]
        return "&".join([part for part in parts if not self._is_unwanted(part, numbers)])

    def _is_unwanted(self, part: str, numbers: Collection[str]) -> bool:
        name, _, value = part.partition("=")
        name = name.lower()
        if self._is_tracking(name) or name in numbers:
            return True
        if self._is_session(name):
            return is_session_id(value)
        return self._is_token(name) is not None and is_random(value)


def _bare_host(host: str) -> str:
    """Drop the user name and the dots at the end; the port stays."""
    host = host.rpartition("@")[2]
    if "." not in host[-7:] or host.startswith("["):
        return host
    name, colon, port = host.partition(":")
    return name.rstrip(".") + colon + port
