"""A wish to be forgotten catches what is on its way between shards."""

from itertools import count
from typing import Final

from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.frontier.erasing import erase, meant_by
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.wishes import (
    NotedWish,
    NumberedWish,
    OwnersWishes,
    StandingWishes,
    hosts_to_erase_again,
    last_erased,
    note_erased,
    note_wish,
)
from tiptoe.frontier.wishes_in_transit import is_free_of
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.wish import read_wish

SHARDS: Final = 3
PLAN: Final = ShardLabels(SHARDS)
HOST: Final = next(f"a{n}.example" for n in count() if PLAN.home(f"a{n}.example") == 0)
ADDRESS: Final = next(f"192.0.2.{n}" for n in count() if PLAN.residence(f"192.0.2.{n}") == 1)


def begin(store: MemoryStore, shard: int) -> Frontier:
    return Frontier(store, FrontierPolicy(), shard=shard, plan=PLAN)


def noted(store: MemoryStore, target: str) -> MemoryStore:
    """Carry out a wish in tables that no frontier uses."""
    wish, batch = read_wish(target), Writes()
    note_wish(batch, NotedWish(wish.target, "a letter", 1.0))
    store.write(batch)
    erase(store, wish, meant_by(store, wish))
    batch = Writes()
    note_erased(batch, 7, hosts_to_erase_again(store))
    store.write(batch)
    return store


def on_its_way(*paths: str) -> tuple[MemoryStore, Frontier]:
    """Return a shard whose only host has left for shard 1, but has not arrived."""
    store = MemoryStore()
    frontier = begin(store, 0)
    frontier.add([Request(f"http://{HOST}/{path}") for path in paths], 0.0)
    assert frontier.new_hosts(1) == [HOST]
    frontier.resolved_all([(HOST, ADDRESS, "")], 0.0)
    return store, frontier


def wishes(target: str) -> OwnersWishes:
    return OwnersWishes([read_wish(target)])


def test_a_shard_is_not_free_of_a_host_before_it_has_arrived_elsewhere() -> None:
    """Its rows are still in the mail, which nobody may change."""
    store, frontier = on_its_way("1")
    assert not is_free_of(store, wishes(HOST))
    assert is_free_of(store, wishes("other.example"))
    frontier.delivered({mail.receiver: mail.number for mail in frontier.outgoing()})
    assert is_free_of(store, wishes(HOST))


def test_a_shard_that_a_forgotten_host_comes_to_erases_once_more() -> None:
    _, sender = on_its_way("1", "2")
    store = noted(MemoryStore(), HOST)
    receiver = begin(store, 1)
    receiver.receive(sender.outgoing(), 0.0)
    assert hosts_to_erase_again(store) == [HOST]
    standing = StandingWishes()
    other = NumberedWish(5, NotedWish("other.example", "a letter", 1.0))
    standing.know([other, NumberedWish(7, NotedWish(HOST, "a letter", 1.0))])
    assert [one.number for one in standing.to_erase(store)] == [7]
    noted(store, HOST)
    assert standing.to_erase(store) == []
    assert not list(store.scan(Table.QUEUE))
    frontier = begin(store, 1)
    frontier.recover(0.0)
    frontier.check()


def test_only_a_page_that_is_covered_makes_its_host_a_reason() -> None:
    """Hosts move often, and each time their shard would stand still for some seconds."""
    for target, is_reason in ((f"http://{HOST}/1", True), (f"http://{HOST}/9", False), (f"{HOST}/2*", True)):
        _, sender = on_its_way("1", "20")
        store = noted(MemoryStore(), target)
        begin(store, 1).receive(sender.outgoing(), 0.0)
        assert bool(hosts_to_erase_again(store)) == is_reason, target


def test_links_to_what_is_forgotten_are_neither_sent_nor_kept_unread() -> None:
    """Mail and inboxes are written to the logs, where they would stay for a while."""
    store = noted(MemoryStore(), HOST)
    frontier = begin(store, 2)
    frontier.add([Request(f"http://{HOST}/1"), Request("http://x.example/1")], 0.0)
    assert is_free_of(store, wishes(HOST))
    assert frontier.counters.totals.discards == {"forgotten": 1}
    home = begin(noted(MemoryStore(), HOST), 0)
    unaware = begin(MemoryStore(), 2)
    unaware.add([Request(f"http://{HOST}/1")], 0.0)
    home.receive(unaware.outgoing(), 0.0)
    assert (home.counters.gauges.queued, home.counters.totals.discards) == (0, {"forgotten": 1})


def test_what_others_have_downloaded_is_not_noted_of_a_forgotten_host() -> None:
    store = noted(MemoryStore(), HOST)
    assert begin(store, 0).mark_downloaded([f"http://{HOST}/1"], 0.0) == 0
    assert not list(store.scan(Table.PAGE))


def test_a_shard_carries_out_the_wishes_after_the_last_one() -> None:
    store = noted(MemoryStore(), HOST)
    assert last_erased(store) == 7
    standing = StandingWishes()
    assert (standing.last, len(standing)) == (0, 0)
    standing.know(NumberedWish(n, NotedWish(f"h{n}.example", "a letter", 1.0)) for n in (9, 3, 7, 8))
    assert ([one.number for one in standing.to_erase(store)], standing.last) == ([8, 9], 9)
