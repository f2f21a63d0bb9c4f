"""Does a URL begin with one of these prefixes?

A prefix contains the whole host, so one lookup finds the few that can match, however many there are.
"""

from collections import defaultdict
from collections.abc import Iterable

from tiptoe.url.bare import address_meant
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.canonical_rules import SCHEMES, CanonicalRules

__all__ = ["UrlPrefixes", "canonical_prefixes"]

WEB = ("http", "https")


def canonical_prefixes(given: str) -> tuple[str, ...]:
    """Return the prefixes of canonical URLs that are meant by a text; none if no host is recognised in it."""
    rules = CanonicalRules(tracking_parameters=(), session_parameters=(), schemes=frozenset(SCHEMES))
    canonical = Canonicalizer(rules).canonical
    if "://" in given:
        found = [canonical(given)]
    else:
        found = [canonical(meant) for scheme in WEB if (meant := address_meant(given, (scheme,)))]
    return tuple(url for url in found if url is not None)


class UrlPrefixes:
    """Prefixes of canonical URLs."""

    def __init__(self, prefixes: Iterable[str]) -> None:
        by_authority: defaultdict[str, list[str]] = defaultdict(list)
        for prefix in dict.fromkeys(prefixes):
            by_authority[_authority(prefix)].append(prefix)
        self._by_authority = {authority: tuple(some) for authority, some in by_authority.items()}

    def __bool__(self) -> bool:
        return bool(self._by_authority)

    def begin(self, url: str) -> bool:
        """Whether a canonical URL begins with one of them."""
        return url.startswith(self._by_authority.get(_authority(url), ()))


def _authority(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]
