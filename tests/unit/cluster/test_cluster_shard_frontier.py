"""Does a real frontier notice that its steps go through a log?"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from shard_grounds import SHARD, Agent, Ground, content_of

from tiptoe.cluster.shard_snapshot import take_snapshot
from tiptoe.experiment.frontier_player import FrontierPlayer
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.protocol.work import HostLinks, Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import PARTITION_BYTES
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Store
from tiptoe.url.address import page_keys, url_key

HOSTS, PAGES = 12, 9
TURNS = 60


def links_to(host: int, page: int) -> HostLinks:
    name = f"h{host}.example"
    urls = [f"http://{name}/page-{page % PAGES}.html"]
    return HostLinks(name, urls, page_keys(name, urls))


def answer(request: Request, now: float) -> Result:
    """Answer with links to the next page of some hosts; the same to the same question."""
    number = int.from_bytes(url_key(request.url)[:4], "big")
    links = [links_to((number + far) % HOSTS, number % 97 + far) for far in range(4)]
    return Result(request, status=200, seconds=0.1, body_bytes=5000, text_chars=500, links=links)


def play(store: Store) -> FrontierPlayer:
    """Return a crawl that has just begun."""
    player = FrontierPlayer(Frontier(store, FrontierPolicy()), answer, lambda host: f"192.0.2.{len(host)}")
    player.add(*(f"http://h{host}.example/" for host in range(HOSTS)))
    return player


@pytest.fixture
def ground() -> Iterator[Ground]:
    made = Ground()
    yield made
    made.close()


@pytest.fixture
def agent(ground: Ground, tmp_path: Path) -> Iterator[Agent]:
    disk = RocksStore(
        tmp_path / "db", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20, prefix_bytes=PARTITION_BYTES
    )
    made = ground.agent("a", disk)
    made.do(made.claim(message_bytes_max=5000))
    yield made
    made.kill()
    disk.close()


def test_a_crawl_over_a_log_is_the_same_crawl(ground: Ground, agent: Agent) -> None:
    """Row for row, here and for whoever reads the log, with a snapshot on the way."""
    plain = MemoryStore()
    players = play(plain), play(agent.store)
    for turn in range(TURNS):
        for player in players:
            player.step()
        if turn % 3 == 0:
            ground.pass_time(0.0015)  # so that there is always something under way
        if turn == TURNS // 2:
            agent.do(take_snapshot(agent.engine, SHARD, agent.partition))
        assert players[0].now == players[1].now
    players[1].frontier.check()
    assert players[1].frontier.counters.totals.pages > TURNS // 3
    assert content_of(agent.store) == content_of(plain)
    ground.pass_time(10.0)
    assert content_of(agent.partition) == ground.committed() == content_of(plain)


def test_an_heir_goes_on_with_what_was_committed(ground: Ground, agent: Agent) -> None:
    """Its frontier finds all tables in agreement, whatever was under way when the other one died."""
    player = play(agent.store)
    for turn in range(TURNS):
        player.step()
        ground.pass_time(0.0007 * (turn % 4))
    agent.kill()
    ground.pass_time(10.0)
    committed = ground.committed()
    heir = ground.agent("b")
    heir.do(heir.claim())
    assert content_of(heir.store) == committed
    frontier = Frontier(heir.store, FrontierPolicy())
    frontier.recover(player.now)
    frontier.check()
    assert frontier.counters.totals.pages > 0
