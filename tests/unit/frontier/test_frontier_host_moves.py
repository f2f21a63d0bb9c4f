"""Hosts that move from shard to shard, and mail that follows them."""

from itertools import count
from typing import Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.effect import LeadRewarded
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host import HostState
from tiptoe.frontier.mail import HostPart, Letter, ShardMail, open_mail
from tiptoe.frontier.residence import Residence, Residences
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_key

SHARDS: Final = 3
DAY: Final = 86400.0
PLAN: Final = ShardLabels(SHARDS)
HOST: Final = next(f"a{n}.example" for n in count() if PLAN.home(f"a{n}.example") == 0)
AT: Final = [next(f"192.0.2.{n}" for n in count() if PLAN.residence(f"192.0.2.{n}") == s) for s in range(3)]
"""An address of each shard."""


class Shards:
    """Frontiers whose mail is carried by hand."""

    def __init__(self) -> None:
        self.stores = [MemoryStore() for _ in range(SHARDS)]
        self.all: list[Frontier] = []
        self.sent: list[ShardMail] = []
        for shard in range(SHARDS):
            self.all.append(self.begin(shard))

    def begin(self, shard: int) -> Frontier:
        return Frontier(self.stores[shard], FrontierPolicy(), shard=shard, plan=PLAN)

    def carry(self, now: float = 0.0, *senders: int) -> int:
        """Deliver all mail, or that of some shards, until there is none; return how many that was."""
        carried = 0
        while mails := [m for s in senders or range(SHARDS) for m in self.all[s].outgoing()]:
            for mail in mails:
                self.sent.append(mail)
                self.all[mail.receiver].receive([mail], now)
                self.all[mail.sender].delivered({mail.receiver: mail.number})
                self.all[mail.receiver].check()
            for frontier in self.all:
                frontier.tick(now)  # the rest of a host goes when its first part is there
            carried += len(mails)
        return carried

    def move(self, shard: int, to: int, now: float) -> None:
        """Let the host, which waits for its name to be looked up in a shard, move to another one."""
        assert self.all[shard].new_hosts(9) == [HOST]
        self.all[shard].resolved_all([(HOST, AT[to], "")], now)
        assert self.all[shard].host(HOST) is None
        self.all[shard].check()

    def expire(self, shard: int, now: float) -> None:
        """Let its address grow old, so that its name is looked up again."""
        self.all[shard].tick(now)
        assert self.all[shard].visits(1, "h", now) == []

    def queued(self) -> list[int]:
        return [frontier.counters.gauges.queued for frontier in self.all]


def link(path: str) -> Request:
    return Request(f"http://{HOST}/{path}", via="http://other.example/")


def test_a_host_moves_from_its_home_to_its_address() -> None:
    shards = Shards()
    shards.all[2].add([link("1"), link("2")], 0.0)
    assert shards.queued() == [0, 0, 0], "it is on its way to its home"
    shards.carry()
    assert shards.queued() == [2, 0, 0]
    shards.move(0, 1, 0.0)
    assert shards.carry() == 1
    assert shards.queued() == [0, 2, 0]
    shards.all[1].tick(0.0)
    [visit] = shards.all[1].visits(9, "h", 0.0)
    assert (visit.address, len(visit.hosts[0].requests)) == (AT[1], 2)
    assert [frontier.counters.totals.hosts for frontier in shards.all] == [1, 0, 0]
    assert not [row for store in (shards.stores[0], shards.stores[2]) for row in store.scan(Table.SIEVE)]


def test_links_follow_a_host_and_are_met_once() -> None:
    shards = Shards()
    shards.all[0].add([link("1")], 0.0)
    shards.move(0, 1, 0.0)
    shards.all[0].add([link("1"), link("2")], 0.0)
    shards.all[2].add([link("2"), link("3")], 0.0)
    shards.carry()
    assert shards.queued() == [0, 3, 0]


def test_mail_that_is_repeated_or_out_of_order_is_passed_over() -> None:
    shards = Shards()
    for path in ("1", "2", "3"):
        shards.all[2].add([link(path)], 0.0)
    first, second, third = shards.all[2].outgoing()
    home = shards.all[0]
    home.receive([second, third], 0.0)
    assert shards.queued()[0] == home.received(2) == 0
    home.receive([first, first, second, first], 0.0)
    shards.all[0] = home = shards.begin(0)
    home.receive([first, second, third, third], 0.0)
    assert shards.queued()[0] == home.received(2) == 3
    home.check()


