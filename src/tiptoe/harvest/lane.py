"""When may the next request of a visit go to this host?

One lane per host of a visit. Pure: told when an answer ended, it says when the
next request may start. It may only ever become slower than the keeper said.
"""

from collections import deque
from dataclasses import dataclass, field

from tiptoe.fetch.robots import Robots
from tiptoe.frontier.politeness import Politeness, host_delay
from tiptoe.protocol.work import HostWork, Request, RobotsNote

__all__ = ["Lane"]


@dataclass(slots=True)
class Lane:
    """The part of a visit that concerns one host."""

    host: str
    politeness: Politeness
    delay: float
    budget: int
    requests: deque[Request] = field(default_factory=deque)
    rules: dict[str, RobotsNote] = field(default_factory=dict)  # by origin
    texts: bytes = b""  # of the host, the last ones: see `frontier/repetition.py`
    prose: bytes = b""  # that the host has said lately: see `frontier/novelty.py`
    answered_at: float = float("-inf")
    response_seconds: float = 0.0
    failed_in_row: int = 0  # requests in trouble since the last good answer of this visit
    is_left: bool = False  # nothing more is asked of this host, unless the keeper adds work
    is_cancelled: bool = False  # nothing more in this visit, whatever the keeper adds
    _compiled: dict[str, tuple[RobotsNote, Robots]] = field(default_factory=dict)  # from `rules`

    @classmethod
    def of(cls, work: HostWork, politeness: Politeness) -> "Lane":
        lane = cls(work.host, politeness, work.delay, work.budget)
        lane.extend(work)
        return lane

    def extend(self, work: HostWork) -> None:
        """Take further work from the keeper; rules learned in this visit stay."""
        self.requests.extend(work.requests)
        self.is_left = self.is_cancelled
        self.budget = work.budget
        self.delay = max(self.delay, work.delay)
        self.texts, self.prose = work.texts, work.prose
        for origin, note in work.robots.items():
            self.rules.setdefault(origin, note)

    def cancel(self) -> None:
        """Ask nothing more in this visit; work that is on its way to us does not change that."""
        self.is_left = self.is_cancelled = True

    @property
    def has_work(self) -> bool:
        return bool(self.requests) and not self.is_left

    def robots_of(self, origin: str) -> Robots:
        """Return the rules of an origin, which are known, ready to be asked."""
        note = self.rules[origin]
        known = self._compiled.get(origin)
        if known is None or known[0] is not note:
            known = self._compiled[origin] = (note, Robots(rules=tuple(note.rules)))
        return known[1]

    def spend(self) -> None:
        """One request is about to be made."""
        assert self.budget > 0, f"{self.host}: no request left in this visit"
        self.budget -= 1

    def answered(self, at: float, seconds: float) -> None:
        """An answer, or a failure, ended at this moment and took these seconds."""
        self.answered_at = at
        self.response_seconds = seconds

    @property
    def pause(self) -> float:
        """Seconds between the last answer and the next request; rules that were just read count."""
        longest = max([note.crawl_delay for note in self.rules.values()], default=0.0)
        return host_delay(
            self.politeness,
            crawl_delay=longest,
            slowed_to=self.delay,
            response_seconds=self.response_seconds,
        )

    @property
    def next_at(self) -> float:
        """Earliest moment of the next request."""
        return self.answered_at + self.pause

    def give_back(self) -> list[Request]:
        """Return the requests that were not made."""
        left = list(self.requests)
        self.requests.clear()
        return left
