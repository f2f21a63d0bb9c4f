"""The decision point `fetch`: may this be asked for?

Asked by a harvester right before each request, so that rules that were just read count for everything that
was queued before. Not decided here: *when* it is asked for (`harvest/lane.py`), and to which networks we may
go (`fetch/guard.py`).
"""

import msgspec

from tiptoe.decide.discard import Discard
from tiptoe.decide.point import DecisionPoint
from tiptoe.fetch.robots import Robots
from tiptoe.url.address import split_url

__all__ = ["FetchPoint", "PendingRequest", "fetch_point"]


class PendingRequest(msgspec.Struct, frozen=True, gc=False):
    """A request that is about to be made."""

    url: str
    robots: Robots  # the rules of its origin


FetchPoint = DecisionPoint[PendingRequest, Discard]


def fetch_point() -> FetchPoint:
    """Return what decides whether a request is made."""
    return DecisionPoint(robots_txt)


def robots_txt(pending: PendingRequest) -> Discard | None:
    """Refuse what the robots.txt of the origin forbids."""
    if not pending.robots.rules or pending.robots.allows(split_url(pending.url).path):
        return None
    return Discard.DISALLOWED
