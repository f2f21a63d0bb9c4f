"""What an owner wants to be forgotten leaves a crawl that several agents share, and stays out of it."""

from agent_grounds import HOUR, busy_host, played

from simulated.agent_world import AgentWorld
from simulated.memory_engine import MemoryEngine
from tiptoe.cluster.command_row import ForgetTarget
from tiptoe.cluster.log_batch import BatchReader, LogPosition
from tiptoe.cluster.shard_erasing import erased_by_shard, withdraw_purged
from tiptoe.cluster.shard_log import log_subject
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.cluster.shard_snapshot import current_snapshot
from tiptoe.frontier.covered_rows import urls_in
from tiptoe.frontier.wishes import OwnersWishes
from tiptoe.frontier.wishes_in_transit import is_free_of
from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import Partition
from tiptoe.store.tables import Table, Writes
from tiptoe.url.wish import Wish, read_wish


def forget(world: AgentWorld, target: str) -> int:
    """Give the command, and let time pass until no shard has anything left; return its number."""
    number = world.operator.give(ForgetTarget(target, "a letter")).number
    wait_until_erased(world, number)
    return number


def wait_until_erased(world: AgentWorld, number: int) -> None:
    until = world.timeline.now + 300.0
    while not is_erased(world, number):
        assert world.timeline.now < until, f"{erased(world)} of {world.shards}"
        world.timeline.run(until=world.timeline.now + 1.0)


def erased(world: AgentWorld) -> dict[int, int]:
    task = world.operator.loop.create_task(erased_by_shard(world.operator.engine))
    world.timeline.run(until=world.timeline.now + 10.0, is_over=task.done)
    return task.result()


def is_erased(world: AgentWorld, number: int) -> bool:
    done = erased(world)
    return len(done) == world.shards and min(done.values()) >= number


def traces(world: AgentWorld, target: str) -> list[str]:
    """Return what snapshots and logs have of a target; others may say that they were found there."""
    engine = world.broker.connect("reader", seconds=3.0)
    task = world.timeline.loop("reader").create_task(_traces(engine, world, read_wish(target)))
    world.timeline.run(until=world.timeline.now + 60.0, is_over=task.done)
    return task.result()


async def _traces(engine: MemoryEngine, world: AgentWorld, wish: Wish) -> list[str]:
    found = []
    for shard in range(world.shards):
        partition = Partition(MemoryStore(), shard)
        await ShardReplica(engine, shard, partition).catch_up()
        rows = Writes()
        for table in Table:
            rows += [(table, key, value) for key, value in partition.scan(table)]
        note = await current_snapshot(engine, shard)
        reader = BatchReader(log_subject(shard), note.position if note is not None else LogPosition())
        for message in world.broker.messages(log_subject(shard), after=0):
            rows += reader.read(message.sequence, message.data) or ()
        found += [
            f"{table}: {url}"
            for table, _, value in rows
            if value
            for url in urls_in(table, value)
            if wish.covers(url)
        ]
        if not is_free_of(partition, OwnersWishes([wish])):
            found.append(f"shard {shard}: something is on its way")
    return found


def test_a_host_that_is_forgotten_is_asked_for_nothing_more_and_leaves_no_trace() -> None:
    world = AgentWorld(2)
    with played(world, 0, 1, 2):
        world.run(until=30.0)
        host = busy_host(world)
        assert traces(world, host)
        number = world.operator.give(ForgetTarget(host, "a letter")).number
        confirmed_at = world.timeline.now
        wait_until_erased(world, number)
        assert traces(world, host) == []
    assert [one for one in world.served if one.host == host and one.at > confirmed_at] == []
    assert len({one.host for one in world.served if one.at > confirmed_at}) > 1
    assert traces(world, host) == []


def test_a_page_is_forgotten_and_its_host_goes_on() -> None:
    world = AgentWorld(3)
    with played(world, 0, 1):
        world.run(until=30.0)
        host = busy_host(world)
        page = next(one.url for one in world.served if one.host == host and "/p" in one.url)
        number = world.operator.give(ForgetTarget(page, "a letter")).number
        confirmed_at = world.timeline.now
        wait_until_erased(world, number)
        assert traces(world, page) == []
    assert [one for one in world.served if one.url == page and one.at > confirmed_at] == []
    assert [one for one in world.served if one.host == host and one.at > confirmed_at]


def test_a_wish_is_carried_out_by_whoever_comes_next() -> None:
    """All agents are dead when it is said; a disk is lost as well."""
    world = AgentWorld(5)
    with played(world, 0, 1):
        world.run(until=30.0)
        host = busy_host(world)
        world.begin("kill", 0)
        world.begin("burn", 1)
        world.timeline.run(until=100.0)  # the last harvester has stopped
        given = world.operator.give(ForgetTarget(host, "a letter"))
        assert not given.is_complete
        told_at = world.timeline.now
        assert not is_erased(world, given.number)
        world.start(0)
        wait_until_erased(world, given.number)
        assert traces(world, host) == []
    assert [one for one in world.served if one.host == host and one.at > told_at] == []


def test_an_agent_may_die_while_it_erases() -> None:
    """The next holder of each shard does it once more."""
    for moment in (0.3, 1.0, 2.0, 4.0, 8.0, 12.0):
        world = AgentWorld(6)
        with played(world, 0, 1):
            world.run(until=30.0)
            host = busy_host(world)
            task = world.operator.begin(ForgetTarget(host, "a letter"))
            world.timeline.run(until=30.0 + moment)
            world.begin("kill", 0)
            world.timeline.run(until=world.timeline.now + 200.0, is_over=task.done)
            given = task.result()
            assert given is not None
            wait_until_erased(world, given.number)
            assert traces(world, host) == []


def test_the_same_wish_is_carried_out_as_often_as_it_is_said() -> None:
    world = AgentWorld(7)
    with played(world, 0):
        world.run(until=20.0)
        host = busy_host(world)
        first = forget(world, host)
        assert forget(world, host) > first


def test_a_shard_that_has_to_purge_again_says_so_when_it_has() -> None:
    """A member has told it which texts left its corpus, and has taken back the shard's word."""
    world = AgentWorld(8)
    with played(world, 0):
        world.run(until=20.0)
        number = forget(world, "unknown.example")
        task = world.operator.loop.create_task(withdraw_purged(world.operator.engine, 0))
        world.timeline.run(until=world.timeline.now + 5.0, is_over=task.done)
        assert erased(world)[0] == 0
        wait_until_erased(world, number)
        assert len(set(erased(world).values())) == 1


def test_a_crawl_that_has_ended_forgets_when_an_agent_is_started_once_more() -> None:
    """It ends again by itself when no shard has anything left, and requests nothing meanwhile."""
    world = AgentWorld(9, pages_max=20)
    try:
        first = world.start(0)
        assert first is not None
        assert world.run(until=HOUR)
        first.leave()
        world.timeline.run(until=HOUR, is_over=lambda: first.is_over)
        (host, *_) = {one.host for one in world.served}
        asked = len(world.served)
        assert traces(world, host)
        given = world.operator.give(ForgetTarget(host, "a letter"))
        assert given.confirmed == ()
        again = world.start(0)
        assert again is not None
        world.timeline.run(until=world.timeline.now + 200.0, is_over=lambda: again.is_over)
        assert again.is_over
        assert is_erased(world, given.number)
        assert traces(world, host) == []
        assert len(world.served) == asked
    finally:
        world.close()
