"""Pages that are watched, in virtual time: the real frontier, and answers as a test wants them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose, Report, Request, Result, Visit
from tiptoe.store.memory import MemoryStore

__all__ = ["DAY", "HOME", "RULES", "UNIFORM", "Answer", "Watch", "changed", "missing", "ok", "refused"]

DAY = 86400.0
HOME = "http://a.example/"
RULES = Politeness(req_delay=1.0, max_hosts=1, max_reqs=10, general_pause=60.0, backoff_first=60.0)
UNIFORM = RevisitPolicy(strategy="uniform", first_seconds=DAY, min_seconds=3600.0, max_seconds=30 * DAY)

Answer = Callable[[Request, float], Result]


def ok(request: Request, now: float) -> Result:
    """An answer that never changes."""
    if request.last_visit is not None:
        return Result(request, status=304, is_changed=False)
    return Result(request, status=200, text_chars=100, content_hash=b"1", text_hash=b"1", etag='"1"')


def changed(request: Request, now: float) -> Result:
    """An answer that is another each time."""
    is_changed = None if request.last_visit is None else True
    said = str(now).encode()
    return Result(
        request, status=200, text_chars=100, content_hash=said, text_hash=said, is_changed=is_changed
    )


def missing(request: Request, now: float) -> Result:
    return Result(request, status=404)


def refused(request: Request, now: float) -> Result:
    return Result(request, failure="refused")


@dataclass
class Watch:
    """A frontier and what it asks for, in virtual time."""

    revisit: RevisitPolicy = UNIFORM
    rest: FrontierPolicy = field(default_factory=lambda: FrontierPolicy(politeness=RULES))
    answer: Answer = ok
    now: float = 1000.0
    asked: list[tuple[float, Request]] = field(default_factory=list)
    store: MemoryStore = field(default_factory=MemoryStore)

    def __post_init__(self) -> None:
        self.start(self.revisit)

    def start(self, revisit: RevisitPolicy) -> None:
        """Begin a run, with what earlier ones left."""
        self.frontier = Frontier(self.store, replace(self.rest, revisit=revisit))
        self.frontier.recover(self.now)

    def add(self, *urls: str, purpose: Purpose = Purpose.PAGE) -> None:
        self.frontier.add([Request(url, purpose) for url in urls], self.now)

    def run(self, seconds: float) -> list[tuple[float, Request]]:
        """Let time pass; return what was asked for meanwhile."""
        before, end = len(self.asked), self.now + seconds
        while self.now <= end:
            for visit in self.take():
                self.bring(visit)
            self.frontier.check()
            next_at = self.frontier.next_at()
            if next_at is None:
                break
            self.now = max(self.now + 0.001, next_at)
        self.now = end
        return self.asked[before:]

    def take(self) -> list[Visit]:
        self.frontier.wake(self.now)
        visits = self.frontier.visits(10, "h1", self.now)
        # Addresses that were looked up more than a day ago are looked up again.
        while hosts := self.frontier.new_hosts(10):
            for host in hosts:
                self.frontier.resolved(host, self.address_of(host), "", self.now)
            visits += self.frontier.visits(10, "h1", self.now)
        return visits

    def address_of(self, host: str) -> str:
        return "192.0.2.1"

    def bring(self, visit: Visit) -> None:
        results = []
        for work in visit.hosts:
            for request in work.requests:
                self.asked.append((self.now, request))
                results.append(self.answer(request, self.now))
        self.frontier.report([Report(visit.id, results, is_done=True, wants_more=False)], {}, self.now)

    def page(self, url: str = HOME) -> PageRecord:
        page = self.frontier.page(url)
        assert page is not None
        return page
