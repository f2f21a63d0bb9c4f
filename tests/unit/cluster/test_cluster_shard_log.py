"""Does a step go out only when the log has it, and does it get there exactly once?"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from shard_grounds import SUBJECT, Agent, Ground, content_of, put

from simulated.memory_engine import Fate
from tiptoe.cluster.batch_appender import ShardLost
from tiptoe.cluster.log_batch import position_of
from tiptoe.cluster.shard_log import UNHURRIED_SECONDS
from tiptoe.errors import DiskFull
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes

LOST = Fate(is_done=False)
UNANSWERED = Fate(is_answered=False)
LATE = Fate(before=1.05)
"""Done when nobody waits any more, and before the next try."""


@pytest.fixture
def ground() -> Iterator[Ground]:
    made = Ground()
    yield made
    made.close()


def put_unhurried(agent: Agent, **rows: str | None) -> None:
    """Write some rows for which nobody waits."""

    async def write() -> None:
        assert agent.log is not None
        with agent.log.unhurried():
            put(agent.store, **rows)

    agent.do(write())


def test_what_a_step_lets_out_waits_for_the_log(ground: Ground) -> None:
    """A visit that nobody else would know of must not be made."""
    agent = ground.holder()
    assert agent.log is not None
    out: list[str] = []
    put(agent.store, a="1")
    agent.log.after_commit(lambda: out.append("first"))
    assert out == []
    assert content_of(agent.store) == {(Table.DUE, b"a"): b"1"}
    assert content_of(agent.partition) == {}
    ground.pass_time(1.0)
    assert out == ["first"]
    assert content_of(agent.partition) == ground.committed() == {(Table.DUE, b"a"): b"1"}
    assert position_of(agent.partition) == agent.log.position


def test_steps_that_gather_while_one_is_under_way_are_one_message(ground: Ground) -> None:
    """The rate of messages is that of the engine, not that of the frontier."""
    agent = ground.holder()
    assert agent.log is not None
    out: list[int] = []
    before = len(ground.messages())
    put(agent.store, a="0")
    ground.pass_time(0.0005)
    for number in range(1, 20):
        put(agent.store, a=str(number))
        agent.log.after_commit(partial(out.append, number))
    agent.do(agent.log.committed())
    assert out == list(range(1, 20))
    assert len(ground.messages()) - before == 2
    assert ground.committed() == {(Table.DUE, b"a"): b"19"}


def test_what_nobody_waits_for_goes_with_the_next_step(ground: Ground) -> None:
    """A message costs all servers something, however little is in it."""
    agent = ground.holder()
    assert agent.log is not None
    before = len(ground.messages())
    put_unhurried(agent, a="1")
    assert content_of(agent.store) == {(Table.DUE, b"a"): b"1"}
    ground.pass_time(UNHURRIED_SECONDS / 2)
    assert len(ground.messages()) == before
    put(agent.store, b="2")
    ground.pass_time(0.1)
    assert ground.committed() == {(Table.DUE, b"a"): b"1", (Table.DUE, b"b"): b"2"}
    ground.pass_time(2 * UNHURRIED_SECONDS)
    assert len(ground.messages()) - before == 1


def test_what_nobody_waits_for_does_not_wait_for_ever(ground: Ground) -> None:
    """Also when it was written while a message was under way."""
    agent = ground.holder()
    assert agent.log is not None
    put(agent.store, a="1")
    ground.pass_time(0.0005)
    put_unhurried(agent, b="2")
    ground.pass_time(UNHURRIED_SECONDS / 2)
    assert ground.committed() == {(Table.DUE, b"a"): b"1"}
    ground.pass_time(UNHURRIED_SECONDS)
    assert ground.committed() == {(Table.DUE, b"a"): b"1", (Table.DUE, b"b"): b"2"}


def test_a_write_without_rows_does_not_keep_later_ones(ground: Ground) -> None:
    """Nothing was sent when its time was over."""
    agent = ground.holder()
    put_unhurried(agent)
    ground.pass_time(2 * UNHURRIED_SECONDS)
    put_unhurried(agent, a="1")
    ground.pass_time(2 * UNHURRIED_SECONDS)
    assert ground.committed() == {(Table.DUE, b"a"): b"1"}


def test_whoever_waits_for_all_that_was_written_need_not_wait_for_the_next_step(ground: Ground) -> None:
    """A shard that is given away is not kept for a second by what nobody wanted soon."""
    agent = ground.holder()
    assert agent.log is not None
    put_unhurried(agent, a="1")
    agent.do(agent.log.committed(), seconds=UNHURRIED_SECONDS / 2)
    put_unhurried(agent, a="2")
    began = ground.timeline.now
    agent.do(agent.log.committed(hurries=False))
    assert ground.timeline.now - began >= UNHURRIED_SECONDS
    assert ground.committed() == {(Table.DUE, b"a"): b"2"}


def test_what_needs_no_write_waits_for_those_before_it(ground: Ground) -> None:
    """An answer that was read from a step under way is as uncertain as that step."""
    agent = ground.holder()
    assert agent.log is not None
    out: list[str] = []
    agent.log.after_commit(lambda: out.append("nothing before it"))
    assert out == ["nothing before it"]
    put(agent.store, a="1")
    ground.pass_time(0.0005)
    agent.log.after_commit(lambda: out.append("read"))
    put(agent.store, b="2")
    agent.log.after_commit(lambda: out.append("written"))
    assert out == ["nothing before it"]
    ground.pass_time(1.0)
    assert out == ["nothing before it", "read", "written"]
    agent.log.after_commit(lambda: out.append("nothing again"))
    assert out[-1] == "nothing again"


def test_what_is_let_out_may_let_out_more(ground: Ground) -> None:
    """In the order of the calls, also from within."""
    agent = ground.holder()
    log = agent.log
    assert log is not None
    out: list[str] = []

    def first() -> None:
        out.append("first")
        log.after_commit(lambda: out.append("third"))
        put(agent.store, b="2")
        log.after_commit(lambda: out.append("fourth"))

    put(agent.store, a="1")
    log.after_commit(first)
    log.after_commit(lambda: out.append("second"))
    ground.pass_time(1.0)
    assert out == ["first", "second", "third", "fourth"]


@pytest.mark.parametrize("fates", [[LOST], [UNANSWERED], [LATE], [LATE, LOST], [LATE, UNANSWERED, LATE]])
def test_a_message_in_doubt_is_stored_once(ground: Ground, fates: list[Fate]) -> None:
    """Whether the question or the answer was lost, or either came late."""
    agent = ground.holder()
    assert agent.log is not None
    before = len(ground.messages())
    ground.fates = fates
    put(agent.store, a="1")
    agent.do(agent.log.committed())
    put(agent.store, a="2")
    agent.do(agent.log.committed())
    ground.pass_time(10.0)
    assert len(ground.messages()) == before + 2
    assert ground.committed() == {(Table.DUE, b"a"): b"2"}


def test_a_large_batch_takes_several_messages_and_shows_whole_or_not_at_all(ground: Ground) -> None:
    """A step of the frontier is atomic, however large."""
    agent = ground.holder()
    rows = {f"k{number}": str(hash(str(number))) for number in range(200)}
    put(agent.store, **rows)
    ground.pass_time(0.01)
    assert len(ground.messages()) > 3
    assert ground.committed() == {}
    agent.kill()
    other = ground.holder("b")
    assert content_of(other.store) == {}
    assert other.log is not None
    put(other.store, **rows)
    other.do(other.log.committed())
    assert len(ground.committed()) == len(content_of(other.partition)) == 200


def test_who_has_lost_its_shard_stops_at_once(ground: Ground) -> None:
    """A process that stood still for minutes does not know what happened meanwhile."""
    old = ground.holder()
    assert old.log is not None
    put(old.store, a="old")
    old.do(old.log.committed())
    old.loop.freeze()
    new = ground.holder("b")
    assert content_of(new.store) == {(Table.DUE, b"a"): b"old"}
    old.loop.thaw()
    out: list[str] = []
    put(old.store, a="stale", b="stale")
    old.log.after_commit(lambda: out.append("stale"))
    with pytest.raises(ShardLost, match=r"a \(term 1\) has lost the shard"):
        old.do(old.log.committed(), seconds=0.05)
    assert old.run.done()
    assert isinstance(old.run.exception(), ShardLost)
    assert "shard.lost log=log.3" in old.events.getvalue()
    assert content_of(old.store) == content_of(old.partition) == {(Table.DUE, b"a"): b"old"}
    with pytest.raises(ShardLost):
        put(old.store, a="stale")
    old.log.after_commit(lambda: out.append("stale"))
    assert out == []
    assert new.log is not None
    put(new.store, a="new")
    new.do(new.log.committed())
    assert ground.committed() == {(Table.DUE, b"a"): b"new"}


def test_a_claim_waits_for_the_last_word_of_the_old_holder(ground: Ground) -> None:
    """What it has got in before the mark of the new one is part of the shard."""
    old, new = ground.holder(), ground.agent("b")
    put(old.store, a="1")
    is_claimed = new.start(new.claim())
    ground.pass_time(5.0)
    assert is_claimed()
    assert content_of(new.store) == ground.committed() == {(Table.DUE, b"a"): b"1"}


class SmallDisk(MemoryStore):
    """A disk that is full for a while."""

    is_full = False

    def write(self, batch: Writes) -> None:
        if self.is_full:
            raise DiskFull(Path("disk"))
        super().write(batch)


def test_a_full_disk_holds_the_next_batch_back(ground: Ground) -> None:
    """The log has the step; it goes out when it is on the disk too."""
    disk = SmallDisk()
    agent = ground.agent("a", disk)
    agent.do(agent.claim())
    assert agent.log is not None
    disk.is_full = True
    out: list[str] = []
    put(agent.store, a="1")
    agent.log.after_commit(lambda: out.append("1"))
    ground.pass_time(20.0)
    assert out == []
    assert ground.committed() == {(Table.DUE, b"a"): b"1"}
    assert "shard.disk_full" in agent.events.getvalue()
    disk.is_full = False
    ground.pass_time(20.0)
    assert out == ["1"]
    assert content_of(agent.partition) == {(Table.DUE, b"a"): b"1"}


def test_a_log_that_lags_shows_how_far(ground: Ground) -> None:
    """A keeper hands out nothing when it cannot commit: it has to know."""
    agent = ground.holder()
    assert agent.log is not None
    ground.broker.stop()
    put(agent.store, a="1", b="2")
    ground.pass_time(60.0)
    put(agent.store, c="1")
    assert agent.log.pending_rows == 3
    ground.broker.start()
    agent.do(agent.log.committed())
    assert agent.log.pending_rows == 0


def test_who_stops_sending_takes_nothing_more(ground: Ground) -> None:
    """A shard that was given away in good order is closed."""
    agent = ground.holder()
    assert agent.log is not None
    put(agent.store, a="1")
    agent.do(agent.log.committed())
    agent.run.cancel()
    ground.pass_time(1.0)
    with pytest.raises(ShardLost, match=SUBJECT):
        put(agent.store, a="2")
    with pytest.raises(ShardLost, match=SUBJECT):
        agent.do(agent.log.committed())
