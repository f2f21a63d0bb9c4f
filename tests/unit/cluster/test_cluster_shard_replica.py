"""Does an agent come to know exactly what a shard has committed, from whatever it has?"""

import asyncio
from collections.abc import Iterator

import pytest
from shard_grounds import SHARD, SUBJECT, Agent, Ground, content_of, put

from simulated.memory_engine import Fate, MemoryEngine
from tiptoe.cluster.batch_appender import ShardLost
from tiptoe.cluster.engine import EngineUnavailable, OutOfDate
from tiptoe.cluster.log_batch import (
    POSITION_KEY,
    BatchPart,
    BrokenLog,
    LogAuthor,
    LogPosition,
    compressed,
    position_of,
)
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.cluster.shard_snapshot import SnapshotNote, current_snapshot, is_snapshot_due, take_snapshot
from tiptoe.cluster.snapshot_format import snapshot_blocks
from tiptoe.store.tables import Table, Writes


@pytest.fixture
def ground() -> Iterator[Ground]:
    made = Ground()
    yield made
    made.close()


def commit(agent: Agent, **rows: str | None) -> None:
    assert agent.log is not None
    put(agent.store, **rows)
    agent.do(agent.log.committed())


def snapshot(agent: Agent) -> SnapshotNote:
    return agent.do(take_snapshot(agent.engine, SHARD, agent.partition))


def due(**rows: str) -> dict[tuple[Table, bytes], bytes]:
    return {(Table.DUE, key.encode()): value.encode() for key, value in rows.items()}


def objects(ground: Ground) -> list[str]:
    """Return the snapshots that are there, by trying the names they may have."""
    names = (f"snapshot.{SHARD}.{sequence}" for sequence in range(200))
    return [name for name in names if ground.broker.get_object(name) is not None]


def test_a_copy_follows_beside_the_holder(ground: Ground) -> None:
    """When it has to take over, only the last moments are missing."""
    old, other = ground.holder(), ground.agent("b")
    other.start(other.replica.follow())
    for number in range(10):
        commit(old, a=str(number), **{f"k{number}": "x"})
        ground.pass_time(0.1)
        assert content_of(other.partition) == content_of(old.partition)
    assert other.replica.is_caught_up
    assert position_of(other.partition) == position_of(old.partition)


def test_a_copy_gives_way_to_who_is_in_a_hurry(ground: Ground) -> None:
    """Neither a message nor a snapshot is read meanwhile; nothing is lost by it."""
    old, other = ground.holder(), ground.agent("b")
    commit(old, a="1")
    snapshot(old)
    commit(old, b="1")
    is_free = asyncio.Event()

    async def give_way() -> None:
        await is_free.wait()

    replica = ShardReplica(other.engine, SHARD, other.partition, give_way=give_way)
    other.start(replica.follow())
    ground.pass_time(5.0)
    assert content_of(other.partition) == {}
    assert not replica.is_caught_up
    other.loop.call_soon(is_free.set)
    ground.pass_time(5.0)
    assert content_of(other.partition) == due(a="1", b="1")
    assert replica.is_caught_up


def test_a_copy_that_followed_becomes_the_shard(ground: Ground) -> None:
    """Stopped anywhere, also while it loads a snapshot, it goes on from what it has on its disk."""
    old, other = ground.holder(), ground.agent("b")
    commit(old, a="1", gone="1")
    following = other.loop.create_task(other.replica.follow())
    ground.pass_time(1.0)
    other.engine.cut_off()
    commit(old, a="2", gone=None)
    commit(old, b="1")
    snapshot(old)
    commit(old, a="3")
    other.engine.trouble = lambda operation, name: Fate(before=0.5 if operation == "get_object" else 0.0)
    other.engine.join()
    ground.pass_time(0.2)
    following.cancel()
    ground.pass_time(1.0)
    assert content_of(other.partition) == {}
    other.do(other.claim())
    assert content_of(other.store) == due(a="3", b="1")


def test_a_restart_goes_on_where_it_ended(ground: Ground) -> None:
    """Reading everything again would take minutes."""
    old, other = ground.holder(), ground.agent("b")
    commit(old, a="1", b="1")
    other.do(other.replica.catch_up())
    place = position_of(other.partition)
    other = other.restarted()
    commit(old, a="2", b=None)
    other.do(other.replica.catch_up())
    assert content_of(other.partition) == due(a="2")
    assert place is not None
    assert other.replica.position.sequence > place.sequence


