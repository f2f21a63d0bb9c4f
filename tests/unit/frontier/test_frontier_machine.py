"""Whatever happens, in whatever order, the frontier keeps its promises.

Hypothesis plays the rest of the world: harvesters that report, return, fall
silent and die, servers that answer anything, an operator, a power cut, time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import msgspec
from host_rows import rows_of
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tiptoe.decide.revisiting import revisit_point
from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.gate import GateKeys
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.patience import PATIENCE, Trouble, trouble_of
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.queues import chunks_in
from tiptoe.frontier.settlement import WAITING
from tiptoe.frontier.sieve import met_in
from tiptoe.protocol.work import (
    Hint,
    HostWork,
    Purpose,
    Report,
    Request,
    Result,
    RobotsNote,
    RobotsState,
    Visit,
)
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table
from tiptoe.url.address import KEY_BYTES, host_key, host_of, origin_of, page_key

RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=4, general_pause=60.0, backoff_first=10.0)
CDN = "198.51.100.0/24"
ADDRESSES = {
    **{f"h{n}.example": "192.0.2.1" for n in range(4)},
    **{f"h{n}.example": "192.0.2.2" for n in range(4, 6)},
    **{f"h{n}.example": "198.51.100.1" for n in range(6, 8)},
}
PATHS = ("", "1", "2", "s/3", "s/4", "robots.txt")
REVISITS = RevisitPolicy(
    first_seconds=3000.0, min_seconds=60.0, max_seconds=50_000.0, is_endless=True,
    point=revisit_point(exclude=(r"/2$",)),
)  # fmt: skip
RESTING = (HostState.UNPRODUCTIVE, HostState.GONE)
"""Hosts that keep their queues for another trial, or another chance."""
URLS = [f"http://{host}/{path}" for host in ADDRESSES for path in PATHS]

hosts = st.sampled_from(sorted(ADDRESSES))
urls = st.lists(st.sampled_from(URLS), max_size=8)
harvesters = st.sampled_from(["h1", "h2"])
rules_kinds = st.sampled_from(["rules", "slow rules", "unreachable", "moved"])
kinds = st.lists(
    st.sampled_from(
        [
            *(
                "page",
                "page",
                "prose",
                "useless",
                "useless",
                "redirect",
                "missing",
                "overloaded",
                "broken",
                "timed_out",
                "refused",
                "unchanged",
                "unchanged",
            ),
            *("reset", "bad_answer", "disallowed", "left"),
        ]
    ),
    min_size=1,
    max_size=8,
)


@dataclass
class Walk:
    """A visit as its harvester sees it."""

    visit: Visit
    harvester: str
    lanes: dict[str, HostWork] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)  # origins whose rules were read


def answer_to(request: Request, kind: str, found: list[str]) -> Result:
    """Return what a harvester reports of a request that went this way."""
    if request.purpose is Purpose.ROBOTS:
        note = RobotsNote(RobotsState.UNREACHABLE if kind == "broken" else RobotsState.RULES)
        if kind == "redirect" and found:
            note = RobotsNote(RobotsState.MOVED, location=found[0])
        is_lost = kind in ("timed_out", "refused")
        return Result(request, failure=kind) if is_lost else Result(request, status=200, robots=note)
    is_again = request.last_visit is not None
    if kind == "unchanged":
        return Result(request, status=304 if is_again else 200, is_changed=False if is_again else None)
    if kind == "page":
        hints = [Hint(url, 90_000.0) for url in found]
        return Result(
            request, status=200, seconds=0.3, body_bytes=900, text_chars=300, links=links_to(found),
            is_changed=is_again or None, hints=hints,
        )  # fmt: skip
    if kind in ("prose", "useless"):
        usability = 0.9 if kind == "prose" else 0.0
        return Result(
            request, status=200, body_bytes=900, text_chars=300, usability=usability, links=links_to(found)
        )
    if kind == "redirect" and found:
        return Result(request, status=301, redirect=found[0])
    if kind == "disallowed":
        return Result(request, discard="disallowed")
    status = {"missing": 404, "overloaded": 429, "broken": 500, "redirect": 404}.get(kind)
    if status is not None:
        return Result(request, status=status, retry_after=500.0 if status == 429 else 0.0)
    return Result(request, failure=kind)


class World(RuleBasedStateMachine):
    """Everything around the frontier."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.now = 1000.0
        self.looking: list[str] = []
        self.walks: dict[int, Walk] = {}
        self.rested_from: dict[str, float] = {}  # gate -> end of its last visit
        self.peace_until: dict[str, float] = {}  # host -> as long as it asked for
        self.blocked: set[str] = set()
        self.told: list[Report] = []

    @initialize(
        front_hosts=st.sampled_from([2, 50]), row_urls=st.sampled_from([2, 1000]),
        pages_per_host=st.sampled_from([0, 50]), found=urls,
        strategy=st.sampled_from(["none", "uniform", "adaptive", "optimal"]),
    )  # fmt: skip
    def begin(
        self, front_hosts: int, row_urls: int, pages_per_host: int, found: list[str], strategy: str
    ) -> None:
        self.policy = FrontierPolicy(
            politeness=RULES, cdn_ranges=(CDN,), front_hosts=front_hosts, pages_per_host=pages_per_host,
            sieve_row_urls=row_urls, min_yield=0.9, trial_pages=2, unproductive_rest_seconds=1000.0,
            revisit=replace(REVISITS, strategy=strategy),
        )  # fmt: skip
        self.gates = GateKeys(self.policy.cdn_ranges)
        self.frontier = Frontier(self.store, self.policy)
        self.add_seeds([URLS[0], URLS[-1], *found])
        self.look_names_up([])

    # -- what happens ----------------------------------------------------

    @rule(found=urls)
    def add_seeds(self, found: list[str]) -> None:
        self.frontier.add([Request(url) for url in found], self.now)

    @rule(wanted=st.integers(1, 4))
    def take_names(self, wanted: int) -> None:
        taken = self.frontier.new_hosts(wanted)
        assert not set(taken) & set(self.looking), "a name is looked up twice at once"
        self.looking += taken

    @rule(failures=st.lists(st.sampled_from(["", "no_such_host", "dns_failed"]), max_size=4))
    def look_names_up(self, failures: list[str]) -> None:
        self.take_names(4)
        told = dict(zip(self.looking, failures, strict=False))
        for host in self.looking:
            failure = told.get(host, "")
            self.frontier.resolved_all([(host, "" if failure else ADDRESSES[host], failure)], self.now)
        self.looking.clear()

    @rule(wanted=st.integers(1, 3), harvester=harvesters)
    def take_visits(self, wanted: int, harvester: str) -> None:
        self.frontier.tick(self.now, frozenset(Trouble))
        for visit in self.frontier.visits(wanted, harvester, self.now):
            self.start(visit, harvester)

    @rule(pick=st.integers(0, 5), kinds=kinds, found=urls, rules=rules_kinds)
    def tell_of_a_part(self, pick: int, kinds: list[str], found: list[str], rules: str) -> None:
        """Some results now, the rest of the visit later."""
        for walk in self.pick(pick):
            report = Report(walk.visit.id, [], [])
            self.work(walk, report, iter(kinds), found, rules, requests_max=1)
            self.frontier.report([report], {"corpus": 1}, self.now)

    @rule(pick=st.integers(0, 5), kinds=kinds, found=urls, rules=rules_kinds, wants_more=st.booleans())
    def finish(self, pick: int, kinds: list[str], found: list[str], rules: str, wants_more: bool) -> None:
        for walk in self.pick(pick):
            self.end(walk, iter(kinds), found, rules, wants_more=wants_more)

    @rule(kinds=kinds, found=urls, rules=rules_kinds, seconds=st.sampled_from([1.0, 61.0, 61.0, 700.0]))
    def crawl_on(self, kinds: list[str], found: list[str], rules: str, seconds: float) -> None:
        """One round as it usually goes."""
        self.let_time_pass(seconds)
        self.look_names_up([])
        self.take_visits(3, "h2")
        self.finish(0, kinds, found, rules, wants_more=True)

    @rule()
    def tell_again(self) -> None:
        """What comes late, or twice, is not counted."""
        for report in self.told:
            if report.visit not in self.walks:
                before = self.frontier.counters.totals.requests
                self.frontier.report([report], {}, self.now)
                assert self.frontier.counters.totals.requests == before
        self.told.clear()

    @rule(harvester=harvesters, has_suspect=st.booleans())
    def lose_a_harvester(self, harvester: str, has_suspect: bool) -> None:
        lost = [walk for walk in self.walks.values() if walk.harvester == harvester]
        held = [request.url for walk in lost for work in walk.lanes.values() for request in work.requests]
        suspects = frozenset(held[:1] if has_suspect else ())
        assert self.frontier.lose(harvester, self.now, suspects=suspects) == len(held)
        self.frontier.forget_resolving(self.looking)
        self.looking.clear()
        for walk in lost:
            self.close(walk)

    @rule()
    def crash(self) -> None:
        """The keeper dies between two steps; all that is left is the store."""
        self.frontier = Frontier(self.store, self.policy)
        self.frontier.recover(self.now)
        self.looking.clear()
        for walk in list(self.walks.values()):
            self.close(walk)

    @rule(
        changed=st.sets(st.sampled_from(["fetch.proxy", "fetch.nameservers", "frontier.min_yield"])),
        named=st.lists(hosts, max_size=2),
    )
    def begin_another_run(self, changed: set[str], named: list[str]) -> None:
        """With other settings, or with seeds that are known."""
        self.crash()
        self.frontier.reconsider(changed, named, self.now)

    @rule(host=hosts, is_blocked=st.booleans())
    def block_a_host(self, host: str, is_blocked: bool) -> None:
        self.frontier.block(host, self.now, is_blocked=is_blocked)
        self.note_block(host, is_blocked)

    @rule(address=st.sampled_from(sorted(set(ADDRESSES.values()))), is_blocked=st.booleans())
    def block_an_address(self, address: str, is_blocked: bool) -> None:
        self.frontier.block_address(address, is_blocked=is_blocked)
        self.note_block(address, is_blocked)

    @rule(seconds=st.sampled_from([0.0005, 1.0, 30.0, 61.0, 61.0, 700.0, 90_000.0, 4_000_000.0]))
    def let_time_pass(self, seconds: float) -> None:
        self.now += seconds
        self.frontier.tick(self.now)

    # -- how a harvester behaves -----------------------------------------

    def pick(self, number: int) -> list[Walk]:
        return list(self.walks.values())[number : number + 1] or list(self.walks.values())[:1]

    def start(self, visit: Visit, harvester: str) -> None:
        """Accept a visit, after a look at whether it may begin at all."""
        assert len(visit.hosts) <= RULES.max_hosts
        walk = self.walks[visit.id] = Walk(visit, harvester)
        gate = self.gate_of(visit)
        assert [other for other in self.walks.values() if self.gate_of(other.visit) == gate] == [walk]
        rested = self.now - self.rested_from.get(gate, float("-inf"))
        assert rested >= RULES.general_pause, f"{gate} rested {rested} s"
        assert visit.address not in self.blocked
        for work in visit.hosts:
            assert ADDRESSES[work.host] == visit.address
            assert self.now >= self.peace_until.get(work.host, 0.0), f"{work.host} asked for peace"
            self.take(walk, work)

    def take(self, walk: Walk, work: HostWork) -> None:
        assert work.requests
        assert {host_of(request.url) for request in work.requests} == {work.host}
        assert work.host not in self.blocked
        assert walk.visit.address not in self.blocked
        assert work.budget + walk.made.get(work.host, 0) <= RULES.max_reqs
        assert work.delay >= RULES.req_delay
        walk.lanes[work.host] = work
        walk.known |= set(work.robots)

    def work(
        self,
        walk: Walk,
        report: Report,
        kinds: Iterator[str],
        found: list[str],
        rules: str,
        requests_max: int,
    ) -> None:
        """Ask for what the lanes hold, one after the other, within their budgets."""
        for work in walk.lanes.values():
            while work.requests and requests_max and len(report.results) < 40:
                kind = next(kinds, "page")
                request = work.requests[0]
                is_within = kind != "left" and work.budget > 0 and work.host not in self.blocked
                if not is_within or not self.read_rules(walk, work, request, report, rules, found):
                    report.returned += work.requests
                    work.requests.clear()
                    break
                requests_max -= 1
                work.requests.pop(0)
                result = answer_to(request, kind, found)
                self.spend(walk, work, result)
                report.results.append(result)
                trouble = trouble_of(result.status, result.failure)
                if trouble is not None and PATIENCE[trouble].host_waits:
                    self.peace_until[work.host] = self.now + result.retry_after
                    report.returned += work.requests
                    work.requests.clear()

    def read_rules(
        self, walk: Walk, work: HostWork, request: Request, report: Report, rules: str, found: list[str]
    ) -> bool:
        """Ask for robots.txt where it is missing; False when the host must be left."""
        origin = origin_of(request.url)
        if request.purpose is Purpose.ROBOTS or origin in walk.known:
            return True
        note = RobotsNote(RobotsState.RULES, crawl_delay=7.0 if rules == "slow rules" else 0.0)
        if rules == "unreachable":
            note = RobotsNote(RobotsState.UNREACHABLE)
        elif rules == "moved" and found and host_of(found[0]) != work.host:
            note = RobotsNote(RobotsState.MOVED, location=found[0])
        rules_request = Result(Request(f"{origin}/robots.txt", Purpose.RULES_REQUEST), status=200)
        self.spend(walk, work, rules_request)
        report.results.append(rules_request)
        report.results.append(Result(Request(f"{origin}/robots.txt", Purpose.ROBOTS), robots=note))
        if note.state is RobotsState.RULES:
            walk.known.add(origin)
        return note.state is RobotsState.RULES and work.budget > 0

    def spend(self, walk: Walk, work: HostWork, result: Result) -> None:
        if result.status or result.failure:
            work.budget -= 1
            walk.made[work.host] = walk.made.get(work.host, 0) + 1
            assert walk.made[work.host] <= RULES.max_reqs

    def end(
        self, walk: Walk, kinds: Iterator[str], found: list[str], rules: str, *, wants_more: bool
    ) -> None:
        """Do the rest of a visit and go on with what the keeper adds."""
        report = Report(walk.visit.id, [], [], is_done=True, wants_more=wants_more)
        self.work(walk, report, kinds, found, rules, requests_max=100)
        left = {host_of(request.url) for request in report.returned}
        more = self.frontier.report([report], {}, self.now)[walk.visit.id]
        self.told.append(report)
        assert wants_more or not more
        if not more:
            self.close(walk)
        for work in more:
            assert work.host not in left, "a host that was left is asked again in the same visit"
            assert self.now >= self.peace_until.get(work.host, 0.0)
            self.take(walk, work)

    def close(self, walk: Walk) -> None:
        del self.walks[walk.visit.id]
        self.rested_from[self.gate_of(walk.visit)] = self.now

    def gate_of(self, visit: Visit) -> str:
        return self.gates.key(visit.address, visit.hosts[0].host)

    def note_block(self, target: str, is_blocked: bool) -> None:
        if is_blocked:
            self.blocked.add(target)
        else:
            self.blocked.discard(target)

    # -- what must always hold -------------------------------------------

    @invariant()
    def the_frontier_is_sound(self) -> None:
        if hasattr(self, "frontier"):
            self.frontier.check()

    @invariant()
    def every_url_is_in_exactly_one_place(self) -> None:
        if not hasattr(self, "frontier"):
            return
        places = self.places()
        known = dict.fromkeys(met_in(self.store), b"") | dict(self.store.scan(Table.PAGE))
        assert len(known) == self.frontier.counters.totals.urls
        for url in URLS:
            stored = known.get(page_key(url))
            if stored is None:
                assert places.count(url) == 0, f"{url} was never admitted"
                continue
            page = msgspec.msgpack.decode(stored, type=PageRecord) if stored else None
            outcome = page.outcome if page else WAITING
            record = self.frontier.host(host_of(url))
            assert record is not None
            if page is not None and page.next_visit_at:
                assert places.count(url) <= 1, f"{url} is watched and in {places.count(url)} places"
            elif outcome != WAITING:
                assert places.count(url) == 0, f"{url} is settled ({outcome}) and elsewhere"
            elif record.state is not HostState.GONE:
                assert places.count(url) == 1, f"{url} is in {places.count(url)} places"

    def places(self) -> list[str]:
        """Return every URL that is queued, due or leased as a page, once per place."""
        chunks = [chunk for _, row in self.store.scan(Table.QUEUE) for chunk in chunks_in(row)]
        requests = [request for chunk in chunks for request in chunk.requests(chunk.urls)]
        requests += [msgspec.msgpack.decode(value, type=Request) for _, value in self.store.scan(Table.DUE)]
        lanes = [work for walk in self.walks.values() for work in walk.lanes.values()]
        requests += [request for work in lanes for request in work.requests]
        elsewhere = (Purpose.ROBOTS, Purpose.ADDRESS)
        return [request.url for request in requests if request.purpose not in elsewhere]

    def teardown(self) -> None:
        """When the world behaves at last, and nothing is visited again, everything comes to its end."""
        if not hasattr(self, "frontier"):
            return
        self.everything_of_a_host_is_found_by_its_key()
        self.policy = replace(self.policy, revisit=RevisitPolicy())
        self.crash()
        for host in sorted(self.blocked & set(ADDRESSES)):
            self.block_a_host(host, False)
        for address in sorted(self.blocked):
            self.block_an_address(address, False)
        for _ in range(2000):
            self.now = max(self.now, self.frontier.next_at() or 0.0)
            self.let_time_pass(0.001)
            self.look_names_up([])
            self.take_visits(10, "h1")
            for walk in list(self.walks.values()):
                self.end(walk, iter(()), [], "rules", wants_more=True)
            if self.frontier.is_finished():
                break
        assert self.frontier.is_finished(), f"{self.frontier!r} does not come to an end"
        self.every_url_is_in_exactly_one_place()
        left = sum(record.queued for record in self.records() if record.state in RESTING)
        aside = sum(waiting for record in self.records() for *_, waiting in record.aside)
        assert len(self.places()) <= left + aside
        assert self.frontier.counters.gauges.queued == left

    def everything_of_a_host_is_found_by_its_key(self) -> None:
        """Else something would stay behind when it moves to another frontier."""
        bearing: dict[bytes, set[tuple[Table, bytes]]] = {}
        for table in Table:
            if table.host_at is not None:
                for key, _ in self.store.scan(table):
                    host = key[table.host_at : table.host_at + KEY_BYTES]
                    bearing.setdefault(host, set()).add((table, key))
        for record in self.records():
            found = {(table, key) for table, key, _ in rows_of(self.store, record.host)}
            assert found == bearing.pop(host_key(record.host))
        assert not bearing, "rows of a host that has no record"

    def records(self) -> list[HostRecord]:
        return [msgspec.msgpack.decode(kept, type=HostRecord) for _, kept in self.store.scan(Table.HOST)]


TestWorld = World.TestCase
TestWorld.settings = settings(
    max_examples=250, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