def test_the_home_of_a_host_hears_where_it_arrives_and_believes_no_older_word() -> None:
    """Then links of strangers reach it with one hop from there, however often it has moved."""
    shards = Shards()
    shards.all[0].add([link("1")], 0.0)
    shards.move(0, 1, 0.0)
    shards.carry()
    shards.expire(1, 2 * DAY)
    shards.move(1, 2, 2 * DAY)
    shards.carry(2 * DAY)
    shards.sent.clear()
    shards.all[0].add([link("2")], 2 * DAY)
    shards.carry(2 * DAY)
    assert [(mail.sender, mail.receiver) for mail in shards.sent] == [(0, 2)]
    store, batch = MemoryStore(), Writes()
    known = Residences(store, 0, PLAN)
    known.note(batch, host_key(HOST), Residence(1, 5))
    known.hear(batch, HOST, Residence(2, 4))
    assert known.of(host_key(HOST), HOST) == Residence(1, 5)
    known.hear(batch, HOST, Residence(2, 6))
    assert known.of(host_key(HOST), HOST) == Residence(2, 6)


def test_a_letter_that_nobody_can_deliver_goes_in_no_circles() -> None:
    """The shard that it was sent to has lost its rows: it is dropped and counted."""
    shards = Shards()
    shards.all[0].add([link("1")], 0.0)
    shards.move(0, 1, 0.0)
    shards.carry()
    shards.stores[1] = MemoryStore()
    shards.all[1] = shards.begin(1)
    shards.stores[1].write(Writes([(Table.META, b"mail from \0\0\0\0", (1).to_bytes(8, "big"))]))
    shards.all[1] = shards.begin(1)
    shards.all[0].add([link("2")], 0.0)
    assert shards.carry() == 1
    assert shards.all[1].counters.totals.discards == {"astray": 1}


def test_a_host_that_leaves_reads_its_inbox_first() -> None:
    """Links that other hosts have to it wait unread while its name is looked up."""
    shards = Shards()
    frontier = shards.all[0]
    local = next(f"b{n}.example" for n in count() if PLAN.home(f"b{n}.example") == 0)
    frontier.add([Request(f"http://{local}/"), link("1")], 0.0)
    assert set(frontier.new_hosts(9)) == {local, HOST}
    frontier.resolved_all([(local, AT[0], "")], 0.0)
    frontier.tick(0.0)
    [visit] = frontier.visits(1, "h", 0.0)
    [request] = visit.hosts[0].requests
    page = Result(request, status=200, links=links_to([f"http://{HOST}/{path}" for path in "123"]))
    frontier.report([Report(visit.id, [page], is_done=True)], {}, 1.0)
    assert [*shards.stores[0].scan(Table.INBOX)]
    frontier.resolved_all([(HOST, AT[1], "")], 2.0)
    assert not [*shards.stores[0].scan(Table.INBOX)]
    shards.carry(2.0)
    assert shards.queued() == [0, 3, 0]


@pytest.mark.parametrize("ahead", [-600.0, 0.0, 600.0])
def test_no_pause_is_shortened_by_a_clock_that_is_ahead(ahead: float) -> None:
    """A host that has asked for peace is left in peace as long as it wanted, wherever it lives."""
    shards = Shards()
    frontier = shards.all[0]
    frontier.add([link(str(number)) for number in range(5)], 0.0)
    frontier.resolved_all([(HOST, AT[0], "")], 0.0)
    frontier.tick(0.0)
    [visit] = frontier.visits(1, "h", 0.0)
    rules = Request(f"http://{HOST}/robots.txt", Purpose.ROBOTS)
    requests = visit.hosts[0].requests
    results = [
        Result(rules, status=200, robots=RobotsNote(RobotsState.RULES, crawl_delay=50.0)),
        Result(requests[0], status=503, retry_after=80_000.0),
    ]
    frontier.report([Report(visit.id, results, requests[1:], is_done=True)], {}, DAY - 10.0)
    frontier.tick(DAY + 70_000.0)
    shards.expire(0, DAY + 80_000.0)
    record = frontier.host(HOST)
    assert record is not None
    record.next_at = record.held_until = DAY + 80_050.0
    left_at = record.left_at
    shards.move(0, 1, DAY + 80_000.0)
    there = DAY + 80_000.0 + ahead
    shards.carry(there)
    moved = shards.all[1].host(HOST)
    assert moved is not None
    behind = max(0.0, ahead)
    assert (moved.next_at, moved.held_until) == (DAY + 80_050.0 + behind,) * 2
    assert moved.left_at == left_at + behind
    shards.all[1].tick(there + 49.0)
    assert shards.all[1].visits(1, "h", there + 49.0) == []
    shards.all[1].tick(there + 50.0 + max(0.0, -ahead))
    [visit] = shards.all[1].visits(1, "h", there + 50.0 + max(0.0, -ahead))
    assert visit.hosts[0].robots, "its rules have come along"


