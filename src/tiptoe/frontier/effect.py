"""What does a step mean for other hosts?

A step settles the results of one host. What follows from them for another host is a value addressed to that
host, which is applied here (see `effects`) or sent to the shard where that host lives. Effects are not
answered; applying one may cause further effects.
"""

import msgspec

from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.protocol.work import Request, RobotsNote

__all__ = [
    "Downloaded",
    "Effect",
    "HostOrdered",
    "LeadRewarded",
    "MirrorFound",
    "RulesAnswered",
    "RulesWanted",
    "TextShared",
]


class RulesAnswered(msgspec.Struct, frozen=True, array_like=True, tag=1, gc=False):
    """The rules of an origin of this host were fetched, have moved, or cannot be fetched."""

    host: str
    origin: str
    note: RobotsNote
    via: str  # the URL that was requested
    hops: int = 0  # redirects from the origin's own robots.txt to that URL
    is_own: bool = True  # the request went to this host itself


class RulesWanted(msgspec.Struct, frozen=True, array_like=True, tag=2, gc=False):
    """This host has the rules of another one; they are to be requested from it."""

    host: str
    request: Request


class TextShared(msgspec.Struct, frozen=True, array_like=True, tag=3, gc=False):
    """A text that this host had first is also on another one, its twin."""

    host: str
    twin: str
    pages: int
    copies: int
    is_twin_gone: bool = False


class MirrorFound(msgspec.Struct, frozen=True, array_like=True, tag=4, gc=False):
    """This host only repeats another one."""

    host: str


class LeadRewarded(msgspec.Struct, frozen=True, array_like=True, tag=5, gc=False):
    """A link found in a section of this host has led to usable text elsewhere."""

    host: str
    section: str
    chars: float


class Downloaded(msgspec.Struct, frozen=True, array_like=True, tag=6, gc=False):
    """Pages of this host were downloaded by others and are not to be requested."""

    host: str
    urls: list[str]


class HostOrdered(msgspec.Struct, frozen=True, array_like=True, tag=7, gc=False):
    """The operator has blocked this host or slowed it down, or undone that; None: unchanged."""

    host: str
    is_blocked: bool | None = None
    slowed_to: float | None = None
    number: int = 0  # of a standing order: see `standing_orders`


Effect = (
    LinkBatch
    | RulesAnswered
    | RulesWanted
    | TextShared
    | MirrorFound
    | LeadRewarded
    | Downloaded
    | HostOrdered
)
"""Each has a `host`, to which it is addressed."""
