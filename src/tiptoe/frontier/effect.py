"""What does a step mean for other hosts?

A step settles what was brought from one host. What follows for another one is a value addressed to it, which
can be applied here (see `effects`) or be sent to where that host lives. None of them is answered: an effect
that is applied may have effects of its own.
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
    """The rules of an origin of this host are here, have moved, or are not to be had."""

    host: str
    origin: str
    note: RobotsNote
    via: str  # where they were asked for
    hops: int = 0  # from their own place to there
    is_own: bool = True  # this host was asked itself


class RulesWanted(msgspec.Struct, frozen=True, array_like=True, tag=2, gc=False):
    """This host has the rules of another one and is to be asked for them."""

    host: str
    request: Request


class TextShared(msgspec.Struct, frozen=True, array_like=True, tag=3, gc=False):
    """A text that this host had first stands on another one, too: its twin, with so many pages and copies."""

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
    """Pages of this host were fetched by others: they are not to be asked for again."""

    host: str
    urls: list[str]


class HostOrdered(msgspec.Struct, frozen=True, array_like=True, tag=7, gc=False):
    """The operator wants this host to be left alone, or asked less often; None: as before."""

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
"""Each has a `host`, whom it is addressed to."""