def test_a_log_that_was_cut_is_read_from_the_snapshot_on(ground: Ground) -> None:
    """Somebody new, and somebody who was away, alike."""
    old, away = ground.holder(), ground.agent("b")
    commit(old, a="1", b="1", gone="1")
    away.do(away.replica.catch_up())
    for number in range(20):
        commit(old, c=str(number), gone=None)
    note = snapshot(old)
    assert len(ground.messages()) == 1
    commit(old, b="2")
    for agent in (away, ground.agent("new")):
        agent.do(agent.replica.catch_up())
        assert content_of(agent.partition) == due(a="1", b="2", c="19")
    assert old.do(current_snapshot(old.engine, SHARD)) == note


def test_a_snapshot_is_of_one_moment_while_writes_go_on(ground: Ground) -> None:
    """Rows of two tables that belong together are both there, or both not."""
    agent = ground.holder()
    assert agent.log is not None
    commit(agent, a="1")
    ground.fates = [Fate(before=0.2), Fate(before=0.2), Fate(before=0.2)]
    task = agent.loop.create_task(take_snapshot(agent.engine, SHARD, agent.partition))
    for number in range(100):
        agent.store.write(Writes([(Table.DUE, b"a", b"%d" % number), (Table.REVISIT, b"a", b"%d" % number)]))
        ground.pass_time(0.01)
    assert task.done()
    other = ground.agent("b")
    other.start(other.replica.follow())
    ground.pass_time(1.0)
    assert content_of(other.partition) == content_of(agent.partition)


def test_there_is_one_snapshot_at_a_time(ground: Ground) -> None:
    """Nobody pays for those that nobody needs."""
    agent = ground.holder()
    for number in range(5):
        commit(agent, a=str(number))
        note = snapshot(agent)
        assert objects(ground) == [f"snapshot.{SHARD}.{note.position.sequence}"]
    assert snapshot(agent) == note, "nothing has changed"


STAGES = ["put", "put_object", "put", "cut", "delete_object", "put"]


@pytest.mark.parametrize("stage", range(len(STAGES)))
@pytest.mark.parametrize("is_done", [True, False])
def test_a_crash_while_a_snapshot_is_taken_leaves_a_usable_one(
    ground: Ground, stage: int, is_done: bool
) -> None:
    """At every step, whether it was the last thing done or the first that was not."""
    agent = ground.holder()
    commit(agent, a="1", b="1")
    snapshot(agent)
    commit(agent, a="2", c="1")
    seen: list[str] = []

    def trouble(operation: str, name: str) -> Fate:
        if operation == "get":
            return Fate()
        seen.append(operation)
        return Fate(is_done=is_done, is_answered=False) if len(seen) == stage + 1 else Fate()

    agent.engine.trouble = trouble
    with pytest.raises(EngineUnavailable):
        snapshot(agent)
    assert seen == STAGES[: stage + 1]
    agent.kill()
    assert ground.committed() == due(a="2", b="1", c="1")
    heir = ground.holder("b")
    commit(heir, d="1")
    note = snapshot(heir)
    assert objects(ground) == [f"snapshot.{SHARD}.{note.position.sequence}"]
    assert ground.committed() == due(a="2", b="1", c="1", d="1")


def test_a_snapshot_of_an_old_holder_does_not_replace_a_later_one(ground: Ground) -> None:
    """Its process may have stood still in the middle of it."""
    old = ground.holder()
    commit(old, a="1")
    ground.fates = [Fate(), Fate(), Fate(before=0.5)]
    late = old.loop.create_task(take_snapshot(old.engine, SHARD, old.partition))
    ground.pass_time(0.1)
    new = ground.holder("b")
    commit(new, a="2")
    note = snapshot(new)
    ground.pass_time(5.0)
    assert isinstance(late.exception(), OutOfDate)
    assert objects(ground) == [f"snapshot.{SHARD}.{note.position.sequence}"]
    assert ground.committed() == due(a="2")


class AskingTwice(MemoryEngine):
    """A connection that asks again when it hears nothing, and hears what its second question comes to."""

    async def put(self, key: str, value: bytes, *, revision: int = 0) -> int:
        await super().put(key, value, revision=revision)
        return await super().put(key, value, revision=revision)


