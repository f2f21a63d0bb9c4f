"""Who creates a crawl on many machines, and what do those go by who join it?"""

import asyncio
from collections.abc import Iterator

import pytest

from cluster_grounds import MemoryGround
from tiptoe.cluster.crawl_record import (
    CrawlRecord,
    are_all_seeded,
    change_settings,
    join_crawl,
    note_seeded,
    read_record,
    read_urls,
    widen_crawl,
    write_urls,
)
from tiptoe.cluster.engine import Engine
from tiptoe.errors import SettingsError

SEEDS = ["http://a.example/", "http://b.example/ě"]


@pytest.fixture
def ground() -> Iterator[MemoryGround]:
    ground = MemoryGround()
    yield ground
    ground.close()


async def join(
    engine: Engine, seeds: list[str] = SEEDS, downloaded: list[str] | None = None, **settings: object
) -> tuple[CrawlRecord, bool]:
    return await join_crawl(
        engine, shards=4, settings=settings, seeds=seeds, downloaded=downloaded or [], created_at=7.0
    )


def test_the_first_creates_a_crawl_and_others_join_it(ground: MemoryGround) -> None:
    """The settings are those of the first, whatever others say."""

    async def main() -> None:
        engine = await ground.connect()
        record, is_new = await join(engine, downloaded=["http://c.example/"], pace=1)
        again = await join(engine, seeds=[], pace=2)
        assert (record.settings, is_new) == ({"pace": 1}, True)
        assert again == (record, False)
        assert await read_urls(engine, f"seeds.{record.identity}") == SEEDS
        assert await read_urls(engine, f"downloaded.{record.identity}") == ["http://c.example/"]

    ground.run(main())


def test_of_two_who_create_it_at_once_one_does(ground: MemoryGround) -> None:
    """And nothing is left of what the other had begun."""

    async def main() -> None:
        first, second = await ground.connect(), await ground.connect()
        found = await asyncio.gather(join(first, pace=1), join(second, seeds=["http://x.example/"], pace=2))
        assert found[0][0] == found[1][0]
        assert sorted(is_new for _, is_new in found) == [False, True]
        winner = 0 if found[0][1] else 1
        kept = [SEEDS, ["http://x.example/"]][winner]
        assert await read_urls(first, f"seeds.{found[0][0].identity}") == kept
        assert ground.broker.object_names() == [f"seeds.{found[0][0].identity}"]

    ground.run(main())


def test_without_seeds_there_is_nothing_to_create(ground: MemoryGround) -> None:
    async def main() -> None:
        with pytest.raises(SettingsError, match="name at least one seed"):
            await join(await ground.connect(), seeds=[])

    ground.run(main())


def test_settings_that_two_change_at_once_are_both_changed(ground: MemoryGround) -> None:
    """Who joins later goes by both; what was there first stays known."""

    async def main() -> None:
        first, second = await ground.connect(), await ground.connect()
        await join(first, pace=1, depth=1)
        await asyncio.gather(
            change_settings(first, lambda settings: {**settings, "pace": 5}),
            change_settings(second, lambda settings: {**settings, "depth": 6}),
        )
        record = await read_record(first)
        assert record is not None
        assert record.settings == {"pace": 5, "depth": 6}
        assert record.first_settings == {"pace": 1, "depth": 1}

    ground.run(main())


def test_a_record_of_another_format_is_refused(ground: MemoryGround) -> None:
    """Its rows would be read wrong."""

    async def main() -> None:
        engine = await ground.connect()
        await engine.put("crawl.record", b'{"identity":"x","shards":1,"settings":{},"first_settings":{},'
                                         b'"created_at":0,"format":999}')  # fmt: skip
        with pytest.raises(SettingsError, match="format 999"):
            await read_record(engine)

    ground.run(main())


def test_many_addresses_come_back_as_they_were(ground: MemoryGround) -> None:
    urls = [f"http://h{number}.example/{'x' * (number % 50)}" for number in range(25_000)]

    async def main() -> None:
        engine = await ground.connect()
        record, _ = await join(engine, seeds=urls)
        assert await read_urls(engine, f"seeds.{record.identity}") == urls
        assert await read_urls(engine, "seeds.nobody") == []

    ground.run(main())


def test_seeds_are_added_only_if_that_is_wanted(ground: MemoryGround) -> None:
    """A crawl that has ended goes on with them; who repeats the first command adds nothing."""

    async def main() -> None:
        engine = await ground.connect()
        record, _ = await join(engine)
        for key in ("crawl.sown", "crawl.ended"):
            await engine.put(key, b"")
        await widen_crawl(engine, record, SEEDS, adds=False)
        with pytest.raises(SettingsError, match="--add-seeds"):
            await widen_crawl(engine, record, ["http://new.example/"], adds=False)
        assert await engine.get("crawl.sown") is not None
        await widen_crawl(engine, record, ["http://new.example/", *SEEDS], adds=True)
        assert await read_urls(engine, f"seeds.{record.identity}") == [*SEEDS, "http://new.example/"]
        assert await engine.get("crawl.sown") is None
        assert await engine.get("crawl.ended") is None

    ground.run(main())


def test_seeds_of_whom_was_cut_off_are_sown_by_the_next(ground: MemoryGround) -> None:
    """The list has grown, and the note that all is sown is still there, or came meanwhile."""

    async def main() -> None:
        engine = await ground.connect()
        record, _ = await join(engine)
        await note_seeded(engine, len(SEEDS))
        await engine.put("crawl.ended", b"")
        assert await are_all_seeded(engine, record.identity)
        more = [*SEEDS, "http://new.example/"]
        await write_urls(engine, f"seeds.{record.identity}", more)  # and nothing after it
        await widen_crawl(engine, record, more, adds=True)
        assert await engine.get("crawl.sown") is None
        assert await engine.get("crawl.ended") is None
        await note_seeded(engine, len(SEEDS))  # by one who has read the list before it grew
        assert not await are_all_seeded(engine, record.identity)
        assert await engine.get("crawl.sown") is None
        await note_seeded(engine, len(more))
        assert await are_all_seeded(engine, record.identity)

    ground.run(main())
