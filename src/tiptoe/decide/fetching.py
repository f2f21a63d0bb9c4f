"""The decision point `fetch`: may this be requested?

Evaluated by a harvester right before each request, so that rules just read apply to everything that was
queued before. Not decided here: *when* the request is made (`harvest/lane.py`), and which networks may be
contacted (`fetch/guard.py`).
"""

import msgspec

from tiptoe.decide.discard import Discard
from tiptoe.decide.filtering import PageFilter
from tiptoe.decide.point import DecisionPoint, Rule
from tiptoe.fetch.robots import Robots
from tiptoe.protocol.work import Purpose
from tiptoe.url.address import split_url

__all__ = ["FetchPoint", "PendingRequest", "fetch_point"]


class PendingRequest(msgspec.Struct, frozen=True, gc=False):
    """A request that is about to be made."""

    url: str
    robots: Robots  # the rules of its origin
    purpose: Purpose = Purpose.RULES_REQUEST
    depth: int = 0  # links away from a seed
    address: str = ""  # the IP address it goes to


FetchPoint = DecisionPoint[PendingRequest, Discard]


JUDGED = frozenset({Purpose.PAGE, Purpose.SITEMAP, Purpose.FEED, Purpose.REQUISITE})
"""Purposes that filters judge; the rules of a host are requested whatever the filters say."""


def fetch_point(filters: PageFilter | None = None) -> FetchPoint:
    """Return the point that decides whether a request is made."""
    return DecisionPoint(robots_txt) if filters is None else DecisionPoint(robots_txt, denied_by(filters))


def robots_txt(pending: PendingRequest) -> Discard | None:
    """Refuse what the robots.txt of the origin forbids."""
    if not pending.robots.rules or pending.robots.allows(split_url(pending.url).path):
        return None
    return Discard.DISALLOWED


def denied_by(filters: PageFilter) -> Rule[PendingRequest, Discard]:
    """Return the rule that refuses what the operator's filters deny by its URL or address."""

    def denied(pending: PendingRequest) -> Discard | None:
        if pending.purpose not in JUDGED:
            return None
        is_source = pending.purpose is not Purpose.PAGE
        return filters.refuses_request(pending.url, pending.depth, pending.address, is_source=is_source)

    return denied
