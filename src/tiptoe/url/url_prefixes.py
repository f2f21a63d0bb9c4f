"""Does an address begin like one of these?

A prefix names the whole host: then one look-up finds the few that can be meant, however many there are.
"""

from collections import defaultdict
from collections.abc import Iterable

from tiptoe.url.bare import address_meant
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.canonical_rules import SCHEMES, CanonicalRules

__all__ = ["UrlPrefixes", "canonical_prefixes"]

WEB = ("http", "https")


def canonical_prefixes(given: str) -> tuple[str, ...]:
    """Return the beginnings of canonical URLs that somebody means; none when no host can be made out."""
    rules = CanonicalRules(tracking_parameters=(), session_parameters=(), schemes=frozenset(SCHEMES))
    canonical = Canonicalizer(rules).canonical
    if "://" in given:
        found = [canonical(given)]
    else:
        found = [canonical(meant) for scheme in WEB if (meant := address_meant(given, (scheme,)))]
    return tuple(url for url in found if url is not None)


class UrlPrefixes:
    """Beginnings of canonical URLs."""

    def __init__(self, prefixes: Iterable[str]) -> None:
        by_authority: defaultdict[str, list[str]] = defaultdict(list)
        for prefix in dict.fromkeys(prefixes):
            by_authority[_authority(prefix)].append(prefix)
        self._by_authority = {authority: tuple(some) for authority, some in by_authority.items()}

    def __bool__(self) -> bool:
        return bool(self._by_authority)

    def begin(self, url: str) -> bool:
        """Tell whether a canonical URL begins like one of them."""
        return url.startswith(self._by_authority.get(_authority(url), ()))


def _authority(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]
