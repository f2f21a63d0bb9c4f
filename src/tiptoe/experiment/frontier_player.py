"""What does a frontier do in virtual time, against a web that is a function?

Plays the name servers and a harvester: visits last as long as their requests and pauses, hosts in trouble are
left, and the outcome of a request is a function of the request and the moment. There is no real clock and no
randomness: the crawl follows from its inputs.
"""

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.patience import PATIENCE, Trouble, trouble_of
from tiptoe.frontier.troubles import SPREAD_URLS
from tiptoe.protocol.work import (
    HostLinks,
    HostWork,
    Purpose,
    Report,
    Request,
    Result,
    RobotsNote,
    RobotsState,
    Visit,
)
from tiptoe.url.address import host_of, origin_of, page_keys

__all__ = ["FrontierPlayer", "PlayedRequest", "PlayedVisit", "links_to", "rules_of"]

HARVESTER = "h1"


@dataclass(frozen=True, slots=True)
class PlayedRequest:
    """One request as its server saw it."""

    at: float
    ended_at: float
    address: str
    host: str
    request: Request
    visit: int = 0

    @property
    def url(self) -> str:
        return self.request.url


@dataclass(slots=True)
class PlayedVisit:
    """A visit in progress: what to report at its end, and the origins whose rules are known."""

    visit: Visit
    results: list[Result] = field(default_factory=list)
    returned: list[Request] = field(default_factory=list)
    known: set[str] = field(default_factory=set)