def test_a_word_that_was_its_own_does_not_stop_a_snapshot(ground: Ground) -> None:
    """Whoever deletes what it has just made the current snapshot has lost the shard."""
    agent = ground.holder()
    commit(agent, a="1")
    engine = AskingTwice(ground.broker, "a", seconds=1.0, trouble=ground.fate)
    for number in range(2):
        commit(agent, a=str(number))
        note = agent.do(take_snapshot(engine, SHARD, agent.partition))
        assert objects(ground) == [f"snapshot.{SHARD}.{note.position.sequence}"]
        assert ground.committed() == due(a=str(number))


def test_a_reader_who_is_overtaken_by_a_later_snapshot_takes_that(ground: Ground) -> None:
    """The one it wanted was deleted between the look at the key and the look at the object."""
    agent = ground.holder()
    commit(agent, a="1")
    commit(agent, a="2")
    snapshot(agent)
    commit(agent, a="3")
    reader = ground.agent("b")

    def slow_object(operation: str, name: str) -> Fate:
        return Fate(before=0.5) if operation == "get_object" else Fate()

    reader.engine.trouble = slow_object
    is_done = reader.start(reader.replica.catch_up())
    ground.pass_time(0.1)
    snapshot(agent)
    ground.pass_time(5.0)
    assert is_done()
    assert content_of(reader.partition) == due(a="3")


def test_what_was_loaded_in_part_is_loaded_again(ground: Ground) -> None:
    """Cancelled or killed in the middle, by the same process and by the next."""
    agent = ground.holder()
    commit(agent, **{f"k{number}": "x" * 50 for number in range(100)})
    snapshot(agent)
    reader = ground.agent("b")
    for key in (b"left", b"k1"):
        reader.partition.write(Writes([(Table.DUE, key, b"of the snapshot before")]))
    reader = reader.restarted()
    reader.do(reader.replica.catch_up())
    assert content_of(reader.partition) == ground.committed()
    reader.partition.write(Writes([(Table.META, POSITION_KEY, None), (Table.DUE, b"left", b"x")]))
    reader.do(reader.replica.catch_up())
    assert content_of(reader.partition) == ground.committed()


def test_rows_that_do_not_say_where_they_are_from_are_dropped(ground: Ground) -> None:
    """They may be half of anything; the log has everything."""
    agent, reader = ground.holder(), ground.agent("b")
    commit(agent, a="1")
    reader.partition.write(Writes([(Table.DUE, b"left", b"x")]))
    reader.do(reader.replica.catch_up())
    assert content_of(reader.partition) == due(a="1")


@pytest.mark.parametrize("damage", ["cut", "changed", "longer", "of another shard", "of another version"])
def test_a_damaged_snapshot_is_refused(ground: Ground, damage: str) -> None:
    """Half a shard looks like a whole one to whoever does not check."""
    agent = ground.holder()
    commit(agent, **{f"k{number}": "x" * 50 for number in range(100)})
    note = snapshot(agent)
    commit(agent, a="1")
    name = f"snapshot.{SHARD}.{note.position.sequence}"
    stored = ground.broker.get_object(name)
    assert stored is not None
    middle = len(stored) // 2
    damaged = {
        "cut": stored[:-10],
        "changed": stored[:middle] + bytes([stored[middle] ^ 1]) + stored[middle + 1 :],
        "longer": stored + b"x",
        "of another version": stored.replace(b"snapshot 1", b"snapshot 2"),
        "of another shard": b"".join(snapshot_blocks(agent.partition, SHARD + 1, note.position)),
    }[damage]
    ground.broker.put_object(name, damaged)
    reader = ground.agent("b")
    with pytest.raises(BrokenLog, match="no snapshot that can be read"):
        reader.do(reader.replica.catch_up())
    assert position_of(reader.partition) is None


AUTHOR = LogAuthor("z", 9)