def test_a_host_with_much_moves_in_parts_and_letters_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiptoe.frontier.host_moves.PART_BYTES", 2000)
    shards = Shards()
    shards.all[0].add([link(f"a-page-with-a-name-{number}") for number in range(500)], 0.0)
    shards.move(0, 1, 0.0)
    [first] = shards.all[0].outgoing()
    shards.all[1].receive([first], 0.0)
    shards.all[1].add([link("a-page-with-a-name-7"), link("new")], 0.0)
    shards.all[1].apply([LeadRewarded(HOST, "s", 1.0)], 0.0)
    assert shards.queued() == [0, 0, 0]
    assert not any(frontier.is_finished() for frontier in shards.all[:2]), "a part of it is on its way"
    for shard in (0, 1):
        shards.all[shard] = shards.begin(shard)
        shards.all[shard].check()
    assert shards.carry() > 5
    assert shards.queued() == [0, 501, 0]
    parts = [part for mail in shards.sent for part in open_mail(mail.payload) if isinstance(part, HostPart)]
    assert [bool(part.record) for part in parts] == [False] * (len(parts) - 1) + [True]


def test_mails_have_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiptoe.frontier.mail.MAIL_BYTES_MAX", 20_000)
    shards = Shards()
    shards.all[2].add([link(f"{number:0100}") for number in range(1000)], 0.0)
    mails = shards.all[2].outgoing(mails_max=1000)
    assert 5 < len(mails) < 50
    assert all(len(mail.payload) < 25_000 for mail in mails)
    shards.carry()
    assert shards.queued() == [1000, 0, 0]


def test_many_links_to_one_host_are_cut_into_letters() -> None:
    shards = Shards()
    there = [Request(f"http://b{n}.example/") for n in range(20) if PLAN.home(f"b{n}.example") == 2]
    frontier = shards.all[2]
    frontier.add(there[:1], 0.0)
    [host] = frontier.new_hosts(1)
    frontier.resolved_all([(host, AT[2], "")], 0.0)
    frontier.tick(0.0)
    [visit] = frontier.visits(1, "h", 0.0)
    page = Result(
        visit.hosts[0].requests[0], status=200, links=links_to(f"http://{HOST}/{n}" for n in range(950))
    )
    frontier.report([Report(visit.id, [page], is_done=True)], {}, 1.0)
    [mail] = frontier.outgoing()
    assert len(open_mail(mail.payload)) == 5
    shards.carry()
    assert shards.queued() == [950, 0, 0]
    assert [one.counters.totals.links for one in shards.all] == [0, 0, 951], "counted where they were found"


def test_an_order_for_a_host_is_obeyed_where_it_lives() -> None:
    """Every shard hears it; also the one where a host is to arrive."""
    shards = Shards()
    shards.all[0].add([link("1")], 0.0)
    shards.move(0, 1, 0.0)
    for frontier in shards.all:
        frontier.block(HOST, 0.0)
        frontier.slow(HOST, 30.0)
    shards.carry()
    record = shards.all[1].host(HOST)
    assert record is not None
    assert (record.is_blocked, record.slowed_to, record.state) == (True, 30.0, HostState.IDLE)
    assert [frontier.counters.gauges.blocked_hosts for frontier in shards.all] == [0, 1, 0]


def test_a_blocked_host_stays_blocked_when_its_orders_came_first() -> None:
    shards = Shards()
    shards.all[0].add([link("1")], 0.0)
    shards.all[0].slow(HOST, 40.0)
    shards.move(0, 1, 0.0)
    shards.carry()
    record = shards.all[1].host(HOST)
    assert record is not None
    assert record.slowed_to == 40.0


def test_pages_that_others_have_are_known_wherever_their_host_lives() -> None:
    shards = Shards()
    shards.all[0].add([link("1")], 0.0)
    shards.move(0, 1, 0.0)
    shards.all[2].mark_downloaded([f"http://{HOST}/2", f"http://{HOST}/3"], 0.0)
    shards.carry()
    shards.all[2].add([link("2"), link("3"), link("4")], 0.0)
    shards.carry()
    assert shards.queued() == [0, 2, 0]


