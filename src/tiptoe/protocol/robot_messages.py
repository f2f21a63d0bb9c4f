"""What messages do a robot and its control server exchange?

The contract is docs/protocols/robot.md. The robot sends requests and the server answers, both in JSON. Fields
are identified by name and new ones have a default, so robots and servers of different versions understand
each other.
"""

from typing import Annotated, Final, Literal

import msgspec

__all__ = [
    "FILTER_FILES",
    "ROBOT_ROOT",
    "VERBS",
    "BatchTaken",
    "CommandOutcome",
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
    "RoundCall",
    "RoundPart",
    "RoundPartRequest",
    "Whole",
]  # fmt: skip

ROBOT_ROOT: Final = "/api/v1/robot"
"""Prefix of the paths that a robot calls: `hello`, `poll`, `report`, `descriptions`."""

FILTER_FILES: Final = ("process.conf", "filter.conf", "filterrules.conf", "mime.types")
"""Files that the filters of a robot consist of; no others are written on its machine."""

CommandVerb = Literal["start", "stop", "pause", "resume", "block", "unblock", "slow", "set"]
VERBS: Final[tuple[CommandVerb, ...]] = (
    "start", "stop", "pause", "resume", "block", "unblock", "slow", "set",
)  # fmt: skip

Whole = Annotated[int, msgspec.Meta(ge=-(1 << 62), lt=1 << 62)]
"""An integer that can be stored and shown; JSON also allows integers with thousands of digits."""


class RobotConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """The configuration of a robot's crawl; each change makes a new version."""

    version: Whole = 0  # 0 = there is none yet
    settings: dict[str, str | list[str]] = {}  # by full name, as people write them
    seeds: str = ""  # one URL per line
    filters: dict[str, str] = {}  # files by name


class OrderedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command of the server to a robot; numbers increase."""

    number: Whole
    verb: CommandVerb
    target: str = ""  # a host or address
    delay: float = 0.0  # seconds, of `slow`
    settings: dict[str, str] = {}  # of `set`
    given_at: float = 0.0  # when, by the server's clock


class CommandOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a command."""

    number: Whole
    is_done: bool
    message: str = ""


class CrawlFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The state and figures of a robot's crawl."""

    state: str = "planned"  # one word
    pages: Whole = 0
    pace: float = 0.0  # pages per second
    requests: Whole = 0
    failed: Whole = 0
    bytes: Whole = 0
    documents: Whole = 0
    text_chars: Whole = 0
    hosts: Whole = 0
    queued: Whole = 0
    attention: list[str] = []  # what needs an operator's attention


class RobotHello(msgspec.Struct, frozen=True, kw_only=True):
    """A robot begins; it replaces any earlier one with its id. Answered with `RobotWelcome`."""

    incarnation: str  # identifies the robot's memory: a new one whenever that is lost
    version: str = ""
    machine: str = ""
    directory: str = ""


class RobotWelcome(msgspec.Struct, frozen=True, kw_only=True):
    """The robot is accepted."""

    robot: str
    batch: Whole = 0  # the last one stored of this incarnation
    now: float = 0.0
    made_at: float = 0.0  # when it was registered; if this has changed, numbers and versions start again


class RobotPoll(msgspec.Struct, frozen=True, kw_only=True):
    """Is there anything new? Answered with `RobotNews`: as soon as there is, or when `wait` is over."""

    incarnation: str
    after: Whole = 0  # commands up to this number are on the robot's disk
    given_until: float = 0.0  # `given_at` of the latest of them
    configuration: Whole = 0  # the version that is on the robot's disk
    wait: float = 25.0  # seconds
    told_round: Whole = 0  # the last round for which the robot has begun to send its list
    taken_round: Whole = 0  # the last round whose merged list it has begun to fetch


class RoundCall(msgspec.Struct, frozen=True, kw_only=True):
    """What a round needs from a robot: to send the list of its downloads, or fetch the merged list."""

    number: Whole
    step: Literal["tell", "take"]


class RobotNews(msgspec.Struct, frozen=True, kw_only=True):
    """What the robot does not have yet."""

    commands: list[OrderedCommand] = []
    configuration: RobotConfiguration | None = None
    round: RoundCall | None = None

    @property
    def is_empty(self) -> bool:
        return not self.commands and self.configuration is None and self.round is None


class RobotReport(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a robot, and the results of commands. Answered with `ReportTaken`."""

    incarnation: str
    figures: CrawlFigures = CrawlFigures()
    fates: list[CommandOutcome] = []
    configuration: Whole = 0  # the version that is on the robot's disk
    runs_with: Whole = 0  # the version that its crawl was started with
    waiting_bytes: Whole = 0  # of descriptions not sent yet


class ReportTaken(msgspec.Struct, frozen=True, kw_only=True):
    """The report was accepted; the results in it are on the server's disk."""

    now: float = 0.0


class DescriptionBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Pages of the corpus, and pages that are gone. Answered with `BatchTaken`."""

    incarnation: str
    number: Whole  # increases by one per batch; a batch that is sent again keeps its number
    pages: list[msgspec.Raw] = []  # each a line of the corpus, in UTF-8
    gone: list[msgspec.Raw] = []  # each a line of the list of pages that are gone


class BatchTaken(msgspec.Struct, frozen=True, kw_only=True):
    """All batches up to this one are on the server's disk, each exactly once."""

    number: Whole


class ListPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a robot's list for a round. Answered with `ListPartTaken`."""

    incarnation: str
    round: Whole
    offset: Whole  # in bytes, of the whole list
    content: str = ""  # whole lines
    is_last: bool = False


class ListPartTaken(msgspec.Struct, frozen=True, kw_only=True):
    """The part was received; `is_wanted`: the round still waits for this list."""

    is_wanted: bool = True


class RoundPartRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for the merged list of a round from this offset on. Answered with `RoundPart`."""

    incarnation: str
    round: Whole
    offset: Whole = 0  # in bytes


class RoundPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the list of what other robots have downloaded: whole lines."""

    content: str
    next_offset: Whole
    is_last: bool
