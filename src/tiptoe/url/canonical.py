"""Which spelling of a URL do we keep?

A page has many URLs and is requested by one, its canonical form. That is the
WHATWG serialisation without the parts that do not determine the page: fragment, user
name, default port, trailing dot of the host, session ids, tracking parameters, an
empty query. Escapes are upper case and only where needed. Parameters keep their order. What looks like a
session id is removed only if the page around the link confirms that it is one: see `suspects.py`.
Different canonical forms that servers treat as one page are the subject of `spelling.py`.

Rule: the canonical form of a canonical form is itself, and the short cut for
plain URLs gives exactly the same results as the general way.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from tiptoe.url.canonical_rules import NUMBERED_PARAMETERS, UNMISTAKABLE_SESSIONS, CanonicalRules
from tiptoe.url.escapes import tidy_escapes
from tiptoe.url.sessions import is_random, is_session_id
from tiptoe.url.suspects import LinkingAnswer, OwnLinks, SessionId, Suspect, borne_out, values_set
from tiptoe.url.whatwg import whatwg_join

__all__ = ["CanonicalRules", "Canonicalizer"]

ROUNDS_MAX = 5
"""Maximum number of rounds: removing one thing may expose another, but a URL that needs more rounds is
malicious and refused."""

RAW_LENGTH_FACTOR = 4
"""Maximum length of an href, in maximum lengths of a URL: removing tracking parameters may shorten it."""

ESCAPED_TWICE = "amp;"
"""What precedes a name if its `&` was escaped twice."""

PATH_PARAMETER = re.compile(r";([^;=/]*)=([^;/]*)")
COOKIELESS_SESSION = re.compile(
    r"/\((?:(?=[^/]*[A-Za-z]\([^()/]{16})(?:[A-Za-z]\([^()/]*\))+|(?=[a-z]*[0-5])[a-z0-5]{24})\)(?=/|\Z)"
)
"""As ASP.NET and its first version write it, but not `/(S(3))`, which may be the group of permutations."""

# Characters that neither the standard nor our rules would change. Left out on purpose: `%`, `;` and
# brackets (session ids), `'` in a query (escaped there), `:` in a relative path (may be a scheme).
HOST = r"[a-z0-9][a-z0-9.-]*\.[a-z]{2,}"
PATH = r"[A-Za-z0-9\-_.~!$&'*+,=:@/]*+"
RELATIVE = r"[A-Za-z0-9_~-][A-Za-z0-9\-_.~!$&'*+,=@/]*+"
QUERY = r"\?[A-Za-z0-9\-_.~!$&()*+,;=:@/?]++"

Keeps = Callable[[SessionId], object]
"""Says whether a suspected session id stays in a URL: returns a true value if so."""

ABSOLUTE, NO_SCHEME, FROM_ROOT, FROM_FOLDER, ONLY_QUERY, SAME_PAGE = range(1, 7)  # groups of the short cut


def _plain_address(schemes: frozenset[str]) -> re.Pattern[str]:
    """Compile the short cut: one group for each way in which a plain URL can be written."""
    web = "|".join(sorted(schemes & {"http", "https"})) or "(?!)"
    return re.compile(
        rf"(?:((?:{web})://{HOST}/{PATH}(?:{QUERY})?)|(//{HOST}/{PATH}(?:{QUERY})?)"
        rf"|(/(?!/){PATH}(?:{QUERY})?)|({RELATIVE}(?:{QUERY})?)|({QUERY})|())(?=#|\Z)"
    )


def _any_of(names: Iterable[str]) -> str:
    """Return a pattern for these names, in which `*` matches any run; without names it never matches."""
    return "|".join(re.escape(name.lower()).replace(r"\*", "[^=&;/?]*") for name in sorted(names)) or r"(?!)"


@dataclass(frozen=True, slots=True)
class _Base:
    """The URL of a page, in parts to which its links can be appended; None where that is not safe."""

    scheme: str | None = None  # "https:"
    origin: str | None = None  # "https://a.example"
    folder: str | None = None  # "https://a.example/x/"
    path: str | None = None  # "https://a.example/x/y"
    page: str | None = None  # "https://a.example/x/y?z=1"


class Canonicalizer:
    """Computes canonical forms by one set of rules; its only state is the compiled rules."""

    def __init__(self, rules: CanonicalRules = CanonicalRules()) -> None:  # noqa: B008  frozen value
        self.rules = rules
        self._plain = _plain_address(rules.schemes).match
        tracking = _any_of(rules.tracking_parameters)
        names = {name.lower() for name in rules.session_parameters}
        session, token = _any_of(names.intersection(UNMISTAKABLE_SESSIONS)), _any_of(names)
        # One pattern over lower-case text is three times as fast as one that ignores case. It finds all
        # parameters that may be unwanted; their values decide.
        self._has_unwanted = re.compile(
            rf"[?&;](?:amp;)?(?:(?:{tracking})(?=[=&]|\Z)|(?:{session})=|(?:{token})=[^&]{{16}})"
        ).search
        self._is_tracking = re.compile(rf"(?:{tracking})\Z").match
        self._is_session = re.compile(rf"(?:{session})\Z").match
        self._is_token = re.compile(rf"(?:{token})\Z").match

    def canonical(self, url: str) -> str | None:
        """Return the canonical form of an absolute URL; None if it is not one we fetch."""
        plain = self._plain(url)
        if plain is not None and plain.lastindex == ABSOLUTE and self._is_clean(plain[0]):
            return self._fetchable(plain[0])
        return self._settle(None, url, _needs_evidence)

    def join(
        self, base: str, hrefs: Sequence[str], bad: list[str] | None = None,
        linking_answer: LinkingAnswer | None = None, suspicious: list[str] | None = None,
    ) -> list[str]:  # fmt: skip
        """Return the canonical forms of all links of one page, each once, in order of appearance.

        Links without a canonical form are added to `bad`, those whose form depends on the rest of the page
        to `suspicious`.
        """
        suspects: dict[str, Suspect] = {}
        found = self._forms(base, hrefs, bad, suspects, suspicious)
        if suspects:
            sessions = self._sessions(base, hrefs, found, suspects, linking_answer)
            found = dict.fromkeys(
                [self._judge(url, suspects[url], sessions) if url in suspects else url for url in found]
            )
        return list(found)

    def redirect(self, linking_answer: LinkingAnswer, location: str) -> str | None:
        """Return where a redirect leads, with the session id if the server insists on one."""
        url, suspicious = linking_answer.url, list[str]()
        target = next(iter(self.join(url, [location], None, linking_answer, suspicious)), None)
        return self._settle(url, location, _keep) if suspicious and target == url else target

    def _forms(
        self, base: str, hrefs: Iterable[str], bad: list[str] | None,
        suspects: dict[str, Suspect], suspicious: list[str] | None = None,
    ) -> dict[str, None]:  # fmt: skip
        """Return the forms of links, including everything that may be a session id."""
        page = self._base(base)
        starts = (None, "", page.scheme, page.origin, page.folder, page.path, page.page)
        plain, has_unwanted, bytes_max = self._plain, self._has_unwanted, self.rules.url_bytes_max
        found: dict[str, None] = {}
        for href in dict.fromkeys(hrefs):
            match = plain(href)
            if match is not None and (start := starts[match.lastindex or 0]) is not None:
                link = match[0]
                # `_is_clean` inlined, because this loop handles every link of every page.
                if not ("/." in link or "xn--" in link or ("?" in link and has_unwanted(link.lower()))):
                    url = start + link
                    if len(url) <= bytes_max:
                        found[url] = None
                    elif bad is not None:
                        bad.append(href)
                    continue
            ids: list[SessionId] = []
            settled = self._settle(base, href, ids.append)  # `append` returns None, so no id is kept
            if ids and settled is not None and (whole := self._settle(base, href, _keep)) is not None:
                suspects[whole] = Suspect(settled, tuple(ids))
                if suspicious is not None:
                    suspicious.append(href)
                settled = whole
            if settled is not None:
                found[settled] = None
            elif bad is not None:
                bad.append(href)
        return found

    def _sessions(
        self, base: str, hrefs: Sequence[str], found: dict[str, None],
        suspects: dict[str, Suspect], linking_answer: LinkingAnswer | None,
    ) -> set[SessionId]:  # fmt: skip
        """Return those suspected ids on a page that are session ids."""
        if linking_answer is None:
            return borne_out(suspects.values(), None)
        if hrefs != linking_answer.hrefs:  # these are not all links of the page
            suspects = dict(suspects)
            found = self._forms(base, linking_answer.hrefs, None, suspects)
        host = _authority_of(linking_answer.url)
        links = {suspects[url].bare if url in suspects else url for url in found} - {linking_answer.url}
        links_count = sum(_authority_of(url) == host for url in links)
        own = OwnLinks(host, links_count, self._asked(linking_answer), values_set(linking_answer.cookies))
        return borne_out(suspects.values(), own)

    def _asked(self, linking_answer: LinkingAnswer) -> str:
        """Return the URL by which a page was requested, before its server added a session id."""
        before, drop = linking_answer.redirected_from, list[SessionId]().append
        if before and self._settle(None, before, drop) == self._settle(None, linking_answer.url, drop):
            return before
        return linking_answer.url

    def _judge(self, url: str, suspect: Suspect, sessions: set[SessionId]) -> str:
        if sessions.issuperset(suspect.ids):
            return suspect.bare
        if sessions.isdisjoint(suspect.ids):
            return url
        return self._settle(None, url, lambda one: one not in sessions) or url

    def _is_clean(self, link: str) -> bool:
        """Whether a plain URL has none of the rarer parts that must be changed."""
        return not ("/." in link or "xn--" in link or ("?" in link and self._has_unwanted(link.lower())))

    def _fetchable(self, url: str) -> str | None:
        if len(url) <= self.rules.url_bytes_max and url[: url.find(":")] in self.rules.schemes:
            return url
        return None

    def _base(self, base: str) -> _Base:
        """Return the parts of a page's URL to which its links can be appended."""
        url = self.canonical(base)
        if url is None or url.startswith("file:"):
            return _Base()
        slash = url.index("/", url.index("://") + 3)
        scheme, origin = url[: url.index(":") + 1], url[:slash]
        if url != base.partition("#")[0]:
            return _Base(scheme, origin)
        path = url.partition("?")[0]
        folder = path[: path.rindex("/") + 1]
        # A stray percent sign after the folder may be why its escapes were left as they are.
        is_tidy = "%" not in path or tidy_escapes(folder) == folder
        return _Base(scheme, origin, folder=folder if is_tidy else None, path=path, page=url)

    def _settle(self, base: str | None, href: str, keeps: Keeps) -> str | None:
        """Apply the standard and our rules in turn until nothing changes: the general way."""
        if len(href) > RAW_LENGTH_FACTOR * self.rules.url_bytes_max:
            return None
        url = whatwg_join(base, href)
        if url is None and base is not None:  # the base may be invalid; absolute links do not need it
            url = whatwg_join(None, href)
        for _ in range(ROUNDS_MAX):
            if url is None:
                return None
            cleaned = self._clean(url, keeps)
            if cleaned is None or cleaned == url:
                return cleaned and self._fetchable(cleaned)
            url = whatwg_join(None, cleaned)
        return None

    def _clean(self, url: str, keeps: Keeps) -> str | None:
        """Apply the rules once to a serialised URL."""
        scheme, separator, rest = url.partition("#")[0].partition("://")
        if not separator or scheme not in self.rules.schemes:
            return None
        address, query_mark, query = rest.partition("?")
        host, _, path = address.partition("/")
        host = _bare_host(host)
        if not host and scheme != "file":
            return None
        path = "/" + self._clean_path(tidy_escapes(path), host, keeps)
        query = self._clean_query(tidy_escapes(query), host, keeps) if query_mark else ""
        return f"{scheme}://{host}{path}?{query}" if query else f"{scheme}://{host}{path}"

    def _clean_path(self, path: str, host: str, keeps: Keeps) -> str:
        """Remove session ids from a path, which is given without its first slash."""
        if ";" in path:
            path = PATH_PARAMETER.sub(lambda found: self._path_parameter(found, host, keeps), path)
        if "(" in path:
            path = COOKIELESS_SESSION.sub(
                lambda found: found[0] if keeps(SessionId(host, "(", found[0], True)) else "", "/" + path
            )[1:]
        return path

    def _path_parameter(self, found: re.Match[str], host: str, keeps: Keeps) -> str:
        """Return a parameter of a path, or nothing if it is a session id; some names are sufficient here."""
        name, value = found[1].lower(), found[2]
        is_telling = self._is_session(name) is not None
        if not is_telling and (self._is_token(name) is None or not is_random(value)):
            return found[0]
        return found[0] if keeps(SessionId(host, name, value, is_telling)) else ""

    def _clean_query(self, query: str, host: str, keeps: Keeps) -> str:
        """Remove tracking parameters and session ids; the others keep their order."""
        if self._has_unwanted("?" + query.lower()) is None:
            return query
        parts = query.split("&")
        names = {part.partition("=")[0].lower() for part in parts}
        numbers = [
            number for number, token in NUMBERED_PARAMETERS if token in names and self._is_session(token)
        ]
        left = [self._left_of(part, numbers, host, keeps) for part in parts]
        return "&".join([part for part in left if part is not None])

    def _left_of(self, part: str, numbers: Collection[str], host: str, keeps: Keeps) -> str | None:
        """Return a parameter without its unwanted parts; None if nothing is left.

        After a semicolon, programs write the next parameter, or a parameter of a path.
        """
        mark = part[: len(ESCAPED_TWICE)] if part.lower().startswith(ESCAPED_TWICE) else ""
        head, *tails = part.removeprefix(mark).split(";")
        is_wanted = self._is_wanted(head, numbers, host, keeps)
        tails = [tail for tail in tails if self._is_wanted(tail, (), host, keeps)]
        if is_wanted:
            return mark + ";".join([head, *tails])
        # A part without a name belongs to the value that is removed.
        return ";".join([tail for tail in tails if "=" in tail]) or None

    def _is_wanted(self, part: str, numbers: Collection[str], host: str, keeps: Keeps) -> bool:
        name, _, value = part.partition("=")
        name = name.lower()
        if self._is_tracking(name):
            return False
        is_telling = name in numbers or self._is_session(name) is not None
        if is_telling:
            is_suspect = name in numbers or is_session_id(value)
        else:
            is_suspect = self._is_token(name) is not None and is_random(value)
        return not is_suspect or bool(keeps(SessionId(host, name, value, is_telling)))


def _needs_evidence(one: SessionId) -> bool:
    """Keep ids that are not certain by their name alone, because a single URL gives no other evidence."""
    return not one.is_telling


def _keep(_: SessionId) -> bool:
    return True


def _authority_of(url: str) -> str:
    """Return the host with its port."""
    return url.split("/", 3)[2]


def _bare_host(host: str) -> str:
    """Remove the user name and trailing dots from an authority; the port stays."""
    host = host.rpartition("@")[2]
    if "." not in host[-7:] or host.startswith("["):
        return host
    name, colon, port = host.partition(":")
    return name.rstrip(".") + colon + port