def test_a_name_that_was_looked_up_twice_moves_once() -> None:
    shards = Shards()
    shards.all[0].add([link("1")], 0.0)
    shards.move(0, 1, 0.0)
    shards.all[0].resolved_all([(HOST, AT[2], ""), (HOST, "", "no_such_host")], 0.0)
    assert shards.all[0].host(HOST) is None
    shards.carry()
    assert shards.queued() == [0, 1, 0]


class FailingStore(MemoryStore):
    """A store whose disk is full after some writes."""

    def __init__(self, writes: int) -> None:
        super().__init__()
        self.writes_left = writes

    def write(self, batch: Writes) -> None:
        if not self.writes_left:
            raise OSError("the disk is full")
        self.writes_left -= 1
        super().write(batch)


@pytest.mark.parametrize("writes", [0, 1])
def test_mail_is_noted_as_read_with_what_it_says(writes: int) -> None:
    """Links that came in one go with a host are written before it, with the number of their mail."""
    shards = Shards()
    other = next(f"c{n}.example" for n in count() if PLAN.home(f"c{n}.example") == 1)
    shards.all[0].add([Request(f"http://{other}/"), link("1")], 0.0)
    shards.move(0, 1, 0.0)
    mails = shards.all[0].outgoing()
    assert len(mails) == 2
    store = FailingStore(writes)
    shards.stores[1] = store
    with pytest.raises(OSError, match="full"):
        shards.begin(1).receive(mails, 0.0)
    store.writes_left = 9
    frontier = shards.begin(1)
    frontier.check()
    frontier.receive(mails, 0.0)
    assert frontier.counters.gauges.queued == 2


PATHS = st.sampled_from("abcdefgh")
NAMES = [f"n{number}.example" for number in range(5)]


class Moves(RuleBasedStateMachine):
    """Links come anywhere, names get any address, mail goes astray: each link ends in one queue."""

    def __init__(self) -> None:
        super().__init__()
        self.shards = Shards()
        self.now = 0.0
        self.told: set[str] = set()
        self.old: list[ShardMail] = []

    @initialize()
    def begin(self) -> None:
        self.add(0, NAMES[0], "a")

    @rule(shard=st.integers(0, SHARDS - 1), name=st.sampled_from(NAMES), path=PATHS)
    def add(self, shard: int, name: str, path: str) -> None:
        url = f"http://{name}/{path}"
        self.told.add(url)
        self.shards.all[shard].add([Request(url)], self.now)

    @rule(shard=st.integers(0, SHARDS - 1), to=st.integers(0, SHARDS - 1), names=st.integers(1, 3))
    def look_up(self, shard: int, to: int, names: int) -> None:
        found = [(name, AT[to], "") for name in self.shards.all[shard].new_hosts(names)]
        self.shards.all[shard].resolved_all(found, self.now)

    @rule()
    def let_addresses_expire(self) -> None:
        self.now += 2 * DAY
        for frontier in self.shards.all:
            frontier.tick(self.now)
            assert frontier.visits(9, "h", self.now) == []

    @rule(shard=st.integers(0, SHARDS - 1), mails=st.integers(1, 3), is_told=st.booleans())
    def send(self, shard: int, mails: int, is_told: bool) -> None:
        for mail in self.shards.all[shard].outgoing()[:mails]:
            receiver = self.shards.all[mail.receiver]
            receiver.receive([mail], self.now)
            self.old.append(mail)
            if is_told and receiver.received(shard) >= mail.number:
                self.shards.all[shard].delivered({mail.receiver: mail.number})

    @rule(which=st.integers(0, 10**6))
    def repeat(self, which: int) -> None:
        if self.old:
            mail = self.old[which % len(self.old)]
            self.shards.all[mail.receiver].receive([mail], self.now)

    @rule(shard=st.integers(0, SHARDS - 1))
    def restart(self, shard: int) -> None:
        self.shards.all[shard] = self.shards.begin(shard)
        self.shards.all[shard].recover(self.now)

    @invariant()
    def tables_agree(self) -> None:
        for frontier in self.shards.all:
            frontier.check()

    def teardown(self) -> None:
        self.shards.carry(self.now)
        for frontier in self.shards.all:
            assert not frontier.outgoing()
            frontier.check()
        assert sum(self.shards.queued()) == len(self.told)
        living = [name for name in NAMES for frontier in self.shards.all if frontier.host(name)]
        assert len(living) == len({url.split("/")[2] for url in self.told})
        letters = sum(isinstance(parcel, Letter) for mail in self.old for parcel in open_mail(mail.payload))
        assert not any(frontier.counters.totals.discards for frontier in self.shards.all), letters


TestMoves = Moves.TestCase
TestMoves.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
