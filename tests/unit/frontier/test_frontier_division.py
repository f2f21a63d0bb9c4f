"""Does a crawl that goes from one machine to many, and back, ask for what one crawl asks for, as politely?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import msgspec
import pytest
from shard_players import BRISK, PATIENT, Cluster, SharedWeb

from tiptoe.cluster.shard_division import (
    MADE_ANEW,
    OF_FILES,
    OF_NO_HOST,
    RECORDED_BY_HOST,
    UNDER_WAY,
    NotAtRest,
    divide,
    unite,
)
from tiptoe.cluster.shard_labels import LabelRule, ShardLabels
from tiptoe.errors import CrawlerError
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.gate import AddressRecord
from tiptoe.frontier.gate_register import GateRegister
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.residence import ShardPlan
from tiptoe.frontier.wishes import NotedWish, note_wish, noted_wishes
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes

SHARDS: Final = 5
HOSTS: Final = 20
EVEN: Final = tuple(f"h{number}.example" for number in range(0, HOSTS, 2))
PLANS: Final[dict[str, ShardPlan]] = {
    "alike": ShardLabels(SHARDS),
    "labelled": ShardLabels(SHARDS, [LabelRule("even", suffixes=EVEN)]),
}


def begun(seed: int, rules: Politeness) -> Cluster:
    """Return a crawl on one machine that has just begun."""
    web = SharedWeb(seed, HOSTS, moving_rules=0.0)
    cluster = Cluster(web, 1, FrontierPolicy(politeness=rules), seed, is_checked=True)
    cluster.add(*(f"http://{host}/p0" for host in web.names()[:4]))
    return cluster


def gone_on(before: Cluster, stores: list[MemoryStore], plan: ShardPlan | None) -> Cluster:
    """Return the crawl as it goes on, by other databases."""
    later = replace(before, shards=len(stores), stores=stores, plan=plan, now=before.now)
    later.asked = before.asked
    for player in later.players:
        player.record = before.asked.append
        player.frontier.recover(later.now)
        player.frontier.check()
    return later


def stopped_after(cluster: Cluster, requests: int) -> None:
    """Crawl until so many requests were made, then stop in good order."""
    while len(cluster.asked) < requests:
        cluster.run(until=cluster.now + 600.0)
    cluster.rest()


def divided(cluster: Cluster, plan: ShardPlan) -> list[MemoryStore]:
    stores = [MemoryStore() for _ in range(SHARDS)]
    divide(cluster.stores[0], stores, plan)
    return stores


def united(cluster: Cluster) -> list[MemoryStore]:
    store = MemoryStore()
    unite(cluster.stores, store)
    return [store]


def rows(stores: Sequence[MemoryStore], table: Table) -> list[tuple[bytes, bytes]]:
    return sorted(row for store in stores for row in store.scan(table))


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize("rules", [PATIENT, BRISK], ids=["patient", "brisk"])
@pytest.mark.parametrize("seed", range(5))
def test_a_crawl_that_is_divided_and_united_on_its_way_is_the_crawl_of_one(
    seed: int, rules: Politeness, plan: ShardPlan
) -> None:
    """Nothing is lost, nothing asked for twice, and nobody asked before its time, across both changes."""
    truth = begun(seed, rules)
    truth.run()
    whole = len(truth.asked)

    first = begun(seed, rules)
    stopped_after(first, whole // 3)
    shards = gone_on(first, divided(first, plan), plan)
    stopped_after(shards, 2 * whole // 3)
    last = gone_on(shards, united(shards), None)
    last.run()

    assert last.pages() == truth.pages()
    last.judge(rules)
    totals = last.frontiers[0].counters.totals
    assert totals.pages == truth.frontiers[0].counters.totals.pages
    assert sum(bool([*store.scan(Table.HOST)]) for store in shards.stores) > 1


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_crawl_that_is_divided_and_united_at_once_has_the_same_rows(plan: ShardPlan) -> None:
    cluster = begun(3, BRISK)
    stopped_after(cluster, 40)
    stores = divided(cluster, plan)
    store = MemoryStore()
    unite(stores, store)
    for table in Table:
        if table is not Table.META:
            assert rows([store], table) == rows(cluster.stores, table), table
    assert len(rows(cluster.stores, Table.PAGE)) + len(rows(cluster.stores, Table.QUEUE)) > 40


def test_what_an_operator_says_of_an_address_holds_in_every_shard() -> None:
    """Hosts of a content delivery network live in many shards, and share one address."""
    cluster = begun(1, BRISK)
    frontier = cluster.frontiers[0]
    frontier.block_address("192.0.2.1")
    frontier.slow_address("192.0.2.2", 60.0)
    cluster.rest()
    stores = divided(cluster, ShardLabels(SHARDS))
    assert all(store.get(Table.ADDRESS, b"192.0.2.1") for store in stores)
    shards = gone_on(cluster, stores, ShardLabels(SHARDS))
    for each in shards.frontiers:
        each.block_address("192.0.2.1", is_blocked=False)
    shards.rest()
    found = decoded(united(shards)[0], b"192.0.2.2")
    assert found.slowed_to == 60.0
    assert not decoded(united(shards)[0], b"192.0.2.1").is_blocked


def decoded(store: MemoryStore, gate: bytes) -> AddressRecord:
    stored = store.get(Table.ADDRESS, gate)
    assert stored is not None
    return msgspec.msgpack.decode(stored, type=AddressRecord)


def test_an_address_that_rests_is_given_to_nobody() -> None:
    """Its hosts have moved away; the first one to come back must find it resting, whatever its label."""
    plan = PLANS["labelled"]
    cluster = begun(2, BRISK)
    stopped_after(cluster, 30)
    [(_, resting), *_] = cluster.stores[0].scan(Table.ADDRESS)
    batch = Writes()
    batch.put(Table.ADDRESS, b"203.0.113.9", resting)
    cluster.stores[0].write(batch)
    stores = divided(cluster, plan)
    [shard] = [number for number, store in enumerate(stores) if store.get(Table.ADDRESS, b"203.0.113.9")]
    assert shard == plan.residence("203.0.113.9")
    assert GateRegister(stores[shard], shard, plan).shard_of("203.0.113.9", EVEN[0]) == shard


def test_what_is_under_way_is_not_copied() -> None:
    """A visit would be made twice, a mail be lost."""
    cluster = begun(4, BRISK)
    cluster.run(until=cluster.now + 1.0)
    targets = [MemoryStore() for _ in range(SHARDS)]
    with pytest.raises(NotAtRest, match="under way"):
        divide(cluster.stores[0], targets, ShardLabels(SHARDS))
    assert not any([*target.scan(table)] for target in targets for table in Table)
    cluster.frontiers[0].runs.begin("played", 0.0, now=cluster.now, rest=0.0)
    with pytest.raises(NotAtRest, match="ended cleanly"):
        divide(cluster.stores[0], targets, ShardLabels(SHARDS))


def test_mail_under_way_is_not_lost_by_uniting() -> None:
    shards = Cluster(SharedWeb(1, HOSTS), SHARDS, FrontierPolicy(politeness=BRISK))
    shards.frontiers[0].add([Request(f"http://h{number}.example/p0") for number in range(8)], shards.now)
    with pytest.raises(NotAtRest, match="under way"):
        unite(shards.stores, MemoryStore())


def test_every_table_has_its_way() -> None:
    """A table that is new, and forgotten here, would be lost on the way."""
    kinds = (UNDER_WAY, RECORDED_BY_HOST, OF_FILES, OF_NO_HOST, MADE_ANEW)
    assert sorted(table.value for kind in kinds for table in kind) == sorted(table.value for table in Table)


def test_nothing_is_written_over() -> None:
    cluster = begun(4, BRISK)
    stopped_after(cluster, 10)
    stores = divided(cluster, ShardLabels(SHARDS))
    with pytest.raises(CrawlerError, match="already"):
        divide(cluster.stores[0], stores, ShardLabels(SHARDS))
    with pytest.raises(CrawlerError, match="already"):
        unite(stores, cluster.stores[0])


def test_what_owners_want_to_be_forgotten_is_known_to_every_shard_and_afterwards() -> None:
    """Else a host would be asked again for nothing but being crawled by many machines."""
    source, stores, back = MemoryStore(), [MemoryStore() for _ in range(SHARDS)], MemoryStore()
    noted, batch = NotedWish("*.a.example", "a letter", 1.0), Writes()
    note_wish(batch, noted)
    source.write(batch)

    divide(source, stores, ShardLabels(SHARDS))
    unite(stores, back)

    for store in (*stores, back):
        assert list(noted_wishes(store.scan(Table.META))) == [noted]
