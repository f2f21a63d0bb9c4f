"""What becomes of output files when their shards come, go and are lost?"""

import asyncio
import io
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from simulated.agent_world import AgentWorld, SimulatedAgent
from tiptoe.cluster.damage_notes import damage_reader, leave_note
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.lost_members import LostMembers, is_of_member
from tiptoe.cluster.member_files import MarksAnswer, MarksQuestion, MemberFiles
from tiptoe.errors import ProtocolError, SettingsError
from tiptoe.frontier.filemarks import FileMark
from tiptoe.keeper.output_repair import Damage
from tiptoe.observe.eventlog import EventLog
from tiptoe.write.output_kinds import shard_writer

LINE = b'{"url":"http://a.example/","version":1}\n'


@pytest.fixture
def world() -> Iterator[AgentWorld]:
    made = AgentWorld(11)
    yield made
    made.close()


def started(world: AgentWorld, number: int, until: float) -> SimulatedAgent:
    agent = world.start(number)
    assert agent is not None
    world.run(until=until)
    return agent


def files_of(agent: SimulatedAgent, directory: Path) -> MemberFiles:
    leases = agent.agent.membership.leases
    log = EventLog("test", io.StringIO())
    return MemberFiles(
        directory, agent.engine, agent.frontier, leases, agent=agent.machine.name, live=lambda: (), log=log
    )


def left_open(directory: Path, shard: int, lines: int = 2, agent: str = "m0") -> str:
    """Write a file as a dead harvester leaves it; return its final name."""
    name = f"corpus/tiptoe-{shard_writer(f'{agent}.h1-1f-0001', shard)}-00001.jsonl"
    (directory / "corpus").mkdir(exist_ok=True)
    (directory / f"{name}.open").write_bytes(lines * LINE)
    return name


def held_by(agent: SimulatedAgent) -> HeldShard:
    return next(iter(agent.frontier.held))


def test_files_of_a_held_shard_are_cut_back_to_what_is_committed(world: AgentWorld, tmp_path: Path) -> None:
    agent = started(world, 0, 60.0)
    held = held_by(agent)
    name = left_open(tmp_path, held.shard)
    held.frontier.outputs.note({name: FileMark(len(LINE))})
    world.run(until=70.0)
    files_of(agent, tmp_path).repair_held(())
    assert (tmp_path / name).read_bytes() == LINE


def test_nothing_is_mended_by_marks_that_were_never_committed(world: AgentWorld, tmp_path: Path) -> None:
    """An agent that stood still may have lost the shard: whoever has it now asks for those pages again."""
    agent = started(world, 0, 60.0)
    held = held_by(agent)
    name = left_open(tmp_path, held.shard)
    agent.engine.cut_off()
    held.frontier.outputs.note({name: FileMark(len(LINE))})
    files_of(agent, tmp_path).repair_held(())
    assert (tmp_path / f"{name}.open").read_bytes() == 2 * LINE
    agent.engine.join()
    world.run(until=70.0)
    files_of(agent, tmp_path).repair_held(())
    assert (tmp_path / name).read_bytes() == LINE


def test_whoever_holds_a_shard_is_asked_about_files_that_lie_elsewhere(
    world: AgentWorld, tmp_path: Path
) -> None:
    """Bytes behind the mark are of pages that somebody else has fetched since."""
    holder, other = started(world, 0, 5.0), started(world, 1, 100.0)
    held = held_by(holder)
    name = left_open(tmp_path, held.shard, agent="m1")
    unheard_of = left_open(tmp_path, held.shard, agent="m9")
    held.frontier.outputs.note({name: FileMark(len(LINE))})
    serving = holder.loop.create_task(files_of(holder, tmp_path / "elsewhere").run())
    (tmp_path / "elsewhere").mkdir()
    world.run(until=110.0)
    asking = other.loop.create_task(files_of(other, tmp_path).settle())
    world.run(until=120.0)
    asking.result()
    assert (tmp_path / name).read_bytes() == LINE
    assert not (tmp_path / f"{unheard_of}.open").exists()
    serving.cancel()


def test_an_answer_that_makes_no_sense_is_none(world: AgentWorld, tmp_path: Path) -> None:
    """It is of an agent of another version; neither this agent nor the files of other shards suffer by it."""
    holder, other = started(world, 0, 5.0), started(world, 1, 100.0)
    first, second, *_ = sorted(held.shard for held in holder.frontier.held)
    names = {shard: left_open(tmp_path, shard, agent="m1") for shard in (first, second)}

    async def serve() -> None:
        async with holder.engine.serve("agent.m0.marks", answer):
            await asyncio.Event().wait()

    async def answer(data: bytes) -> bytes:
        if msgspec.msgpack.decode(data, type=MarksQuestion).shard == first:
            return b"\xc1"
        return msgspec.msgpack.encode(MarksAnswer(is_held=True, sizes={names[second]: len(LINE)}))

    serving = holder.loop.create_task(serve())
    world.run(until=110.0)
    asking = other.loop.create_task(files_of(other, tmp_path).settle())
    world.run(until=120.0)
    asking.result()
    assert (tmp_path / f"{names[first]}.open").exists()
    assert (tmp_path / names[second]).read_bytes() == LINE
    serving.cancel()


