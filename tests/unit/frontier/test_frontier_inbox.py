"""Which links wait unread for the turn of their host."""

import pytest
from rehearsal import CheckedPlayer

from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.effect import MirrorFound
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.inbox import UNREAD_LINKS_MAX, UNREAD_MAX, LinkInbox
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.queues import Chunk
from tiptoe.protocol.work import HostLinks, Report, Request, Result, Visit
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_of, page_keys

RULES = Politeness(req_delay=1.0, max_hosts=1, max_reqs=6, general_pause=10.0)
POLICY = FrontierPolicy(politeness=RULES)
ADDRESSES = {"a.example": "192.0.2.1", "b.example": "192.0.2.2"}


class Crawl(CheckedPlayer):
    """Two hosts that have their turns; the second is being asked about by the first."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.asked: list[str] = []
        self.found: tuple[str, ...] = ()  # where every page leads
        frontier = Frontier(self.store, POLICY)
        super().__init__(frontier, self.serve, ADDRESSES.__getitem__, 0.0, visits_max=1)

    def serve(self, request: Request, now: float) -> Result:
        return Result(request, status=200, links=links_to(self.found))

    def begin(self, *urls: str) -> None:
        self.add(*urls)
        self.look_up()

    def visit(self, host: str, *found: str) -> None:
        """Wait for the turn of a host, ask it everything, and report that each page leads to these URLs."""
        self.found = found
        self.bring(self.turn_of(host))

    def turn_of(self, host: str) -> Visit:
        for _ in range(20):
            for visit in self.take():
                requests = [request for work in visit.hosts for request in work.requests]
                if visit.hosts[0].host == host:
                    self.asked += [request.url for request in requests]
                    return visit
                self.tell([Report(visit.id, [], requests, is_done=True, wants_more=False)])
            self.now += RULES.general_pause
        raise AssertionError(f"{host} had no turn")

    def unread(self) -> int:
        return sum(1 for _ in self.store.scan(Table.INBOX))

    def restart(self) -> None:
        self.frontier = Frontier(self.store, POLICY)
        self.frontier.recover(self.now)


def test_links_to_a_host_that_waits_are_read_when_its_turn_has_come() -> None:
    """Until then its record need not be touched, which is what makes a large crawl cheap."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://b.example/")
    crawl.visit("a.example", "http://b.example/x", "http://b.example/")
    assert (crawl.unread(), crawl.frontier.counters.totals.urls) == (1, 2)
    assert crawl.frontier.counters.totals.links == 4
    crawl.visit("b.example")
    assert sorted(crawl.asked[1:]) == ["http://b.example/", "http://b.example/x"]
    assert (crawl.unread(), crawl.frontier.counters.totals.urls) == (0, 3)


def test_a_host_at_hand_is_told_at_once() -> None:
    """Its own links, and those to hosts that nobody waits for."""
    crawl = Crawl()
    crawl.begin("http://a.example/")
    crawl.visit("a.example", "http://a.example/x", "http://b.example/")
    assert (crawl.unread(), crawl.frontier.counters.totals.urls) == (0, 3)


@pytest.mark.parametrize("restarts", [False, True])
def test_what_is_found_during_a_visit_is_not_lost_at_its_end(restarts: bool) -> None:
    """The host has nothing else to ask for: the links in its inbox are what it goes on with."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://b.example/")
    there = crawl.turn_of("b.example")
    crawl.visit("a.example", "http://b.example/x")
    assert crawl.unread() == 1
    if restarts:
        crawl.restart()
        crawl.visit("b.example")
    else:
        done = Result(there.hosts[0].requests[0], status=200)
        crawl.tell([Report(there.id, [done], is_done=True, wants_more=False)])
        assert crawl.unread() == 0
        crawl.visit("b.example")
    assert "http://b.example/x" in crawl.asked
    assert crawl.frontier.is_finished()


def test_links_to_a_host_that_is_given_up_are_counted_as_dropped() -> None:
    """Else nobody could tell what became of its links."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://b.example/")
    crawl.visit("a.example", "http://b.example/x", "http://b.example/y")
    crawl.frontier.apply([MirrorFound("b.example")], crawl.now)
    # Two that waited unread, and the one in its queue.
    assert (crawl.unread(), crawl.frontier.counters.totals.discards) == (0, {"mirror": 3})


def test_a_blocked_host_keeps_its_unread_links() -> None:
    """As it keeps its queue: the operator may think again."""
    crawl = Crawl()
    crawl.begin("http://a.example/", "http://b.example/")
    crawl.visit("a.example", "http://b.example/x")
    crawl.frontier.block("b.example", crawl.now)
    crawl.frontier.check()
    assert crawl.unread() == 1
    crawl.frontier.block("b.example", crawl.now, is_blocked=False)
    crawl.visit("b.example")
    assert "http://b.example/x" in crawl.asked


def link_to(host: str, number: int) -> LinkBatch:
    url = f"http://{host}/{number}"
    return LinkBatch(HostLinks(host, [url], page_keys(host, [url])), Chunk([]), 1, 1 << number % 64, True)


