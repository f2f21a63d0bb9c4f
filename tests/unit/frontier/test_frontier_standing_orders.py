"""Orders of the operator that go to several frontiers, while hosts move between them."""

from itertools import count
from typing import Final

import pytest

from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host_orders import last_obeyed
from tiptoe.frontier.mail import ShardMail
from tiptoe.frontier.standing_orders import StandingOrder, StandingOrders
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore

SHARDS: Final = 2
HOST: Final = next(f"a{n}.example" for n in count() if ShardLabels(SHARDS).home(f"a{n}.example") == 0)
AWAY: Final = next(f"192.0.2.{n}" for n in count() if ShardLabels(SHARDS).residence(f"192.0.2.{n}") == 1)
BLOCK: Final = StandingOrder(1, HOST, is_blocked=True)
SLOW: Final = StandingOrder(2, HOST, slowed_to=30.0)
UNBLOCK: Final = StandingOrder(3, HOST, is_blocked=False)


class Shards:
    """A home, and the shard that its host moves to; each hears of orders by itself."""

    def __init__(self) -> None:
        self.orders = [StandingOrders() for _ in range(SHARDS)]
        self.stores = [MemoryStore() for _ in range(SHARDS)]
        self.all = [self.begin(shard) for shard in range(SHARDS)]

    def begin(self, shard: int) -> Frontier:
        store, orders = self.stores[shard], self.orders[shard]
        return Frontier(store, FrontierPolicy(), shard=shard, plan=ShardLabels(SHARDS), orders=orders)

    def tell(self, shard: int, *orders: StandingOrder) -> list[str]:
        """Let a shard hear of orders; those about the same thing are replaced, as in the row of commands."""
        self.orders[shard].know(orders, orders[-1].number)
        ended = self.all[shard].obey(1.0)
        self.all[shard].check()
        return ended

    def meet(self) -> None:
        """Let the host be met at its home."""
        self.all[0].add([Request(f"http://{HOST}/1")], 0.0)

    def leave(self) -> list[ShardMail]:
        """Let the host leave its home; return the mail that it is in."""
        assert self.all[0].new_hosts(9) == [HOST]
        self.all[0].resolved_all([(HOST, AWAY, "")], 0.5)
        return self.all[0].outgoing()

    def arrive(self, mails: list[ShardMail]) -> None:
        for mail in mails:
            self.all[1].receive([mail], 1.0)
            self.all[0].delivered({1: mail.number})
        for frontier in self.all:
            frontier.check()

    def said_of_host(self) -> tuple[bool, float]:
        record = self.all[1].host(HOST)
        assert record is not None
        return record.is_blocked, record.slowed_to


@pytest.mark.parametrize("home_hears", ["before", "after", "never"])
@pytest.mark.parametrize("is_arrived", [False, True])
def test_a_host_on_its_way_is_blocked_whoever_hears_of_it_first(home_hears: str, is_arrived: bool) -> None:
    """No shard has it while it is in the mail, so its arrival is what counts."""
    shards = Shards()
    shards.meet()
    mails = shards.leave()
    if home_hears == "before":
        shards.tell(0, BLOCK)
    if is_arrived:
        shards.arrive(mails)
    shards.tell(1, BLOCK)
    if home_hears == "after":
        shards.tell(0, BLOCK)
    if not is_arrived:
        shards.arrive(mails)
    assert shards.said_of_host() == (True, 0.0)
    shards.all[1].tick(100.0)
    assert shards.all[1].visits(9, "h", 100.0) == []


def test_a_shard_that_is_behind_does_not_undo_what_a_host_was_told_elsewhere() -> None:
    """It left a shard that had heard more, and the older orders are carried out where it arrives."""
    shards = Shards()
    shards.meet()
    shards.tell(1, BLOCK)
    shards.tell(0, SLOW, UNBLOCK)
    mails = shards.leave()
    shards.arrive(mails)
    assert shards.said_of_host() == (False, 30.0)
    shards.tell(1, SLOW, UNBLOCK)
    assert shards.said_of_host() == (False, 30.0)


def test_an_older_order_is_not_carried_out_after_a_later_one() -> None:
    """The shard where a host arrives may hear of it only then, one order at a time."""
    shards = Shards()
    shards.meet()
    shards.tell(0, SLOW, UNBLOCK)
    shards.arrive(shards.leave())
    shards.tell(1, BLOCK)
    assert shards.said_of_host() == (False, 30.0)


def test_a_host_that_comes_from_behind_catches_up() -> None:
    shards = Shards()
    shards.meet()
    mails = shards.leave()
    shards.tell(1, SLOW, UNBLOCK)
    shards.arrive(mails)
    assert shards.said_of_host() == (False, 30.0)


def test_a_host_that_nobody_has_met_is_blocked_at_its_home() -> None:
    shards = Shards()
    assert shards.tell(0, BLOCK) == [HOST]
    assert shards.tell(1, BLOCK) == []
    shards.meet()
    assert shards.all[0].new_hosts(9) == []
    assert [frontier.counters.gauges.blocked_hosts for frontier in shards.all] == [1, 0]


def test_what_is_allowed_is_no_reason_to_remember_a_host() -> None:
    shards = Shards()
    shards.tell(0, UNBLOCK)
    assert shards.all[0].host(HOST) is None


def test_an_order_about_an_address_is_obeyed_in_every_shard() -> None:
    """Hosts of a network of many sites live at their own gates, anywhere."""
    shards = Shards()
    shards.meet()
    shards.arrive(shards.leave())
    shards.all[1].tick(1.0)
    assert len(shards.all[1].visits(1, "h", 1.0)) == 1
    block = StandingOrder(4, AWAY, is_address=True, is_blocked=True)
    assert shards.tell(1, block) == [HOST], "its visit is to end"
    shards.tell(0, block)
    assert shards.all[0].visited_hosts() == []


def test_a_shard_notes_how_far_it_has_come() -> None:
    """With the same step: whoever takes it next carries out the rest, and nothing twice."""
    shards = Shards()
    shards.tell(0, BLOCK)
    assert last_obeyed(shards.stores[0]) == 1
    frontier = shards.begin(0)
    assert frontier.obey(2.0) == []
    shards.orders[0].know([SLOW, UNBLOCK], 3)
    assert frontier.obey(2.0) == [HOST]
    record = frontier.host(HOST)
    assert record is not None
    assert (record.is_blocked, record.slowed_to, record.ordered) == (False, 30.0, 3)


def test_of_a_crawl_on_one_machine_an_order_without_a_number_always_counts() -> None:
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    frontier.block(HOST, 0.0)
    frontier.block(HOST, 0.0, is_blocked=False)
    frontier.block(HOST, 0.0)
    record = frontier.host(HOST)
    assert record is not None
    assert record.is_blocked
