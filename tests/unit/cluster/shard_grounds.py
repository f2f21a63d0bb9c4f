"""Agents that hold a shard in turn, on one engine in memory and one clock that never waits."""

import io
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from simulated.memory_engine import Broker, Fate, MemoryEngine
from simulated.virtual import Timeline
from tiptoe.cluster.log_batch import POSITION_KEY, LogAuthor
from tiptoe.cluster.shard_log import ShardLog
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import DividedStore, Partition
from tiptoe.store.tables import Store, Table, Writes

__all__ = ["SHARD", "SUBJECT", "Agent", "Ground", "content_of", "put"]

SHARD = 3
SUBJECT = "log.3"
MESSAGE_BYTES_MAX = 220
"""So small that many a batch takes several."""

Done = TypeVar("Done")


def put(store: Store, **rows: str | None) -> None:
    """Write some rows, None to delete one."""
    batch = Writes()
    for key, value in rows.items():
        batch.append((Table.DUE, key.encode(), None if value is None else value.encode()))
    store.write(batch)


def content_of(store: Store) -> dict[tuple[Table, bytes], bytes]:
    """Return all rows but the one that says where in the log they are from."""
    rows = {(table, key): value for table in Table for key, value in store.scan(table)}
    rows.pop((Table.META, POSITION_KEY), None)
    return rows


class Ground:
    """The engine, and a clock."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self.loop = self.timeline.loop("engine")
        self.broker = Broker(self.loop)
        self.fates: list[Fate] = []  # of the next operations, of whomever
        self.terms = 0
        self.agents: list[Agent] = []

    def fate(self, operation: str, name: str) -> Fate:
        return self.fates.pop(0) if self.fates and operation != "follow" else Fate(before=0.001, after=0.001)

    def agent(self, name: str, disk: DividedStore | None = None) -> "Agent":
        return Agent(self, name, disk if disk is not None else MemoryStore())

    def holder(self, name: str = "a") -> "Agent":
        """Return an agent that has claimed the shard."""
        agent = self.agent(name)
        agent.do(agent.claim())
        return agent

    def close(self) -> None:
        """End all processes."""
        for agent in self.agents:
            agent.kill()

    def pass_time(self, seconds: float) -> None:
        until = self.timeline.now + seconds
        self.timeline.run(until=until)
        self.timeline.now = until

    def messages(self) -> list[bytes]:
        """Return what is in the log."""
        return [message.data for message in self.broker.messages(SUBJECT, after=0)]

    def committed(self) -> dict[tuple[Table, bytes], bytes]:
        """Return what somebody reads who has nothing."""
        reader = self.agent("reader")
        reader.do(reader.replica.catch_up())
        content = content_of(reader.partition)
        reader.kill()
        return content


class Agent:
    """One process, with its disk."""

    def __init__(self, ground: Ground, name: str, disk: DividedStore) -> None:
        self.ground = ground
        self.name = name
        self.disk = disk
        self.loop = ground.timeline.loop(name)
        self.engine: MemoryEngine = ground.broker.connect(name, seconds=1.0, trouble=ground.fate)
        self.events = io.StringIO()
        self.partition = Partition(disk, SHARD)
        self.replica = ShardReplica(self.engine, SHARD, self.partition)
        self.log: ShardLog | None = None
        self.term = 0
        ground.agents.append(self)

    @property
    def store(self) -> Store:
        assert self.log is not None
        return self.log.store

    def start(self, work: Coroutine[Any, Any, Done]) -> "Callable[[], bool]":
        """Begin something; returns what says whether it is over."""
        return self.loop.create_task(work).done

    def do(self, work: Coroutine[Any, Any, Done], *, seconds: float = 1000.0) -> Done:
        """Do something and let time pass until it is done."""
        task = self.loop.create_task(work)
        now = self.ground.timeline.now
        assert self.ground.timeline.run(until=now + seconds, is_over=task.done), "it waits for ever"
        return task.result()

    async def claim(self, *, message_bytes_max: int = MESSAGE_BYTES_MAX) -> ShardLog:
        """Take the shard, and go on bringing what is written into its log."""
        self.ground.terms += 1
        term = self.ground.terms
        author = LogAuthor(self.name, term)
        events = EventLog(self.name, self.events)
        log = await self.replica.claim(author, events, message_bytes_max=message_bytes_max)
        self.log, self.term = log, term
        self.run = self.loop.create_task(log.run())
        return log

    def kill(self) -> None:
        """End without a last word; the disk stays."""
        self.engine.vanish()
        self.loop.kill()

    def restarted(self) -> "Agent":
        """Return the agent after its death, with the same disk."""
        self.kill()
        return Agent(self.ground, self.name, self.disk)
