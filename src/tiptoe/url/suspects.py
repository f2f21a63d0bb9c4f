"""Is what looks like a session id really one, by the evidence around it?

Name and value make a suspect (`sessions.py`); the page that contains the link decides. A server that numbers
its visitors writes the same number into all links of a page; one that numbers its pages writes many numbers.
Only a single answer counts as evidence, without any memory, so the result is always the same.

Rule: in doubt a parameter determines the page.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

__all__ = ["LinkingAnswer", "OwnLinks", "SessionId", "Suspect", "borne_out", "values_set"]

CARRIERS_MIN: Final = 2
"""Minimum number of different links of a page with the same id for them to be evidence."""


class SessionId(NamedTuple):
    """A suspected session id, and where it was found."""

    host: str  # with its port
    name: str
    value: str
    is_telling: bool  # only session ids have such a name, so no further evidence is needed


class Suspect(NamedTuple):
    """A link with suspected session ids."""

    bare: str  # the canonical form without them
    ids: tuple[SessionId, ...]


class LinkingAnswer(NamedTuple):
    """The answer in which links were found, as far as they were written by its server."""

    url: str  # canonical
    hrefs: Sequence[str] = ()
    cookies: Sequence[str] = ()  # Set-Cookie fields
    redirected_from: str = ""  # the URL that redirected to this one


class OwnLinks(NamedTuple):
    """The evidence of a page about ids in links to its own host; other sites may write any links to it."""

    host: str
    links_count: int  # its different links to pages of that host
    asked: str  # the URL we requested: values in it may determine the page
    cookies: Collection[str]  # values


def values_set(cookies: Iterable[str]) -> set[str]:
    """Return the values that Set-Cookie fields give (RFC 6265, 5.2)."""
    return {cookie.partition(";")[0].partition("=")[2].strip(' \t"') for cookie in cookies}


def borne_out(suspects: Collection[Suspect], own: OwnLinks | None) -> set[SessionId]:
    """Return which ids are session ids, given all suspects of a page and its other evidence."""
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
    """Whether the server itself has introduced this id: in a cookie, or in most of its links."""
    if one.host != own.host or one.value in own.asked:
        return False
    return one.value in own.cookies or (carriers >= CARRIERS_MIN and 2 * carriers > own.links_count)


def _refuted(suspects: Iterable[Suspect]) -> set[tuple[str, str]]:
    """Return the names, with their hosts, that are the only difference between some links of the page."""
    first: dict[str, tuple[SessionId, ...]] = {}
    return {
        (one.host, one.name)
        for bare, ids in suspects
        if first.setdefault(bare, ids) != ids
        for one in {*ids} ^ {*first[bare]}
    }
