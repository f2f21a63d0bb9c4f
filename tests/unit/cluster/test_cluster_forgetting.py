"""What an owner wants to be forgotten leaves a crawl that several agents share, and stays out of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from simulated.agent_world import AgentWorld, SimulatedAgent
from simulated.memory_engine import MemoryEngine
from tiptoe.cluster.command_row import ForgetTarget
from tiptoe.cluster.shard_erasing import erased_by_shard
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.frontier.wishes import ERASED, WISH
from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import Partition
from tiptoe.store.tables import Table, after

HOUR = 3600.0


@contextmanager
def played(world: AgentWorld, *agents: int) -> Iterator[list[SimulatedAgent]]:
    """Let something happen to agents; then let them crawl to the end, and judge what their servers saw."""
    try:
        yield [agent for number in agents if (agent := world.start(number)) is not None]
        assert world.run(until=2 * HOUR), f"it never ends: {world.living()}"
    finally:
        world.close()


def busy_host(world: AgentWorld) -> str:
    """Crawl until there is a host that is being asked, and has more; return it."""
    while world.timeline.now < HOUR:
        for life in world.living():
            for host in life.frontier.visited_hosts():
                if (record := life.frontier.host(host)) is not None and record.queued:
                    return host
        world.run(until=world.timeline.now + 5.0)
    raise AssertionError("nobody has more than is asked for")


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


def traces(world: AgentWorld, host: str) -> list[str]:
    """Return where the engine has something of a host besides its name and what the operator said."""
    engine = world.broker.connect("reader", seconds=3.0)
    loop = world.timeline.loop("reader")
    task = loop.create_task(_traces(engine, world.shards, host))
    world.timeline.run(until=world.timeline.now + 60.0, is_over=task.done)
    return task.result()


async def _traces(engine: MemoryEngine, shards: int, host: str) -> list[str]:
    found = []
    for shard in range(shards):
        partition = Partition(MemoryStore(), shard)
        replica = ShardReplica(engine, shard, partition)
        await replica.catch_up()
        found += [
            f"shard {shard}, {table}: {value!r}"
            for table in Table
            for key, value in partition.scan(table)
            if f"//{host}/".encode() in value and not key.startswith(WISH)
        ]
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
