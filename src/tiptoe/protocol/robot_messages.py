"""What do a robot and its control server say to each other?

The contract is docs/protocols/robot.md. The robot calls, the server answers; both speak JSON. Fields go by
name, new ones have a default, so that robots and servers of different age understand each other.
"""

from typing import Annotated, Final, Literal

import msgspec

__all__ = [
    "FILTER_FILES",
    "ROBOT_ROOT",
    "VERBS",
    "BatchTaken",
    "CommandFate",
    "CommandVerb",
    "CrawlFigures",
    "DescriptionBatch",
    "ListPart",
    "ListPartTaken",
    "OrderedCommand",
    "ReportTaken",
    "RobotConfiguration",
    "RobotHello",
    "RobotNews",
    "RobotPoll",
    "RobotReport",
    "RobotWelcome",
    "RoundPart",
    "RoundPartWish",
    "RoundWish",
    "Whole",
]  # fmt: skip

ROBOT_ROOT: Final = "/api/v1/robot"
"""Below it a robot calls: `hello`, `poll`, `report`, `descriptions`."""

FILTER_FILES: Final = ("process.conf", "filter.conf", "filterrules.conf", "mime.types")
"""What the filters of a robot are made of; nothing else is written at its machine."""

CommandVerb = Literal["start", "stop", "pause", "resume", "block", "unblock", "slow", "set"]
VERBS: Final[tuple[CommandVerb, ...]] = (
    "start", "stop", "pause", "resume", "block", "unblock", "slow", "set",
)  # fmt: skip

Whole = Annotated[int, msgspec.Meta(ge=-(1 << 62), lt=1 << 62)]
"""A number that can be stored and shown: JSON knows others, with thousands of digits."""


class RobotConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """With what a robot crawls; each change is a version of its own."""

    version: Whole = 0  # 0 = there is none yet
    settings: dict[str, str | list[str]] = {}  # by full name, as people write them
    seeds: str = ""  # an address a line
    filters: dict[str, str] = {}  # files by name


class OrderedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """What the server wants a robot to do; numbers grow."""

    number: Whole
    verb: CommandVerb
    target: str = ""  # a host or address
    delay: float = 0.0  # seconds, of `slow`
    settings: dict[str, str] = {}  # of `set`


class CommandFate(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a command."""

    number: Whole
    is_done: bool
    said: str = ""


class CrawlFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How the crawl of a robot stands."""

    state: str = "planned"  # one word
    pages: Whole = 0
    pace: float = 0.0  # pages a second
    requests: Whole = 0
    failed: Whole = 0
    bytes: Whole = 0
    documents: Whole = 0
    text_chars: Whole = 0
    hosts: Whole = 0
    queued: Whole = 0
    attention: list[str] = []  # what somebody should look at


class RobotHello(msgspec.Struct, frozen=True, kw_only=True):
    """A robot begins, in place of whoever spoke under its id before. Answered with `RobotWelcome`."""

    incarnation: str  # of what the robot remembers: another one whenever that is lost
    version: str = ""
    machine: str = ""
    directory: str = ""


class RobotWelcome(msgspec.Struct, frozen=True, kw_only=True):
    """The robot is known."""

    robot: str
    batch: Whole = 0  # the last one that is stored of this incarnation
    now: float = 0.0
    made_at: float = 0.0  # when it was made known; another moment: numbers and versions begin anew


class RobotPoll(msgspec.Struct, frozen=True, kw_only=True):
    """Is there anything new? Answered with `RobotNews`, as soon as there is something, or else in the end."""

    incarnation: str
    after: Whole = 0  # commands up to this number are on the robot's disk
    configuration: Whole = 0  # the version that is on the robot's disk
    wait: float = 25.0  # seconds
    told_round: Whole = 0  # the last round that the robot has set about telling its list for
    taken_round: Whole = 0  # the last round whose merged list it has set about taking


class RoundWish(msgspec.Struct, frozen=True, kw_only=True):
    """What a round wants of a robot: that it tells what it has downloaded, or takes what others have."""

    number: Whole
    step: Literal["tell", "take"]


class RobotNews(msgspec.Struct, frozen=True, kw_only=True):
    """What the robot does not have yet."""

    commands: list[OrderedCommand] = []
    configuration: RobotConfiguration | None = None
    round: RoundWish | None = None

    @property
    def is_empty(self) -> bool:
        return not self.commands and self.configuration is None and self.round is None


class RobotReport(msgspec.Struct, frozen=True, kw_only=True):
    """How a robot stands, and what came of commands. Answered with `ReportTaken`."""

    incarnation: str
    figures: CrawlFigures = CrawlFigures()
    fates: list[CommandFate] = []
    configuration: Whole = 0  # the version that is on the robot's disk
    runs_with: Whole = 0  # the version that its crawl was started with
    waiting_bytes: Whole = 0  # of descriptions that are not sent yet


class ReportTaken(msgspec.Struct, frozen=True, kw_only=True):
    """The report is taken, its fates are on the server's disk."""

    now: float = 0.0


class DescriptionBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Pages of the corpus, and pages that are gone. Answered with `BatchTaken`."""

    incarnation: str
    number: Whole  # grows by one with each batch; a batch that is sent again has its number again
    pages: list[msgspec.Raw] = []  # each a line of the corpus, in UTF-8
    gone: list[msgspec.Raw] = []  # each a line of the list of pages that are gone


class BatchTaken(msgspec.Struct, frozen=True, kw_only=True):
    """Everything up to this batch is on the server's disk, once."""

    number: Whole


class ListPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the list of a robot for a round. Answered with `ListPartTaken`."""

    incarnation: str
    round: Whole
    offset: Whole  # in bytes, of the whole list
    content: str = ""  # whole lines
    is_last: bool = False


class ListPartTaken(msgspec.Struct, frozen=True, kw_only=True):
    """The part is there; `is_wanted`: the round still waits for this list."""

    is_wanted: bool = True


class RoundPartWish(msgspec.Struct, frozen=True, kw_only=True):
    """Give me the merged list of a round from here on. Answered with `RoundPart`."""

    incarnation: str
    round: Whole
    offset: Whole = 0  # in bytes


class RoundPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of what other robots have: whole lines."""

    content: str
    next_offset: Whole
    is_last: bool
