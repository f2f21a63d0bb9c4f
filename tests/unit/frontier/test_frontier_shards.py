"""One crawl by several frontiers is the crawl of one."""

from typing import Final

import pytest
from shard_players import BRISK, DAY, PATIENT, Cluster, SharedWeb

from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table

POLICY: Final = FrontierPolicy(politeness=PATIENT)
REVISITING: Final = FrontierPolicy(
    politeness=PATIENT, revisit=RevisitPolicy(strategy="uniform", first_seconds=3 * DAY, is_endless=True)
)
SHARDS: Final = 4


def crawl(seed: int, shards: int, rules: Politeness, *, crashes: float = 0.0) -> Cluster:
    delay_max = (1.0, 60.0, 4 * 3600.0)[seed % 3] if rules is PATIENT else 60.0
    web = SharedWeb(seed, 20, moving_rules=0.0 if rules is PATIENT else 0.2)
    cluster = Cluster(
        web, shards, FrontierPolicy(politeness=rules), seed, lost=0.1, doubled=0.1, delay_max=delay_max,
        crashes=crashes, is_checked=shards > 1,
    )  # fmt: skip
    cluster.add(*(f"http://{host}/p0" for host in web.names()[:3]))
    cluster.run()
    return cluster


@pytest.mark.parametrize("rules", [PATIENT, BRISK], ids=["patient", "brisk"])
@pytest.mark.parametrize("seed", range(4))
def test_several_frontiers_ask_for_the_pages_of_one(seed: int, rules: Politeness) -> None:
    """Whatever happens to the mail between them; and no server sees that there are several."""
    cluster = crawl(seed, SHARDS, rules)
    cluster.judge(rules)
    assert cluster.pages() == crawl(seed, 1, rules).pages()
    assert cluster.mails
    assert not any(frontier.outgoing() for frontier in cluster.frontiers)
    assert not any([*store.scan(Table.OUTBOX)] or [*store.scan(Table.AWAITED)] for store in cluster.stores)


@pytest.mark.parametrize("seed", range(100, 106))
def test_frontiers_that_die_lose_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was on its way to a harvester is asked for again, and nothing else; hosts move in many parts."""
    monkeypatch.setattr("tiptoe.frontier.host_moves.PART_BYTES", 60)
    monkeypatch.setattr("tiptoe.frontier.mail.MAIL_BYTES_MAX", 200)
    cluster = crawl(seed, SHARDS, PATIENT, crashes=0.02)
    cluster.judge(PATIENT)
    alone = crawl(seed, 1, PATIENT).pages()
    assert cluster.pages().keys() == alone.keys()
    assert not cluster.pages() - alone - cluster.cut_off


@pytest.mark.parametrize("seed", range(2))
def test_pages_are_visited_again_wherever_their_host_lives(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiptoe.frontier.host_moves.PART_BYTES", 200)
    web = SharedWeb(seed, 20, moving_rules=0.0)

    def answer(request: Request, now: float) -> Result:
        if request.last_visit is not None:
            return Result(request, status=304, is_changed=False)
        return web.answer(request, now)

    cluster = Cluster(web, SHARDS, REVISITING, seed, delay_max=600.0, crashes=0.005, is_checked=True)
    cluster.answer = answer
    cluster.restart()
    cluster.add(*(f"http://{host}/p0" for host in web.names()[:3]))
    cluster.run(until=cluster.now + 25 * DAY)
    cluster.judge(PATIENT)
    alone = crawl(seed, 1, PATIENT).pages()
    assert cluster.pages().keys() == alone.keys()
    assert all(times >= 3 for times in cluster.pages().values()), "within 25 days, every three days"
    watched = sum(frontier.counters.learned.account.pages for frontier in cluster.frontiers)
    assert watched > 0.8 * len(alone)


def test_names_with_several_addresses_move_nobody() -> None:
    """An address that a host still has is kept, in whatever order its name server tells them."""
    web = SharedWeb(1, 20, rotating=1.0, changing=0.0)
    cluster = Cluster(web, SHARDS, POLICY, is_checked=True)
    cluster.add(*(f"http://{host}/p0" for host in web.names()))
    cluster.run()
    assert cluster.now > 1e6 + 2 * DAY, "their addresses expire"
    moves = sum(frontier.counters.totals.hosts_moved for frontier in cluster.frontiers)
    assert 0 < moves <= len(web.names()), "once from home"


def test_hosts_that_get_other_addresses_live_where_these_are() -> None:
    web = SharedWeb(1, 20, rotating=0.0, changing=1.0)
    cluster = Cluster(web, SHARDS, POLICY, is_checked=True)
    cluster.add(*(f"http://{host}/p0" for host in web.names()))
    cluster.run()
    assert sum(frontier.counters.totals.hosts_moved for frontier in cluster.frontiers) > len(web.names())
    living = [frontier.host(host) for host in web.names() for frontier in cluster.frontiers]
    assert sum(record is not None for record in living) == len(web.names()), "each in one place"


def test_a_frontier_alone_knows_of_no_other() -> None:
    cluster = crawl(0, 1, PATIENT)
    assert cluster.mails == 0
    for table in (Table.RESIDENCE, Table.OUTBOX, Table.AWAITED):
        assert not [*cluster.stores[0].scan(table)]
    alone = Frontier(MemoryStore(), POLICY)
    assert alone.outgoing() == []
    assert alone.received(0) == 0


def test_homes_and_addresses_are_shared_out_evenly() -> None:
    plan = ShardLabels(64)
    hosts = [plan.home(f"h{number}.example") for number in range(64_000)]
    gates = [plan.residence(f"10.0.{number >> 8}.{number & 255}") for number in range(64_000)]
    for shards in (hosts, gates):
        counts = [shards.count(shard) for shard in range(64)]
        assert 850 < min(counts) <= max(counts) < 1150
    assert ShardLabels(1).home("a.example") == ShardLabels(1).residence("192.0.2.1") == 0