def part(place: LogPosition, **changes: object) -> bytes:
    fields: dict[str, object] = {"number": 0, "part": 0, "parts": 1, "version": 1, "author": AUTHOR}
    fields |= {"data": compressed(Writes()), "behind": place} | changes
    return BatchPart(**fields).encode()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"version": 2}, "of version 2"),
        ({"part": 1, "parts": 2}, "not what comes next"),
        ({"part": 3, "parts": 2}, "part 3 of 2"),
        ({"number": 7}, "batch 7 of .* is not what comes next"),
        ({"author": LogAuthor("z", 0)}, "of term 0, after one of term 1"),
        ({"data": b"not compressed"}, "no size|not a batch"),
        ({"data": compressed(Writes())[:-1]}, "not a batch"),
    ],
)
def test_a_message_that_cannot_be_right_is_an_error(
    ground: Ground, changes: dict[str, object], found: str
) -> None:
    """It says what is wrong, and nothing of it is applied."""
    agent = ground.holder()
    commit(agent, a="1")
    assert agent.log is not None
    place = agent.log.position
    ground.broker.append(SUBJECT, part(place, **changes), None)
    reader = ground.agent("b")
    with pytest.raises(BrokenLog, match=found):
        reader.do(reader.replica.catch_up())
    assert content_of(reader.partition) == due(a="1")
    assert position_of(reader.partition) == place


def test_who_comes_too_late_does_not_take_the_shard_from_its_holder(ground: Ground) -> None:
    """It had the lease, stood still, and another has it now."""
    first, late = ground.holder(), ground.agent("b")
    late.loop.freeze()
    task = late.loop.create_task(late.claim())
    late.loop.thaw()
    late.engine.trouble = lambda operation, name: Fate(before=0.9)
    ground.pass_time(0.1)
    newest = ground.agent("c")
    newest.do(newest.claim())
    commit(newest, a="1")
    ground.pass_time(30.0)
    assert isinstance(task.exception(), ShardLost)
    commit(newest, a="2")
    put(first.store, a="stale")
    ground.pass_time(30.0)
    assert isinstance(first.run.exception(), ShardLost)
    assert ground.committed() == due(a="2")


def test_what_no_agent_has_written_is_an_error(ground: Ground) -> None:
    """Somebody else uses the same name."""
    ground.broker.append(SUBJECT, b"hello", None)
    reader = ground.agent("b")
    with pytest.raises(BrokenLog, match="message 1: not a part of a batch"):
        reader.do(reader.replica.catch_up())


def test_a_log_that_ends_before_what_is_known_is_an_error(ground: Ground) -> None:
    """It was lost, or is that of another crawl: going on would do things twice."""
    agent = ground.holder()
    commit(agent, a="1")
    disk = agent.disk
    stranger = Ground()
    reader = stranger.agent("a", disk)
    with pytest.raises(BrokenLog, match="known here, and the log ends with 0"):
        reader.do(reader.replica.catch_up())
    stranger.close()


def test_a_log_without_its_beginning_and_without_a_snapshot_is_an_error(ground: Ground) -> None:
    """Nobody can know what was in it."""
    agent = ground.holder()
    for number in range(5):
        commit(agent, a=str(number))
    ground.broker.cut(SUBJECT, 4)
    reader = ground.agent("b")
    with pytest.raises(BrokenLog, match="no snapshot"):
        reader.do(reader.replica.catch_up())


def test_snapshots_are_as_rare_as_the_shard_is_large() -> None:
    """They must not cost more than the log itself."""
    mega = 1 << 20
    place = LogPosition(10, 100 * mega)
    assert not is_snapshot_due(LogPosition(1, 15 * mega), None)
    assert is_snapshot_due(LogPosition(1, 16 * mega), None)
    assert not is_snapshot_due(place, SnapshotNote(LogPosition(1, 90 * mega), 1 * mega))
    assert is_snapshot_due(place, SnapshotNote(LogPosition(1, 80 * mega), 1 * mega))
    assert not is_snapshot_due(place, SnapshotNote(LogPosition(1, 0), 101 * mega))
    assert is_snapshot_due(place, SnapshotNote(LogPosition(1, 0), 100 * mega))


def test_a_follower_outlives_the_engine(ground: Ground) -> None:
    """All servers may be away for a while."""
    agent, other = ground.holder(), ground.agent("b")
    other.start(other.replica.follow())
    ground.broker.stop()
    put(agent.store, a="1")
    ground.pass_time(100.0)
    ground.broker.start()
    ground.pass_time(100.0)
    assert content_of(other.partition) == due(a="1")