def test_who_has_ended_reads_what_counts_from_the_logs_itself(world: AgentWorld, tmp_path: Path) -> None:
    """When everybody has left there is nobody to ask."""
    agent = started(world, 0, 60.0)
    held = held_by(agent)
    name = left_open(tmp_path, held.shard)
    held.frontier.outputs.note({name: FileMark(len(LINE))})
    world.run(until=65.0)
    agent.leave()
    world.run(until=90.0)
    assert agent.is_over
    files, disk = files_of(agent, tmp_path), world.disks[0]
    settling = agent.loop.create_task(files.settle_rest(disk))
    world.run(until=100.0)
    settling.result()
    assert (tmp_path / name).read_bytes() == LINE


def test_a_file_is_known_by_the_member_that_wrote_it() -> None:
    """Names may contain each other."""
    corpus = "corpus/czech-blue.h1-1f-0001.s07-00001.jsonl"
    assert is_of_member(corpus, "blue", "czech")
    assert not is_of_member(corpus, "lue", "czech")
    assert not is_of_member(corpus, "czech", "czech")
    assert is_of_member("log/requests-blue.h1-1f-0001.s07.jsonl", "blue", "czech")
    assert not is_of_member("log/requests-sky-blue.h1-1f-0001.s07.jsonl", "blue", "czech")


def lost_members(world: AgentWorld, agent: SimulatedAgent, directory: Path) -> LostMembers:
    return LostMembers(
        agent.engine, agent.frontier, directory, agent="m0", robot="tiptoe", log=EventLog("t", io.StringIO()),
        count=lambda: agent.machine.count(world.timeline.now),
    )  # fmt: skip


def test_marks_of_a_lost_member_are_forgotten(world: AgentWorld, tmp_path: Path) -> None:
    """So doing it twice does no harm; files of others are not touched."""
    agent = started(world, 0, 60.0)
    held = held_by(agent)
    lost, kept = (f"corpus/tiptoe-{name}.h1-1f-0001.s{held.shard:02d}-00001.jsonl" for name in ("m8", "m9"))
    held.frontier.outputs.note({lost: FileMark(10), kept: FileMark(10)})
    members = lost_members(world, agent, tmp_path)
    watching = agent.loop.create_task(members.run())
    put = agent.loop.create_task(agent.engine.put("lost.m8", b""))
    world.run(until=70.0)
    put.result()
    marks = held.frontier.outputs.marks()
    assert lost not in marks
    assert kept in marks
    watching.cancel()


def test_a_member_that_was_said_to_be_lost_ends(world: AgentWorld, tmp_path: Path) -> None:
    """It may only have been cut off: whatever it writes from now on would be taken for lost, too."""
    agent = started(world, 0, 60.0)
    watching = agent.loop.create_task(lost_members(world, agent, tmp_path).run())
    put = agent.loop.create_task(agent.engine.put("lost.m0", b""))
    world.run(until=70.0)
    put.result()
    with pytest.raises(SettingsError, match="m0 was said to be lost"):
        watching.result()


def test_a_note_of_damage_that_is_gone_is_not_acted_on_for_ever(world: AgentWorld, tmp_path: Path) -> None:
    """Who was cut off when it was deleted would have the shard note the same every second."""
    agent, other = started(world, 0, 60.0), world.broker.connect("operator")
    held, said = held_by(agent), io.StringIO()
    reader = damage_reader(
        agent.engine, agent.frontier, tmp_path, lambda: agent.machine.count(world.timeline.now),
        EventLog("t", said),
    )  # fmt: skip
    reading = agent.loop.create_task(reader.run())
    leaving = agent.loop.create_task(leave_note(other, held.shard, Damage([], {})))
    world.run(until=60.5)  # it is heard of, but not acted on yet
    leaving.result()
    agent.engine.cut_off()
    (note,) = world.broker.changes("damage", since=0)
    world.broker.change(note.key, None, note.revision)
    world.run(until=62.0)
    agent.engine.join()
    world.run(until=70.0)
    said_before = said.getvalue()
    world.run(until=80.0)
    assert said.getvalue() == said_before
    reading.cancel()


def test_who_can_hear_of_no_damage_any_more_does_not_go_on(
    world: AgentWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else pages that are lost would never be asked for again, and nobody would know."""
    agent = started(world, 0, 60.0)

    def fail(prefix: str) -> None:
        raise ProtocolError(f"{prefix}: makes no sense")

    monkeypatch.setattr(agent.engine, "watch", fail)
    log = EventLog("t", io.StringIO())
    reader = damage_reader(agent.engine, agent.frontier, tmp_path, lambda: 0.0, log)
    reading = agent.loop.create_task(reader.run())
    world.run(until=70.0)
    with pytest.raises(ProtocolError, match="makes no sense"):
        reading.result()
