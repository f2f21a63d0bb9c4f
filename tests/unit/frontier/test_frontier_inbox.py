"""Which links wait unread for the turn of their host."""

import pytest

from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.find import Find
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.inbox import UNREAD_LINKS_MAX, UNREAD_MAX, LinkInbox
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.queues import Chunk
from tiptoe.protocol.work import HostLinks, Report, Request, Result, Visit
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_of, page_keys

RULES = Politeness(req_delay=1.0, max_hosts=1, max_reqs=6, general_pause=10.0)
ADDRESSES = {"a.example": "192.0.2.1", "b.example": "192.0.2.2"}


class Crawl:
    """Two hosts that have their turns; the second is being asked about by the first."""

    def __init__(self, **policy: object) -> None:
        self.store = MemoryStore()
        self.policy = FrontierPolicy(politeness=RULES, **policy)  # type: ignore[arg-type]
        self.frontier = Frontier(self.store, self.policy)
        self.now = 0.0
        self.asked: list[str] = []

    def begin(self, *urls: str) -> None:
        self.frontier.add([Request(url) for url in urls], self.now)
        for host in self.frontier.new_hosts(9):
            self.frontier.resolved(host, ADDRESSES[host], "", self.now)

    def visit(self, host: str, *found: str) -> None:
        """Wait for the turn of a host, ask it everything, and report that each page leads to these URLs."""
        visit = self.take(host)
        results = [
            Result(request, status=200, links=links_to(list(found)))
            for work in visit.hosts
            for request in work.requests
        ]
        self.frontier.report([Report(visit.id, results, is_done=True, wants_more=False)], {}, self.now)
        self.frontier.check()

    def take(self, host: str) -> Visit:
        for _ in range(20):
            self.frontier.wake(self.now)
            for visit in self.frontier.visits(1, "h1", self.now):
                requests = [request for work in visit.hosts for request in work.requests]
                if visit.hosts[0].host == host:
                    self.asked += [request.url for request in requests]
                    return visit
                report = Report(visit.id, [], returned=requests, is_done=True, wants_more=False)
                self.frontier.report([report], {}, self.now)
            self.now += RULES.general_pause
        raise AssertionError(f"{host} had no turn")

    def letters(self) -> int:
        return sum(1 for _ in self.store.scan(Table.INBOX))

    def restart(self) -> None:
        self.frontier = Frontier(self.store, self.policy)
        self.frontier.recover(self.now)


def test_links_to_a_host_that_waits_are_read_when_its_turn_has_come() -> None:
    """Until then its record need not be touched, which is what makes a large crawl cheap."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://b.example/")
    crawl.visit("a.example", "http://b.example/x", "http://b.example/")
    assert (crawl.letters(), crawl.frontier.counters.totals.urls) == (1, 2)
    assert crawl.frontier.counters.totals.links == 4
    crawl.visit("b.example")
    assert sorted(crawl.asked[1:]) == ["http://b.example/", "http://b.example/x"]
    assert (crawl.letters(), crawl.frontier.counters.totals.urls) == (0, 3)


def test_a_host_at_hand_is_told_at_once() -> None:
    """Its own links, and those to hosts that nobody waits for."""
    crawl = Crawl()
    crawl.begin("http://a.example/")
    crawl.visit("a.example", "http://a.example/x", "http://b.example/")
    assert (crawl.letters(), crawl.frontier.counters.totals.urls) == (0, 3)


@pytest.mark.parametrize("restarts", [False, True])
def test_what_is_found_during_a_visit_is_not_lost_at_its_end(restarts: bool) -> None:
    """The host has nothing else to ask for: its letters are what it goes on with."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://b.example/")
    there = crawl.take("b.example")
    crawl.visit("a.example", "http://b.example/x")
    assert crawl.letters() == 1
    if restarts:
        crawl.restart()
        crawl.visit("b.example")
    else:
        done = Result(there.hosts[0].requests[0], status=200)
        crawl.frontier.report([Report(there.id, [done], is_done=True, wants_more=False)], {}, crawl.now)
        crawl.frontier.check()
        assert crawl.letters() == 0
        crawl.visit("b.example")
    assert "http://b.example/x" in crawl.asked
    assert crawl.frontier.is_finished()