@dataclass
class FrontierPlayer:
    """A frontier, the web that answers its requests, and a clock that jumps.

    A crawl is played in one of two ways: with `step`, where visits take time and several are in progress, or
    with `round`, where all visits that may begin are answered at once.
    """

    frontier: Frontier
    answer: Callable[[Request, float], Result]
    address_of: Callable[[str], str]  # of a host; "": none
    now: float = 1000.0
    visits_max: int = 10  # in progress at once
    answer_seconds: float = 0.2
    has_rules: Callable[[str, float], bool] = lambda origin, now: True  # otherwise its robots.txt answers 503
    record: Callable[[PlayedRequest], object] = lambda request: None
    _agenda: list[tuple[float, int, PlayedVisit]] = field(default_factory=list)  # end, visit id, visit
    _ended_at: dict[str, float] = field(default_factory=dict)  # host -> its last answer

    def add(self, *urls: str, purpose: Purpose = Purpose.PAGE) -> int:
        """Tell the frontier about URLs; return how many were new."""
        return self.frontier.add([Request(url, purpose) for url in urls], self.now)

    def look_up(self, names_max: int = 200) -> bool:
        """Look up the names that the frontier wants resolved; return whether there were any."""
        names = self.frontier.new_hosts(names_max)
        found = [(name, self.address_of(name)) for name in names]
        lines = [(name, address, "" if address else "no_such_host") for name, address in found]
        self.frontier.resolved_all(lines, self.now)
        return bool(names)

    def take(self) -> list[Visit]:
        """Return the visits that may begin now."""
        self.frontier.tick(self.now)
        self.look_up()
        visits = self._visits(0)
        # Addresses that were looked up long ago are looked up again.
        while self.look_up():
            visits += self._visits(len(visits))
        return visits

    def bring(self, visit: Visit) -> None:
        """Answer all requests of a visit now."""
        self.tell([self.report_of(visit)])

    def tell(self, reports: list[Report]) -> dict[int, list[HostWork]]:
        """Report the results of visits to the frontier; return the work with which they continue."""
        return self.frontier.report(reports, {}, self.now)

    def report_of(self, visit: Visit) -> Report:
        """Return the report of a harvester that has made all requests."""
        results = []
        for work in visit.hosts:
            for request in work.requests:
                self.record(PlayedRequest(self.now, self.now, visit.address, work.host, request))
                results.append(self.answer(request, self.now))
        return Report(visit.id, results, is_done=True, wants_more=False)

    def round(self) -> int:
        """Answer all visits that may begin now; return how many there were."""
        visits = self.take()
        for visit in visits:
            self.bring(visit)
        return len(visits)

    def step(self) -> None:
        """Begin the visits that may begin now; then end the one that ends first, or let time pass."""
        self.begin()
        next_at = self.frontier.next_at()
        if self._agenda and (next_at is None or next_at <= self.now or self._agenda[0][0] <= next_at):
            self.end_first()
        elif next_at is not None and next_at != float("-inf"):
            self.now = max(self.now, next_at)

    def begin(self) -> None:
        """Begin the visits that may begin now."""
        for visit in self.take():
            self._walk(PlayedVisit(visit), visit.hosts)

    @property
    def ends_at(self) -> float | None:
        """When the first of the visits in progress ends."""
        return self._agenda[0][0] if self._agenda else None

    def under_way(self) -> list[int]:
        """Return the visits that have not ended."""
        return [visit for _, visit, _ in self._agenda]

    def end_first(self) -> None:
        """Let time pass until a visit ends."""
        self.now, _, walk = heapq.heappop(self._agenda)
        self._end(walk)

    def _visits(self, taken: int) -> list[Visit]:
        return self.frontier.visits(self.visits_max - len(self._agenda) - taken, HARVESTER, self.now)

    def _end(self, walk: PlayedVisit) -> None:
        report = Report(walk.visit.id, walk.results, walk.returned, is_done=True)
        if more := self.tell([report])[walk.visit.id]:
            self._walk(PlayedVisit(walk.visit, known=walk.known), more)

    def _walk(self, walk: PlayedVisit, works: Iterable[HostWork]) -> None:
        """Make the requests of a visit; leave a host, or the address, as a harvester does."""
        now, is_over = self.now, False
        for work in works:
            walk.known |= set(work.robots)
            row, is_left = 0, is_over
            for request in work.requests:
                origin = origin_of(request.url)
                if not is_left and origin not in walk.known:
                    rules = Request(f"{origin}/robots.txt", Purpose.ROBOTS)
                    now = self._ask(rules, work, walk.visit, now)
                    is_left = is_over = not self.read_rules(rules, origin, walk, now)
                if is_left:
                    walk.returned.append(request)
                    continue
                now = self._ask(request, work, walk.visit, now)
                result = self.answer(request, now)
                walk.results.append(result)
                trouble = trouble_of(result.status, result.failure, result.discard)
                row = row + 1 if trouble is not None else 0
                is_over |= trouble is Trouble.OVERLOADED
                is_troubled = trouble is not None and PATIENCE[trouble].host_waits
                is_left = is_troubled or result.retry_after > 0 or row >= SPREAD_URLS
        heapq.heappush(self._agenda, (now, walk.visit.id, walk))

    def _ask(self, request: Request, work: HostWork, visit: Visit, now: float) -> float:
        """Wait until the host may get a request; return when its answer has arrived."""
        at = max(now, self._ended_at.get(work.host, -work.delay) + work.delay)
        ended_at = self._ended_at[work.host] = at + self.answer_seconds
        self.record(PlayedRequest(at, ended_at, visit.address, work.host, request, visit.id))
        return ended_at

    def read_rules(self, rules: Request, origin: str, walk: PlayedVisit, now: float) -> bool:
        """Read the rules of an origin; return whether there are any."""
        if not self.has_rules(origin, now):
            walk.results.append(Result(Request(rules.url, Purpose.RULES_REQUEST), status=503))
            walk.results.append(Result(rules, robots=RobotsNote(RobotsState.UNREACHABLE)))
            return False
        walk.results.append(rules_of(origin))
        walk.known.add(origin)
        return True


def rules_of(origin: str) -> Result:
    """Return what a harvester reports about an origin without a robots.txt."""
    rules = Request(f"{origin}/robots.txt", Purpose.ROBOTS)
    return Result(rules, status=404, robots=RobotsNote(RobotsState.RULES))


def links_to(urls: Iterable[str]) -> list[HostLinks]:
    """Group links by host, as harvesters do."""
    hosts: dict[str, list[str]] = {}
    for url in dict.fromkeys(urls):
        hosts.setdefault(host_of(url), []).append(url)
    return [HostLinks(host, found, page_keys(host, found)) for host, found in hosts.items()]