NOBODY: frozenset[str] = frozenset()


def takes(inbox: LinkInbox, find: LinkBatch) -> bool:
    return not inbox.put(Writes(), [find], NOBODY)


def test_links_to_a_host_at_hand_do_not_wait() -> None:
    """Its record is read anyway."""
    store = MemoryStore()
    inbox = LinkInbox(store, boxes_max=9)
    inbox.follow([HostRecord(host, state=HostState.VISITED) for host in ("a.example", "b.example")])
    links = [link_to("a.example", 1), link_to("b.example", 2), link_to("a.example", 3)]
    assert inbox.put(Writes(), links, {"b.example"}) == links[1:2]
    assert len(inbox) == 2


def test_a_full_inbox_takes_no_more() -> None:
    """What comes later is delivered by hand, so no visit begins with a sackful."""
    store = MemoryStore()
    inbox, batch = LinkInbox(store, boxes_max=9), Writes()
    waiting = HostRecord("a.example", state=HostState.PARKED, waiting=[1, 0, 0, 0, 0])
    inbox.follow([waiting])
    links = [link_to("a.example", number) for number in range(UNREAD_MAX + 1)]
    assert inbox.put(batch, links, NOBODY) == links[-1:]
    assert not takes(inbox, links[-1])
    assert [find.links.urls[0] for find in inbox.open(batch, waiting)] == [
        f"http://a.example/{number}" for number in range(UNREAD_MAX)
    ]
    assert len(inbox) == 0
    assert takes(inbox, links[-1])


def test_who_speaks_for_a_host_counts_before_its_links_are_read() -> None:
    """Hosts that many lead to come first, which has to be known before their turn, and after a restart."""
    store = MemoryStore()
    inbox, batch = LinkInbox(store, boxes_max=9), Writes()
    record = HostRecord("a.example", state=HostState.VISITED, inlinks=1 << 40)
    inbox.follow([record])
    assert inbox.inlinks(record) == 1 << 40
    assert not inbox.put(batch, [link_to("a.example", 3), link_to("a.example", 5)], NOBODY)
    assert inbox.inlinks(record) == 1 << 40 | 1 << 5 | 1 << 3
    store.write(batch)
    assert LinkInbox(store, boxes_max=9).inlinks(record) == inbox.inlinks(record)


def test_a_long_list_is_not_for_an_inbox() -> None:
    """A sitemap on another host has fifty thousand links, and an inbox may have a hundred finds."""
    inbox = LinkInbox(MemoryStore(), boxes_max=9)
    inbox.follow([HostRecord("a.example", state=HostState.VISITED)])
    urls = [f"http://a.example/{number}" for number in range(UNREAD_LINKS_MAX + 1)]
    for count, is_taken in ((UNREAD_LINKS_MAX, True), (UNREAD_LINKS_MAX + 1, False)):
        links = HostLinks("a.example", urls[:count], page_keys("a.example", urls[:count]))
        assert takes(inbox, LinkBatch(links, Chunk([]), 1, 1, True)) is is_taken


def test_there_are_no_more_inboxes_than_memory_is_meant_for() -> None:
    """Whoever has none is told at once."""
    inbox = LinkInbox(MemoryStore(), boxes_max=2)
    hosts = [HostRecord(f"h{n}.example", state=HostState.VISITED) for n in range(3)]
    inbox.follow(hosts)
    assert [takes(inbox, link_to(record.host, 0)) for record in hosts] == [True, True, False]
    inbox.open(Writes(), hosts[0])
    hosts[0].state = HostState.GONE
    inbox.follow(hosts)
    assert [takes(inbox, link_to(record.host, 0)) for record in hosts] == [False, True, True]


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
def test_only_hosts_that_will_have_a_turn_take_links(
    state: HostState, waiting: list[int], is_taken: bool
) -> None:
    """A link to any other would wait for ever."""
    inbox = LinkInbox(MemoryStore(), boxes_max=2)
    inbox.follow([HostRecord("a.example", state=state, waiting=waiting)])
    assert takes(inbox, link_to("a.example", 0)) is is_taken


def test_rows_of_other_hosts_are_left_alone() -> None:
    """Keys begin with a hash: the neighbours in the table may be anybody's."""
    store = MemoryStore()
    inbox = LinkInbox(store, boxes_max=99)
    hosts = [HostRecord(f"h{n}.example", state=HostState.VISITED) for n in range(50)]
    inbox.follow(hosts)
    batch = Writes()
    links = [link_to(record.host, number) for number, record in enumerate(hosts * 2)]
    assert not inbox.put(batch, links, NOBODY)
    store.write(batch)
    inbox.committed()
    for record in hosts:
        batch = Writes()
        opened = inbox.open(batch, record)
        assert [host_of(find.links.urls[0]) for find in opened] == [record.host] * 2
        store.write(batch)
    assert [*store.scan(Table.INBOX)] == []
