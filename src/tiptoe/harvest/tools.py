"""What does a harvester work with? Built once per process by `compose`."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tiptoe.fetch.client import Client
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.resolve import Resolver
from tiptoe.frontier.politeness import Politeness
from tiptoe.harvest.busy import BusyNote
from tiptoe.harvest.outlinks import Outlinks
from tiptoe.observe.eventlog import EventLog
from tiptoe.write.outputs import Outputs

__all__ = ["Activities", "Tools"]


class Activities:
    """Time spent, by activity, since it was last asked for."""

    def __init__(self) -> None:
        self._seconds: Counter[str] = Counter()

    @contextmanager
    def spending(self, activity: str) -> Iterator[None]:
        """Count the time of a block."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[activity] += time.perf_counter() - began  # type: ignore[assignment]

    def add(self, activity: str, seconds: float) -> None:
        self._seconds[activity] += seconds  # type: ignore[assignment]

    def take(self) -> dict[str, float]:
        """Return what was counted and begin anew."""
        taken, self._seconds = dict(self._seconds), Counter()
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
    outputs: Outputs
    busy: BusyNote
    log: EventLog
    accept_language: str = ""
    keeps_archive: bool = True
    respects_tdm: bool = True
    text_chars_min: int = 0
    uses_proxy: bool = False
    activities: Activities = field(default_factory=Activities)
