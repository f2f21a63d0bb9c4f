"""Pages that are watched, in virtual time: the real frontier, and answers as a test wants them."""

from collections.abc import Callable
from dataclasses import replace

from rehearsal import CheckedPlayer

from tiptoe.experiment.frontier_player import PlayedRequest
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Request, Result
from tiptoe.store.memory import MemoryStore

__all__ = ["DAY", "HOME", "RULES", "UNIFORM", "Answer", "Watch", "changed", "missing", "ok", "refused"]

DAY = 86400.0
HOME = "http://a.example/"
RULES = Politeness(req_delay=1.0, max_hosts=1, max_reqs=10, general_pause=60.0, backoff_first=60.0)
REST = FrontierPolicy(politeness=RULES)
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


class Watch(CheckedPlayer):
    """A frontier and what it asks for, in virtual time."""

    def __init__(
        self, revisit: RevisitPolicy = UNIFORM, rest: FrontierPolicy = REST, answer: Answer = ok
    ) -> None:
        self.rest = rest
        self.store = MemoryStore()
        self.asked: list[tuple[float, Request]] = []
        super().__init__(self._frontier(revisit), answer, self.found, record=self.note)
        self.frontier.recover(self.now)

    def start(self, revisit: RevisitPolicy) -> None:
        """Begin a run, with what earlier ones left."""
        self.frontier = self._frontier(revisit)
        self.frontier.recover(self.now)

    def run(self, seconds: float) -> list[tuple[float, Request]]:
        """Let time pass; return what was asked for meanwhile."""
        before, end = len(self.asked), self.now + seconds
        while self.now <= end:
            self.round()
            next_at = self.frontier.next_at()
            if next_at is None:
                break
            self.now = max(self.now + 0.001, next_at)
        self.now = end
        return self.asked[before:]

    def found(self, host: str) -> str:
        """Return the address of a host."""
        return "192.0.2.1"

    def note(self, asked: PlayedRequest) -> None:
        self.asked.append((asked.at, asked.request))

    def page(self, url: str = HOME) -> PageRecord:
        page = self.frontier.page(url)
        assert page is not None
        return page

    def _frontier(self, revisit: RevisitPolicy) -> Frontier:
        return Frontier(self.store, replace(self.rest, revisit=revisit))
