"""Is what looks like the id of a session one, by all that is seen around it?

Name and value make a suspect (`sessions.py`); the page on which the link stands decides. A server that
numbers its visitors writes one number into all links of a page, one that numbers its pages writes many.
Only what stands in one answer counts, the same whoever reads it and whenever: no memory has a say.

Rule: in doubt a parameter chooses the page.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

__all__ = ["LinkingAnswer", "OwnLinks", "SessionId", "Suspect", "borne_out", "values_set"]

CARRIERS_MIN: Final = 2
"""Minimum number of different links of a page that carry an id before they bear each other out."""


class SessionId(NamedTuple):
    """What looks like the id of a session, and where."""

    host: str  # with its port
    name: str
    value: str
    is_telling: bool  # nothing but a session has such a name: it needs no further evidence


class Suspect(NamedTuple):
    """A link with such ids."""

    bare: str  # the canonical form without them
    ids: tuple[SessionId, ...]


class LinkingAnswer(NamedTuple):
    """The answer in which links were found, as far as it was its server that wrote them."""

    url: str  # canonical
    hrefs: Sequence[str] = ()
    cookies: Sequence[str] = ()  # Set-Cookie fields
    redirected_from: str = ""  # the address that led to this one


class OwnLinks(NamedTuple):
    """What a page shows of ids in links to its own host; others may write what they like about it."""

    host: str
    links_count: int  # its different links to pages of that host
    asked: str  # the address that we chose: what stands in it chooses the page, for all we know
    cookies: Collection[str]  # values


def values_set(cookies: Iterable[str]) -> set[str]:
    """Return the values that Set-Cookie fields give (RFC 6265, 5.2)."""
    return {cookie.partition(";")[0].partition("=")[2].strip(' \t"') for cookie in cookies}


def borne_out(suspects: Collection[Suspect], own: OwnLinks | None) -> set[SessionId]:
    """Return which ids are those of sessions, given all suspects of a page and what else it shows."""
    refuted = _refuted(suspects)
    carriers: defaultdict[SessionId, set[str]] = defaultdict(set)
    for bare, ids in suspects:
        for one in ids:
            carriers[one].add(bare)
    return {
        one
        for one, bares in carriers.items()
        if (one.host, one.name) not in refuted
        and (one.is_telling or (own is not None and _is_shown(one, len(bares), own)))
    }


def _is_shown(one: SessionId, carriers: int, own: OwnLinks) -> bool:
    """Say whether the server has brought this id up itself: in a cookie, or in most of its links."""
    if one.host != own.host or one.value in own.asked:
        return False
    return one.value in own.cookies or (carriers >= CARRIERS_MIN and 2 * carriers > own.links_count)


def _refuted(suspects: Iterable[Suspect]) -> set[tuple[str, str]]:
    """Return the names, with their hosts, that alone tell some links of the page apart."""
    first: dict[str, tuple[SessionId, ...]] = {}
    return {
        (one.host, one.name)
        for bare, ids in suspects
        if first.setdefault(bare, ids) != ids
        for one in {*ids} ^ {*first[bare]}
    }
