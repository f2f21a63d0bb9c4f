"""When may the next request of a visit go to this host?

Each host of a visit has a lane. Pure: given when the last answer ended, it says when
the next request may start. It may be slower than the keeper said, never faster.
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
    texts: bytes = b""  # hashes of the host's last texts: see `frontier/repetition.py`
    prose: bytes = b""  # hashes of the host's latest prose: see `frontier/novelty.py`
    answered_at: float = float("-inf")
    response_seconds: float = 0.0
    failed_in_row: int = 0  # requests in trouble since the last good answer of this visit
    is_left: bool = False  # no more requests to this host, unless the keeper adds work
    is_cancelled: bool = False  # no more requests in this visit, even if the keeper adds work
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
        """Make no more requests in this visit, not even for work that is on its way to us."""
        self.is_left = self.is_cancelled = True

    @property
    def has_work(self) -> bool:
        return bool(self.requests) and not self.is_left

    def robots_of(self, origin: str) -> Robots:
        """Return the rules of an origin in compiled form; they must be known."""
        note = self.rules[origin]
        known = self._compiled.get(origin)
        if known is None or known[0] is not note:
            known = self._compiled[origin] = (note, Robots(rules=tuple(note.rules)))
        return known[1]

    def spend(self) -> None:
        """Take one request from the budget, right before it is made."""
        assert self.budget > 0, f"{self.host}: no request left in this visit"
        self.budget -= 1

    def answered(self, at: float, seconds: float) -> None:
        """Note when the last request ended, with an answer or not, and how long it took."""
        self.answered_at = at
        self.response_seconds = seconds

    @property
    def pause(self) -> float:
        """Seconds from the last answer to the next request, including any Crawl-delay just read."""
        longest = max([note.crawl_delay for note in self.rules.values()], default=0.0)
        return host_delay(
            self.politeness,
            crawl_delay=longest,
            slowed_to=self.delay,
            response_seconds=self.response_seconds,
        )

    @property
    def next_at(self) -> float:
        """Earliest time of the next request."""
        return self.answered_at + self.pause

    def give_back(self) -> list[Request]:
        """Return the requests that were not made."""
        left = list(self.requests)
        self.requests.clear()
        return left
