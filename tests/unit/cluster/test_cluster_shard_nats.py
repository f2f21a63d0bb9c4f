"""Does a shard go from agent to agent over a real server as it does over the engine in memory?"""

import asyncio
import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from shard_grounds import SHARD, content_of, put

from cluster_grounds import NatsGround
from nats_servers import single_server
from tiptoe.cluster.batch_appender import ShardLost
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.log_batch import LogAuthor
from tiptoe.cluster.shard_log import ShardLog
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.cluster.shard_snapshot import take_snapshot
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import Partition

ROWS = 300


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[NatsGround]:
    with single_server(tmp_path) as server:
        made = NatsGround([server])
        yield made
        made.close()


async def claim(
    engine: Engine, part: Partition, agent: str, term: int
) -> tuple[ShardLog, asyncio.Task[None]]:
    """Take the shard, with messages so small that large batches take several."""
    events = EventLog(agent, io.StringIO())
    replica = ShardReplica(engine, SHARD, part)
    log = await replica.claim(LogAuthor(agent, term), events, message_bytes_max=4000)
    return log, asyncio.ensure_future(log.run())


def test_a_shard_goes_from_agent_to_agent(ground: NatsGround) -> None:
    """With a snapshot, a log that was cut, a stale holder, and servers that were killed."""

    async def pass_on() -> None:
        engines = [await ground.connect(), await ground.connect()]
        parts = [Partition(MemoryStore(), SHARD) for _ in engines]
        old, old_run = await claim(engines[0], parts[0], "a", 1)
        noise = random.Random(1)
        put(old.store, **{f"k{number}": noise.randbytes(40).hex() for number in range(ROWS)})
        await old.committed()
        await take_snapshot(engines[0], SHARD, parts[0])
        put(old.store, k0=None, last="1")
        await old.committed()
        ground.restart()
        put(old.store, last="2")
        await old.committed()
        new, new_run = await claim(engines[1], parts[1], "b", 2)
        assert content_of(new.store) == content_of(parts[0])
        assert len(content_of(new.store)) == ROWS
        put(old.store, last="stale")
        with pytest.raises(ShardLost):
            await old.committed()
        with pytest.raises(ShardLost):
            await old_run
        put(new.store, last="3")
        await new.committed()
        await ShardReplica(engines[0], SHARD, parts[0]).catch_up()
        assert content_of(parts[0]) == content_of(parts[1])
        new_run.cancel()
        await asyncio.wait([new_run])

    ground.run(pass_on())
