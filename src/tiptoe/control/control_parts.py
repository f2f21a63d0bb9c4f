"""What does the control server consist of?

The parts are built once (`web_app.build_parts`) and passed to every page and operation: nothing is global.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tiptoe.control.access_tokens import AccessTokens
from tiptoe.control.accounts import Accounts
from tiptoe.control.action_trail import ActionTrail
from tiptoe.control.control_store import ControlStore
from tiptoe.control.crawl_catalogs import CrawlCatalogs
from tiptoe.control.crawl_registry import CrawlRegistry
from tiptoe.control.crawl_reports import CrawlReports
from tiptoe.control.crawl_tasks import CrawlTasks
from tiptoe.control.crawl_watch import CrawlWatch
from tiptoe.control.event_streams import EventStreams
from tiptoe.control.host_indexes import HostIndexes
from tiptoe.control.host_notes import HostNotes
from tiptoe.control.login_limits import LoginLimits
from tiptoe.control.login_sessions import LoginSessions
from tiptoe.control.notices import Notices
from tiptoe.control.one_time_links import OneTimeLinks
from tiptoe.control.page_fetches import PageFetches
from tiptoe.control.robot_parts import RobotParts
from tiptoe.control.tiptoe_process import TiptoeProcesses

__all__ = ["ControlParts", "ControlPlace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlace:
    """Where the server is reached, and which directories it may use."""

    url: str = "http://127.0.0.1:8900"
    directory: Path | None = None  # None: everything in memory, only for watching crawls
    roots: tuple[Path, ...] = ()  # existing crawls may be opened below these
    is_secure: bool = False  # TLS
    names: frozenset[str] = frozenset({"127.0.0.1", "localhost", "::1"})  # by which it is addressed
    version: str = ""
    pin: str = ""  # of its own certificate, for robots


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlParts:
    """Everything that a page or an operation may need."""

    place: ControlPlace
    store: ControlStore
    accounts: Accounts
    sessions: LoginSessions
    tokens: AccessTokens
    links: OneTimeLinks
    trail: ActionTrail
    limits: LoginLimits = field(default_factory=LoginLimits)
    notices: Notices = field(default_factory=Notices)
    streams: EventStreams = field(default_factory=EventStreams)
    crawls: CrawlRegistry
    watch: CrawlWatch
    robots: RobotParts
    hosts: HostIndexes
    reports: CrawlReports
    processes: TiptoeProcesses
    fetches: PageFetches = field(default_factory=PageFetches)
    notes: HostNotes
    tasks: CrawlTasks
    catalogs: CrawlCatalogs = field(default_factory=CrawlCatalogs)
    clock: Callable[[], float] = time.time
