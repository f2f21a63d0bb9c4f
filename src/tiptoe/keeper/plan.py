"""What is a keeper told at its start and later, and what does it record about its run?"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tiptoe.errors import SettingsError
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.observe.stops import Stop
from tiptoe.protocol.messages import Known
from tiptoe.protocol.operator import OperatorReply

__all__ = [
    "CommandReply",
    "KeeperPlan",
    "Reconfiguration",
    "Repair",
    "RunRecord",
    "SessionPlan",
    "unchangeable",
]


class Repair(Protocol):
    """Repairs the files of all but the `live` incarnations; returns what was done."""

    def __call__(
        self, frontier: CrawlFrontier, live: Collection[str], *, now: float, reads: bool
    ) -> list[str]: ...


CommandReply = OperatorReply | Known | asyncio.Future[Known]
"""The reply to a command; a future if it needs facts that are kept elsewhere."""

Opening = Callable[[float], tuple[bool, float | None]]
"""Returns whether requests may be made at a moment of the wall clock, and when that changes; None: never."""


def always_open(moment: float) -> tuple[bool, float | None]:
    """Allow requests at any time."""
    return True, None


NOTICES_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class KeeperPlan:
    """What the keeper is told at its start."""

    directory: Path
    settings: Mapping[str, Mapping[str, object]]
    lease_seconds: float = 30.0
    harvesters: int = 1  # 0 = as many as needed
    visits_per_harvester: int = 1000
    packets_max: int = 0
    disk_free_min: int = 0
    seconds_max: float = 0.0
    token: str = ""
    crawl: str = ""  # its id
    shards: int = 0  # how many the crawl is divided into; 0 = it runs on one machine
    agent: str = ""  # name of this member of a cluster
    shared_settings: frozenset[str] = frozenset()  # names of the settings that apply to all members
    on_end: str = "quit"  # what follows when nothing is left: see `ending`
    seconds_spent: float = 0.0  # how much of `seconds_max` earlier runs have used
    opening: Opening = always_open

    def incarnation(self, harvester: str, started_at: float, number: int) -> str:
        """Return the name of one life of a harvester; `number` counts them since the keeper started."""
        agent = f"{self.agent}." if self.agent else ""
        # Milliseconds: a keeper that is killed and started again within a second must not repeat a name.
        return f"{agent}{harvester}-{int(started_at * 1000):x}-{number:04d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconfiguration:
    """What applies to a running keeper after the operator has changed settings."""

    changes: dict[str, tuple[str, str]]  # by full name: before, after
    plan: KeeperPlan
    policy: FrontierPolicy


def unchangeable(plan: KeeperPlan, given: Mapping[str, str]) -> Reconfiguration:
    """Refuse to change anything."""
    raise SettingsError("the settings of this crawl cannot be changed while it runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """What one run has to do besides the keeper's own plan."""

    seeds: list[str]
    downloaded: list[str] = field(default_factory=list)
    listen: str = ""
    blocked: tuple[str, ...] = ()
    slowed: dict[str, float] = field(default_factory=dict)
    unblocked: tuple[str, ...] = ()  # blocked by the settings of the last run, and no longer
    unslowed: tuple[str, ...] = ()
    changed: frozenset[str] = frozenset()  # settings that differ from those of the last run
    named: tuple[str, ...] = ()  # seeds that were given to this run, new or not
    remember: Callable[[], None] = lambda: None  # notes the settings for the next run
    change: Callable[[KeeperPlan, Mapping[str, str]], Reconfiguration] = unchangeable
    note: Callable[[str], None] = lambda said: None  # tells the operator something
    on_end_command: str = ""  # for when nothing is left, and when the run ends: see `end_command`
    on_end_seconds: float = 600.0


@dataclass(slots=True)
class RunRecord:
    """What this run has recorded besides the counters of the crawl."""

    started_at: float
    activities: Counter[str] = field(default_factory=Counter)
    repaired: list[str] = field(default_factory=list)
    lost_harvesters: int = 0
    stopped_because: Stop | None = None
    login_faults: dict[str, str] = field(default_factory=dict)  # hosts that did not let us in, and why
    # Messages for the operator that have not been shown yet.
    notices: deque[str] = field(default_factory=lambda: deque(maxlen=NOTICES_MAX))