def test_letters_to_a_host_that_is_given_up_are_counted_as_dropped() -> None:
    """Else nobody could tell what became of its links."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://b.example/")
    crawl.visit("a.example", "http://b.example/x", "http://b.example/y")
    record = crawl.frontier.host("b.example")
    assert record is not None
    crawl.frontier._restraint.give_up(record, "dns_failed", crawl.now)
    crawl.frontier._step.commit()
    # Two that waited unread, and the one in its queue.
    assert (crawl.letters(), crawl.frontier.counters.totals.discards) == (0, {"host_gone": 3})


def test_a_blocked_host_keeps_its_letters() -> None:
    """As it keeps its queue: the operator may think again."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://b.example/")
    crawl.visit("a.example", "http://b.example/x")
    crawl.frontier.block("b.example", crawl.now)
    crawl.frontier.check()
    assert crawl.letters() == 1
    crawl.frontier.block("b.example", crawl.now, is_blocked=False)
    crawl.visit("b.example")
    assert "http://b.example/x" in crawl.asked


def test_who_speaks_for_a_host_counts_before_its_letters_are_read() -> None:
    """Hosts that many lead to come first, which has to be known before their turn."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://b.example/")
    record = crawl.frontier.host("b.example")
    assert record is not None
    before = crawl.frontier._step.inbox.inlinks(record)
    crawl.visit("a.example", "http://b.example/x")
    assert record.inlinks == before
    told = crawl.frontier._step.inbox.inlinks(record)
    assert told.bit_count() == before.bit_count() + 1
    crawl.restart()
    assert crawl.frontier._step.inbox.inlinks(record) == told


def letter(host: str, number: int) -> Find:
    url = f"http://{host}/{number}"
    return Find(HostLinks(host, [url], page_keys(host, [url])), Chunk([]), 1, 1 << number % 64, True)


def is_nobody(host: str) -> bool:
    return False


def takes(post: LinkInbox, find: Find) -> bool:
    return not post.put(Writes(), [find], is_nobody)


def test_links_to_a_host_at_hand_do_not_wait() -> None:
    """Its record is read anyway."""
    store = MemoryStore()
    post = LinkInbox(store, boxes_max=9)
    post.follow([HostRecord(host, state=HostState.VISITED) for host in ("a.example", "b.example")])
    letters = [letter("a.example", 1), letter("b.example", 2), letter("a.example", 3)]
    assert post.put(Writes(), letters, lambda host: host == "b.example") == letters[1:2]
    assert len(post) == 2


def test_a_full_box_takes_no_more() -> None:
    """What comes later is delivered by hand, so no visit begins with a sackful."""
    store = MemoryStore()
    post, batch = LinkInbox(store, boxes_max=9), Writes()
    waiting = HostRecord("a.example", state=HostState.PARKED, waiting=[1, 0, 0, 0, 0])
    post.follow([waiting])
    letters = [letter("a.example", number) for number in range(UNREAD_MAX + 1)]
    assert post.put(batch, letters, is_nobody) == letters[-1:]
    assert not takes(post, letters[-1])
    assert [find.links.urls[0] for find in post.open(batch, waiting)] == [
        f"http://a.example/{number}" for number in range(UNREAD_MAX)
    ]
    assert len(post) == 0
    assert takes(post, letters[-1])


def test_a_long_list_is_no_letter() -> None:
    """A sitemap on another host has fifty thousand links, and a box may have a hundred letters."""
    post = LinkInbox(MemoryStore(), boxes_max=9)
    post.follow([HostRecord("a.example", state=HostState.VISITED)])
    urls = [f"http://a.example/{number}" for number in range(UNREAD_LINKS_MAX + 1)]
    for count, is_taken in ((UNREAD_LINKS_MAX, True), (UNREAD_LINKS_MAX + 1, False)):
        links = HostLinks("a.example", urls[:count], page_keys("a.example", urls[:count]))
        assert takes(post, Find(links, Chunk([]), 1, 1, True)) is is_taken


def test_there_are_no_more_boxes_than_memory_is_meant_for() -> None:
    """Whoever has none is told at once."""
    post = LinkInbox(MemoryStore(), boxes_max=2)
    hosts = [HostRecord(f"h{n}.example", state=HostState.VISITED) for n in range(3)]
    post.follow(hosts)
    assert [takes(post, letter(record.host, 0)) for record in hosts] == [True, True, False]
    post.open(Writes(), hosts[0])
    hosts[0].state = HostState.GONE
    post.follow(hosts)
    assert [takes(post, letter(record.host, 0)) for record in hosts] == [False, True, True]


@pytest.mark.parametrize(
    ("state", "waiting", "is_taken"),
    [
        (HostState.NEW, [1, 0, 0, 0, 0], True),
        (HostState.NEW, [0, 0, 0, 0, 2], False),  # known for long, to be looked up again for its revisits
        (HostState.PARKED, [0, 2, 0, 0, 0], True),
        (HostState.PARKED, [0, 0, 0, 0, 2], False),  # waits for its revisits: a new page may bring it forward
        (HostState.VISITED, [0, 0, 0, 0, 0], True),
        (HostState.IDLE, [0, 0, 0, 0, 0], False),
        (HostState.GONE, [1, 0, 0, 0, 0], False),
        (HostState.UNPRODUCTIVE, [1, 0, 0, 0, 0], False),
    ],
)
def test_only_hosts_that_will_have_a_turn_take_letters(
    state: HostState, waiting: list[int], is_taken: bool
) -> None:
    """A letter to any other would wait for ever."""
    post = LinkInbox(MemoryStore(), boxes_max=2)
    post.follow([HostRecord("a.example", state=state, waiting=waiting)])
    assert takes(post, letter("a.example", 0)) is is_taken


def test_rows_of_other_hosts_are_left_alone() -> None:
    """Keys begin with a hash: the neighbours in the table may be anybody's."""
    store = MemoryStore()
    post = LinkInbox(store, boxes_max=99)
    hosts = [HostRecord(f"h{n}.example", state=HostState.VISITED) for n in range(50)]
    post.follow(hosts)
    batch = Writes()
    letters = [letter(record.host, number) for number, record in enumerate(hosts * 2)]
    assert not post.put(batch, letters, is_nobody)
    store.write(batch)
    post.committed()
    for record in hosts:
        batch = Writes()
        opened = post.open(batch, record)
        assert [host_of(find.links.urls[0]) for find in opened] == [record.host] * 2
        store.write(batch)
    assert [*store.scan(Table.INBOX)] == []


def test_a_host_that_is_woken_while_it_is_visited_waits_once() -> None:
    """It was laid unproductive, but it has the rules of another host: it is back before its visit ends."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://a.example/x")
    there = crawl.take("a.example")
    record = crawl.frontier.host("a.example")
    assert record is not None
    crawl.frontier._transitions.mark_unproductive(record, crawl.now)
    crawl.frontier._intake.wake(record, crawl.now)
    crawl.frontier._transitions.enqueue(record, 0, Chunk(["http://a.example/robots.txt"]), crawl.now)
    crawl.frontier._step.commit()
    report = Report(there.id, [], returned=there.hosts[0].requests, is_done=True, wants_more=False)
    crawl.frontier.report([report], {}, crawl.now)
    crawl.frontier.check()
    assert crawl.frontier.counters.gauges.parked_hosts == 1
