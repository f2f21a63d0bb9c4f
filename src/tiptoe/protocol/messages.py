"""What do keeper and harvesters say to each other?

The contract is docs/protocols/harvester.md. Each message is a tagged struct;
fields are positional, new ones go to the end and have a default. Operators'
commands use the same wire format: see `operator`.
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
    """Why a peer, or its command, is refused."""

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
    crawl: str = ""  # the crawl whose files are where this harvester writes; empty = none yet


class Lookup(msgspec.Struct, array_like=True):
    """The result of looking up one name."""

    host: str
    address: str = ""
    failure: str = ""


class Resolutions(msgspec.Struct, tag="resolutions", array_like=True):
    """The results of lookups of names."""

    lookups: list[Lookup]


class Judged(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How requests to a segmenter have fared since the last report."""

    rated: int = 0
    missed: int = 0  # texts not judged in time: the segmenter was down or slow, or its answers invalid
    fault: str = ""  # why it does not answer; empty if it does


class News(msgspec.Struct, tag="news", array_like=True):
    """The reports of visits, in order, and the sizes of the output files."""

    reports: list[Report]
    marks: dict[str, int] = {}
    activities: dict[str, float] = {}  # seconds spent since the last news, by activity
    trouble: str = ""  # what keeps this harvester from working, e.g. a full disk
    discards: dict[str, int] = {}  # links dropped since the last news, by reason
    judged: Judged | None = None  # about an external segmenter; None = nothing new


class Inquiry(msgspec.Struct, tag="inquiry", array_like=True):
    """Pages that were read but not written yet: which of their texts are known?"""

    questions: list[Question]


class Beat(msgspec.Struct, tag="beat", array_like=True):
    """A sign of life: a harvester numbers its beats, and the keeper returns each; silence ends a lease."""

    number: int = 0


class Unsure(msgspec.Struct, tag="unsure", array_like=True):
    """Answer to a beat by a keeper not certain of its shards: abort and return work under way, but stay."""

    number: int


class Heard(msgspec.Struct, tag="heard", array_like=True):
    """All orders up to this one are carried out: no request that they forbid will begin."""

    order: int


class Going(msgspec.Struct, tag="going", array_like=True):
    """This harvester was asked to stop; the keeper answers with `Drain`."""


class Leaving(msgspec.Struct, tag="leaving", array_like=True):
    """This harvester has reported everything and exits."""


class Welcome(msgspec.Struct, tag="welcome", array_like=True):
    """The harvester is accepted: its id, and the settings of this crawl."""

    incarnation: str
    directory: str
    settings: Mapping[str, Mapping[str, object]]
    crawl: str = ""  # its id
    shards: int = 0  # that the crawl is divided into; 0 = it runs on one machine


class Work(msgspec.Struct, tag="work", array_like=True):
    """Visits to make, and names to look up."""

    visits: list[Visit] = []
    hosts: list[str] = []
    addresses: dict[str, str] = {}  # last addresses of those names that were looked up before


class More(msgspec.Struct, tag="more", array_like=True):
    """Answer to a visit whose requests are made: further work; without any, the visit ends."""

    visit: int
    works: list[HostWork] = []


class Known(msgspec.Struct, tag="known", array_like=True):
    """Answers to an inquiry, by number: one byte for the whole text, then one for each paragraph."""

    marks: dict[int, bytes]


class Noted(msgspec.Struct, tag="noted", array_like=True):
    """These marks are recorded: everything written before them is committed."""

    marks: dict[str, int]


class Cancel(msgspec.Struct, tag="cancel", array_like=True):
    """Make no more requests to this host in the visits under way; return what is left."""

    host: str
    order: int = 0


class Revoke(msgspec.Struct, tag="revoke", array_like=True):
    """This keeper no longer holds this shard: abort its visits, and report nothing more about them."""

    shard: int
    order: int = 0


class Hold(msgspec.Struct, tag="hold", array_like=True):
    """Make no requests until further notice, or resume."""

    is_held: bool
    order: int = 0


class Amend(msgspec.Struct, tag="amend", array_like=True):
    """Use these settings from now on; end the visits under way, and return what is left of them."""

    settings: Mapping[str, Mapping[str, object]]
    order: int = 0


class Drain(msgspec.Struct, tag="drain", array_like=True):
    """Finish the requests under way, return the rest, and exit."""


class Refusal(msgspec.Struct, tag="refusal", array_like=True):
    """The peer is not accepted, or its command is not carried out."""

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
