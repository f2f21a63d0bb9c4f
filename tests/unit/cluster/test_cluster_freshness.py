"""How fresh the collection of the whole crawl is, asked from any member."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec
import pytest

from cluster_grounds import MemoryGround, serving
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.freshness_service import FreshnessService, WholeFreshness, ask_freshness
from tiptoe.cluster.shard_clock import ShardClock
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.keeper.survey import survey_pages
from tiptoe.observe.collection_freshness import Collection
from tiptoe.revisit.budget import Account
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_key, page_key

NOW = 1_790_000_000.0
HOUR = 3600.0
LATE = 500.0
"""By how much the clocks of shards are behind the wall clock."""


@dataclass(eq=False)
class Shard:
    """As much of a held shard as is asked for."""

    shard: int
    store: MemoryStore = field(default_factory=MemoryStore)
    clock: ShardClock = field(default_factory=lambda: ShardClock(NOW - LATE))

    def __post_init__(self) -> None:
        self.frontier = Frontier(self.store, FrontierPolicy())

    def add(self, host: str, pages: int, *, due: float = HOUR) -> None:
        batch = Writes()
        account = Account(pages=pages, rate=1.0 / HOUR)
        batch.put(Table.HOST, host_key(host), msgspec.msgpack.encode(HostRecord(host, account=account)))
        for number in range(pages):
            page = PageRecord(
                f"https://{host}/{number}", 200, "ok", visits=1, version=1,
                first_visit_at=NOW - LATE - HOUR, last_visit_at=NOW - LATE - HOUR,
                next_visit_at=NOW - LATE + due,
            )  # fmt: skip
            batch.put(Table.PAGE, page_key(page.url), msgspec.msgpack.encode(page))
        self.store.write(batch)


@pytest.fixture
def ground() -> Iterator[MemoryGround]:
    made = MemoryGround()
    yield made
    made.close()


def answering(engine: Engine, name: str, shards: list[Shard]) -> contextlib.AbstractAsyncContextManager[None]:
    service = FreshnessService(engine, name, lambda: shards, lambda: 0.0)  # type: ignore[arg-type, return-value]
    return serving(service.run())


def ask(
    ground: MemoryGround, agents: dict[str, list[Shard]], *, also: str = "", hosts: int = 3
) -> WholeFreshness:
    async def main() -> WholeFreshness:
        engine = await ground.connect()
        async with contextlib.AsyncExitStack() as stack:
            for name, shards in agents.items():
                await stack.enter_async_context(answering(await ground.connect(), name, shards))
            names = [*agents, also] if also else list(agents)
            return await ask_freshness(engine, names, token="t", shards=3, now=NOW, hosts_max=hosts)

    return ground.run(main())


def test_the_shards_of_all_agents_add_up_to_what_one_machine_would_say(ground: MemoryGround) -> None:
    shards = [Shard(0), Shard(1), Shard(2)]
    alone = Shard(0)
    for number, (host, pages) in enumerate([("a.example", 5), ("b.example", 2400), ("c.example", 7)]):
        shards[number].add(host, pages, due=HOUR * (number + 1))
        alone.add(host, pages, due=HOUR * (number + 1))
    whole = ask(ground, {"one": shards[:2], "two": shards[2:]})
    expected = Collection(NOW - LATE, 3)
    rows = alone.store.scan(Table.PAGE)
    for _ in survey_pages(
        expected, alone.frontier.counters, rows, lambda key: alone.store.get(Table.HOST, key)
    ):
        pass
    found = whole.collection
    assert whole.missing == ()
    assert (found.pages, found.hosts_count, found.watched) == (2412, 3, 2412)
    assert found.fresh == pytest.approx(expected.fresh)
    assert found.aged_seconds == pytest.approx(expected.aged_seconds)
    assert found.due == expected.due
    assert found.biggest_hosts() == expected.biggest_hosts()
    assert found.intervals.parts() == expected.intervals.parts()
    assert found.change_seconds.quantile(0.5) == expected.change_seconds.quantile(0.5)
    assert found.next_visit_at == pytest.approx(NOW + HOUR)  # by the clock of whoever asks


def test_shards_of_an_agent_that_does_not_answer_are_missing(ground: MemoryGround) -> None:
    shard = Shard(1)
    shard.add("a.example", 2)
    whole = ask(ground, {"one": [shard]}, also="dead")
    assert whole.missing == (0, 2)
    assert whole.collection.pages == 2


def test_a_shard_that_is_lost_while_it_is_read_is_not_told_in_part(ground: MemoryGround) -> None:
    """Whoever holds it now tells of it; twice would be too much."""
    kept, lost = Shard(0), Shard(1)
    kept.add("a.example", 2500)
    lost.add("b.example", 2500)

    class Leaving(list[Shard]):
        """All are there when the survey begins, one of them after each portion of it."""

        def __contains__(self, shard: object) -> bool:
            return shard is kept

    whole = ask(ground, {"one": Leaving([kept, lost])})
    assert whole.collection.pages == 2500
    assert whole.missing == (1, 2)


def test_only_the_biggest_hosts_are_listed(ground: MemoryGround) -> None:
    first, second = Shard(0), Shard(1)
    for number in range(6):
        (first if number % 2 else second).add(f"h{number}.example", number + 1)
    whole = ask(ground, {"one": [first, second]}, hosts=2)
    assert [own.host for own in whole.collection.biggest_hosts()] == ["h5.example", "h4.example"]
    assert whole.collection.hosts_count == 6
