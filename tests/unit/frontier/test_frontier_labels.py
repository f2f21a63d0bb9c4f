"""Do hosts live where the label of their name or network asks, and every address in one shard?"""

from collections import defaultdict
from typing import Final

import pytest
from shard_players import BRISK, DAY, PATIENT, Cluster, SharedWeb

from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.shard_labels import LabelRule, ShardLabels
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.gate_register import GateRegister
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Writes

SHARDS: Final = 6
HOSTS: Final = 24
EVEN: Final = tuple(f"h{number}.example" for number in range(0, HOSTS, 2))


def plan_for(seed: int) -> ShardLabels:
    """Return shards for names of even number, for a network, and for the rest."""
    rules = [LabelRule("even", suffixes=EVEN), LabelRule("net", networks=(f"198.18.{seed % 256}.0/28",))]
    return ShardLabels(SHARDS, rules)


def crawl(seed: int, rules: Politeness = BRISK, *, crashes: float = 0.0, changing: float = 0.4) -> Cluster:
    web = SharedWeb(seed, HOSTS, moving_rules=0.0 if rules is PATIENT else 0.15, changing=changing)
    cluster = Cluster(
        web, SHARDS, FrontierPolicy(politeness=rules), seed, lost=0.1, doubled=0.1,
        delay_max=60.0 if rules is BRISK else 1.0, crashes=crashes, is_checked=True, plan=plan_for(seed),
    )  # fmt: skip
    cluster.add(*(f"http://{host}/p0" for host in web.names()[:3]))
    cluster.run()
    return cluster


def alone(seed: int, rules: Politeness) -> Cluster:
    web = SharedWeb(seed, HOSTS, moving_rules=0.0 if rules is PATIENT else 0.15)
    cluster = Cluster(web, 1, FrontierPolicy(politeness=rules), seed)
    cluster.add(*(f"http://{host}/p0" for host in web.names()[:3]))
    cluster.run()
    return cluster


@pytest.mark.parametrize("rules", [PATIENT, BRISK], ids=["patient", "brisk"])
@pytest.mark.parametrize("seed", range(2))
def test_shards_with_labels_ask_for_the_pages_of_one_crawl(seed: int, rules: Politeness) -> None:
    """With addresses that are given away, changed and forwarded, and mail that is lost; still as polite."""
    cluster = crawl(seed, rules)
    cluster.judge(rules)
    assert cluster.pages() == alone(seed, rules).pages()
    assert not any(frontier.outgoing() for frontier in cluster.frontiers)


@pytest.mark.parametrize("seed", range(200, 203))
def test_frontiers_with_labels_that_die_lose_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also between the arrival of a host and its being sent on."""
    monkeypatch.setattr("tiptoe.frontier.host_moves.PART_BYTES", 60)
    cluster = crawl(seed, PATIENT, crashes=0.02)
    cluster.judge(PATIENT)
    asked = alone(seed, PATIENT).pages()
    assert cluster.pages().keys() == asked.keys()
    assert not cluster.pages() - asked - cluster.cut_off


@pytest.mark.parametrize("seed", range(2))
def test_every_address_is_asked_from_one_shard_and_from_that_of_its_label(seed: int) -> None:
    cluster, plan = crawl(seed, changing=0.0), plan_for(seed)
    shards: dict[str, set[int]] = defaultdict(set)
    hosts: dict[str, set[str]] = defaultdict(set)
    for played in cluster.asked:
        shards[played.address].add(shard_of_visit(played.visit))
        hosts[played.address].add(played.host)
    assert {len(found) for found in shards.values()} == {1}
    labels = {address: plan.labels[shard] for address, (shard,) in shards.items()}
    assert len(set(labels.values())) > 1
    for address, label in labels.items():
        if plan.residence(address) in plan.blocks["net"]:
            assert label == "net"  # whatever the names
        elif hosts[address] <= set(EVEN):
            assert label == "even"
        elif not hosts[address] & set(EVEN):
            assert label == UNLABELLED


def test_hosts_stay_where_their_address_was_given_when_they_are_looked_up_again() -> None:
    """Else each would travel to the registrar and back with all its rows whenever its address expires."""
    cluster = crawl(1, PATIENT, changing=0.0)
    assert cluster.now > 1e6 + 2 * DAY, "their addresses expire"
    moves = sum(frontier.counters.totals.hosts_moved for frontier in cluster.frontiers)
    assert 0 < moves <= 2 * HOSTS, "once to the registrar, once to where it was given"


# -- the register itself ---------------------------------------------------

ADDRESS: Final = "198.51.100.1"
NAMES: Final = ShardLabels(SHARDS, [LabelRule("sk", suffixes=("sk",))])
REGISTRAR: Final = NAMES.residence(ADDRESS)
CLAIMED: Final = NAMES.claim(ADDRESS, "a.sk")


def register(shard: int, store: MemoryStore | None = None) -> tuple[GateRegister, MemoryStore]:
    store = store or MemoryStore()
    return GateRegister(store, shard, NAMES), store


def settled(found: GateRegister, store: MemoryStore, host: str, sender: int | None = None) -> int:
    batch = Writes()
    shard = (
        found.settle(batch, ADDRESS, host) if sender is None else found.receive(batch, ADDRESS, host, sender)
    )
    store.write(batch)
    found.committed()
    return shard


def test_the_first_host_decides_and_the_others_follow() -> None:
    found, store = register(REGISTRAR)
    assert settled(found, store, "a.sk") == CLAIMED != REGISTRAR
    assert settled(found, store, "a.cz") == CLAIMED
    again, _ = register(REGISTRAR, store)
    assert again.shard_of(ADDRESS, "b.cz") == CLAIMED


def test_an_address_that_stayed_is_never_given_away() -> None:
    """Its hosts are asked from here: who comes later with a label has to come here."""
    found, store = register(REGISTRAR)
    assert settled(found, store, "a.cz") == REGISTRAR
    assert settled(found, store, "a.sk") == REGISTRAR


def test_whom_the_registrar_sends_may_stay_and_whom_others_send_goes_to_the_registrar() -> None:
    found, store = register(CLAIMED)
    assert settled(found, store, "a.sk", sender=REGISTRAR + 1) == REGISTRAR
    assert settled(found, store, "a.sk", sender=REGISTRAR) == CLAIMED
    assert settled(found, store, "a.cz", sender=REGISTRAR) == CLAIMED
    assert found.shard_of(ADDRESS, "a.sk") == CLAIMED


def test_looking_decides_nothing() -> None:
    found, store = register(REGISTRAR)
    assert found.shard_of(ADDRESS, "a.sk") == CLAIMED
    assert settled(found, store, "a.cz") == REGISTRAR


def test_what_is_known_beforehand_costs_no_row() -> None:
    """One for each address would be much for crawls that have no rules for names."""
    store = MemoryStore()
    plain = GateRegister(store, 0, ShardLabels(SHARDS, [LabelRule("net", networks=("10.0.0.0/8",))]))
    batch = Writes()
    plain.settle(batch, ADDRESS, "a.sk")
    named = GateRegister(store, NAMES.residence(f"{ADDRESS} a.sk"), NAMES)
    named.settle(batch, f"{ADDRESS} a.sk", "a.sk")
    assert not batch
