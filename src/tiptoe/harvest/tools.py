"""What does a harvester work with? Built once per process by `compose`."""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from tiptoe.access.access_rules import AccessRules
from tiptoe.decide.fetching import FetchPoint, fetch_point
from tiptoe.decide.filtering import PageFilter
from tiptoe.decide.parsing import ParsePoint, parse_point
from tiptoe.decide.storing import StorePoint, store_point
from tiptoe.fetch.client import Client
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.resolve import Resolver
from tiptoe.fields.rule_book import RuleBook
from tiptoe.frontier.politeness import Politeness
from tiptoe.harvest.busy import BusyNote
from tiptoe.harvest.extraction import Extraction
from tiptoe.harvest.judgement import DuplicityRules
from tiptoe.harvest.outlinks import Outlinks
from tiptoe.harvest.page_change import RevisitRules
from tiptoe.harvest.page_filtering import Filtering
from tiptoe.harvest.requisites import Requisites
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.work import Purpose
from tiptoe.segment.segmenters import Segmenter
from tiptoe.text.language import LanguageIdentifier
from tiptoe.write.logclock import machine_count
from tiptoe.write.output_sets import OutputSets

__all__ = ["Activities", "Tools"]


class Activities:
    """Time spent, by activity, since the last `take`."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def spent(self, activity: str, began: float) -> float:
        """Add the time since `began` (`time.perf_counter`) to an activity; return the current time."""
        now = time.perf_counter()
        self._seconds[activity] += now - began
        return now

    def add(self, activity: str, seconds: float) -> None:
        """Count seconds for an activity."""
        self._seconds[activity] += seconds

    def take(self) -> dict[str, float]:
        """Return the counts and reset them."""
        taken, self._seconds = dict(self._seconds), defaultdict(float)
        return taken


@dataclass(slots=True)
class Tools:
    """Everything a journey needs, passed along instead of imported."""

    harvester: str  # incarnation
    agent: str  # product token of our robot
    client: Client
    resolver: Resolver
    limits: FetchLimits
    politeness: Politeness
    outlinks: Outlinks
    outputs: OutputSets
    busy: BusyNote
    log: EventLog
    accept_language: str = ""
    keeps_archive: bool = True
    sources: frozenset[Purpose] = frozenset({Purpose.SITEMAP, Purpose.FEED})  # read even if met as pages
    respects_tdm: bool = True
    fetch: FetchPoint = field(default_factory=fetch_point)
    parse: ParsePoint = field(default_factory=parse_point)
    store: StorePoint = field(default_factory=store_point)
    extraction: Extraction | None = None  # None: all text is taken, without labels
    revisit: RevisitRules = field(default_factory=RevisitRules)
    duplicity: DuplicityRules | None = None  # None: texts are not compared
    languages: LanguageIdentifier | None = None  # None: languages are not recognised
    segmenter: Segmenter | None = None  # None: texts are not rated
    filters: PageFilter | None = None  # None: the operator has none
    access: AccessRules | None = None  # None: the operator has none
    rule_book: RuleBook | None = None  # for fields; None: the operator has none
    requisites: Requisites | None = None  # None: requisites are not fetched
    activities: Activities = field(default_factory=Activities)
    calendar_time: Callable[[], float] = time.time  # by which cookies expire
    # Not the loop's time: it stands still while the loop is busy, or the machine sleeps.
    time: Callable[[], float] = machine_count

    def filtering_of(self, depth: int, address: str) -> Filtering | None:
        """Return the operator's filters for a request of this depth and address; None if there are none."""
        return None if self.filters is None else Filtering(self.filters, depth, address)
