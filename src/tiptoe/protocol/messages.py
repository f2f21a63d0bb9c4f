"""What do keeper and harvesters say to each other?

The contract is docs/protocols/harvester.md. Each message is a tagged struct;
fields are positional, new ones go to the end and have a default. What operators
say comes over the same wire, see `operator`.
"""

import enum
from collections.abc import Mapping

import msgspec

from tiptoe.protocol.operator import Command, OperatorReply
from tiptoe.protocol.work import HostWork, Question, Report, Visit

__all__ = [
    "PROTOCOL_VERSION",
    "Amend",
    "Beat",
    "Cancel",
    "Denial",
    "Drain",
    "FromKeeper",
    "Going",
    "Heard",
    "Hello",
    "Hold",
    "Inquiry",
    "Judged",
    "Known",
    "Leaving",
    "Lookup",
    "More",
    "News",
    "Noted",
    "Refusal",
    "Resolutions",
    "Revoke",
    "ToKeeper",
    "Unsure",
    "Welcome",
    "Work",
]

PROTOCOL_VERSION = 1


class Denial(enum.Enum):
    """Why a peer is not let in, or not obeyed."""

    VERSION = "version"
    TOKEN = "token"  # noqa: S105 - a name
    ROLE = "role"
    NAME = "name"
    CRAWL = "crawl"
    COMMAND = "command"


class Hello(msgspec.Struct, tag="hello", array_like=True):
    """First message of every peer."""

    role: str  # "harvester" or "control"
    name: str = ""
    token: str = ""
    version: int = PROTOCOL_VERSION
    pid: int = 0
    crawl: str = ""  # the one whose files lie where this harvester writes; empty = none yet


class Lookup(msgspec.Struct, array_like=True):
    """What came of looking up one name."""

    host: str
    address: str = ""
    failure: str = ""


class Resolutions(msgspec.Struct, tag="resolutions", array_like=True):
    """Names that were looked up."""

    lookups: list[Lookup]


class Judged(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What came of asking a segmenter since the last word about it."""

    rated: int = 0
    missed: int = 0  # texts that nobody judged in time: it was down, slow, or made no sense
    fault: str = ""  # why it does not answer; empty when it does


class News(msgspec.Struct, tag="news", array_like=True):
    """What visits brought, in order, and how far the output files are written."""

    reports: list[Report]
    marks: dict[str, int] = {}
    activities: dict[str, float] = {}  # seconds spent since the last news, by activity
    trouble: str = ""  # what keeps this harvester from working, e.g. a full disk
    discards: dict[str, int] = {}  # links that went no further since the last news, by reason
    judged: Judged | None = None  # what came of asking a segmenter elsewhere; None = nothing new


class Inquiry(msgspec.Struct, tag="inquiry", array_like=True):
    """Pages that are read and not written yet: what of them is known?"""

    questions: list[Question]


class Beat(msgspec.Struct, tag="beat", array_like=True):
    """I am here: a harvester counts its beats, and the keeper sends each back; silence ends a lease."""

    number: int = 0


class Unsure(msgspec.Struct, tag="unsure", array_like=True):
    """This beat was heard, but do not count on us: break off and return what is under way, and stay."""

    number: int


class Heard(msgspec.Struct, tag="heard", array_like=True):
    """The orders up to this one are obeyed: no request begins any more that they forbid."""

    order: int


class Going(msgspec.Struct, tag="going", array_like=True):
    """Somebody wants this harvester to go: answered with `Drain`."""


class Leaving(msgspec.Struct, tag="leaving", array_like=True):
    """Everything has been reported; this harvester goes."""


class Welcome(msgspec.Struct, tag="welcome", array_like=True):
    """You are in: your id and how this crawl is configured."""

    incarnation: str
    directory: str
    settings: Mapping[str, Mapping[str, object]]
    crawl: str = ""  # its id
    shards: int = 0  # that the crawl is divided into; 0 = it runs on one machine


class Work(msgspec.Struct, tag="work", array_like=True):
    """Packets: visits to make, names to look up."""

    visits: list[Visit] = []
    hosts: list[str] = []
    addresses: dict[str, str] = {}  # where those of the names were found last that were looked up before


class More(msgspec.Struct, tag="more", array_like=True):
    """Answer to a visit that is done: further work, or none and it ends."""

    visit: int
    works: list[HostWork] = []


class Known(msgspec.Struct, tag="known", array_like=True):
    """Answers to an inquiry, by number: one byte for the whole text, then one a paragraph."""

    marks: dict[int, bytes]


class Noted(msgspec.Struct, tag="noted", array_like=True):
    """These marks are recorded: what is written before them is safe."""

    marks: dict[str, int]


class Cancel(msgspec.Struct, tag="cancel", array_like=True):
    """Ask nothing more of this host in the visits under way; return what is left."""

    host: str
    order: int = 0


class Revoke(msgspec.Struct, tag="revoke", array_like=True):
    """This shard of the crawl is no longer ours: break off its visits, and tell nothing more of them."""

    shard: int
    order: int = 0


class Hold(msgspec.Struct, tag="hold", array_like=True):
    """Make no request until told otherwise, or go on."""

    is_held: bool
    order: int = 0


class Amend(msgspec.Struct, tag="amend", array_like=True):
    """Go by these settings from now on; end the visits under way, and return what is left of them."""

    settings: Mapping[str, Mapping[str, object]]
    order: int = 0


class Drain(msgspec.Struct, tag="drain", array_like=True):
    """Finish the requests under way, return the rest, leave."""


class Refusal(msgspec.Struct, tag="refusal", array_like=True):
    """The peer is not let in, or its command makes no sense."""

    reason: str
    why: Denial = Denial.COMMAND


ToKeeper = Hello | Resolutions | News | Inquiry | Beat | Heard | Going | Leaving | Command
FromKeeper = (
    Welcome
    | Work
    | More
    | Known
    | Noted
    | Cancel
    | Revoke
    | Hold
    | Amend
    | Drain
    | Beat
    | Unsure
    | OperatorReply
    | Refusal
)
