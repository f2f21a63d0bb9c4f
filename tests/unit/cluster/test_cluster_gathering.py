"""The files of other agents are copied, whatever happens to them meanwhile."""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from cluster_grounds import ClusterGround, MemoryGround, NatsGround
from nats_servers import single_server
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.file_protocol import (
    FileEntry,
    FilePart,
    FilesReply,
    FilesRequest,
    PieceReply,
    PieceRequest,
    UnknownFile,
    part_of,
)
from tiptoe.cluster.file_service import AgentNote, FileService, list_files
from tiptoe.cluster.gathered_forgetting import thin_gathered
from tiptoe.cluster.gathering import Gathered, gather_files, has_everything
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.frontier.wishes import NotedWish, NumberedWish

EVERYTHING = tuple(FilePart)
LOG = "log/requests-h1-18c3-0001.s07.jsonl"
TEXT = "corpus/tiptoe-h1-18c3-0001.s07-00001.jsonl"
INDEX = "warc/tiptoe-h1-18c3-0001.s07-00001.cdxj"
MEGABYTE = 1 << 20


class Agent:
    """The crawl directory of an agent that answers for its files."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        for folder in ("log", "corpus", "warc", "state"):
            (directory / folder).mkdir(parents=True)

    def write(self, name: str, content: bytes) -> None:
        (self.directory / name).write_bytes(content)

    def append(self, name: str, content: bytes) -> None:
        with (self.directory / name).open("ab") as file:
            file.write(content)

    def rename(self, name: str, other: str) -> None:
        (self.directory / name).rename(self.directory / other)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path / "there")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


@pytest.fixture
def ground() -> Iterator[MemoryGround]:
    made = MemoryGround()
    yield made
    made.close()


@contextlib.asynccontextmanager
async def answering(engine: Engine, agent: Agent, name: str = "there") -> AsyncIterator[FileService]:
    service = FileService(engine, name, agent.directory)
    task = asyncio.ensure_future(service.run())
    try:
        while await engine.get(f"member.{name}") is None:
            await asyncio.sleep(0.05)
        yield service
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def gather(
    ground: ClusterGround, agent: Agent, here: Path, *parts: FilePart,
    advance: Callable[[int], object] = lambda size: None,
) -> Gathered:  # fmt: skip
    """Copy what is new."""

    async def main() -> Gathered:
        engine, other = await ground.connect(), await ground.connect()
        async with answering(engine, agent):
            (done,) = await gather_files(other, here, ["there"], parts or EVERYTHING, advance=advance)
        return done

    return ground.run(main())


def copied(here: Path) -> dict[str, bytes]:
    folder = here / "members" / "there"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def some_bytes(count: int, seed: int = 1) -> bytes:
    return (bytes(range(256)) * (count // 256 + 1))[seed : seed + count]


def test_outputs_and_logs_are_copied_and_nothing_else(ground: MemoryGround, agent: Agent, here: Path) -> None:
    """Keys, the database and files that somebody has put there are nobody's business."""
    wanted = {
        LOG: b"one\n", TEXT: b"two\n", f"{TEXT}.open": b"three\n", INDEX: b"four\n",
        "log/disallowed-h1-0001.txt": b"five\n", "log/figures-18c3.json": b"{}\n",
    }  # fmt: skip
    for name, content in wanted.items():
        agent.write(name, content)
    for name in (
        "crawl.json",
        "state/cluster.json",
        "log/keeper.log",
        "corpus/.hidden.jsonl",
        "corpus/note.txt",
    ):
        agent.write(name, b"secret\n")
    os.symlink(agent.directory / "crawl.json", agent.directory / "corpus" / "link-00001.jsonl")

    done = gather(ground, agent, here)

    assert (done.is_whole, done.files) == (True, len(wanted))
    assert done.received_bytes == sum(map(len, wanted.values()))
    assert copied(here) == wanted


def test_only_the_parts_that_are_wanted_come(ground: MemoryGround, agent: Agent, here: Path) -> None:
    agent.write(LOG, b"log\n")
    agent.write(TEXT, b"text\n")
    agent.write(INDEX, b"index\n")
    gather(ground, agent, here, FilePart.LOGS)
    assert copied(here) == {LOG: b"log\n"}
    gather(ground, agent, here, FilePart.TEXTS, FilePart.INDEXES)
    assert copied(here) == {LOG: b"log\n", TEXT: b"text\n", INDEX: b"index\n"}


def test_what_is_here_does_not_come_again(ground: MemoryGround, agent: Agent, here: Path) -> None:
    agent.write(LOG, some_bytes(3 * MEGABYTE))
    agent.write(TEXT, some_bytes(MEGABYTE))
    gather(ground, agent, here)
    done = gather(ground, agent, here)
    assert (done.files, done.received_bytes) == (0, 0)

    agent.append(LOG, b"more\n")
    done = gather(ground, agent, here)
    assert (done.files, done.received_bytes) == (1, 5)
    assert copied(here)[LOG] == some_bytes(3 * MEGABYTE) + b"more\n"


def test_a_copy_that_was_broken_off_goes_on(ground: MemoryGround, agent: Agent, here: Path) -> None:
    """As after a `kill -9`: there is a part of a file, and nobody has noted how much."""
    agent.write(TEXT, some_bytes(5 * MEGABYTE))
    agent.write(LOG, some_bytes(2 * MEGABYTE, 7))
    came = 0

    class Killed(Exception):
        """The process is gone."""

    def advance(size: int) -> None:
        nonlocal came
        came += size
        if came > 3 * MEGABYTE:
            raise Killed

    with pytest.raises(Killed):
        gather(ground, agent, here, advance=advance)
    assert 0 < sum(map(len, copied(here).values())) < 7 * MEGABYTE

    done = gather(ground, agent, here)

    assert done.is_whole
    assert done.received_bytes < 5 * MEGABYTE
    assert copied(here) == {TEXT: some_bytes(5 * MEGABYTE), LOG: some_bytes(2 * MEGABYTE, 7)}


def test_a_file_that_grows_meanwhile_is_copied_as_far_as_it_was(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    agent.write(LOG, some_bytes(3 * MEGABYTE))

    done = gather(ground, agent, here, advance=lambda size: agent.append(LOG, b"new line\n"))

    assert done.is_whole
    assert copied(here)[LOG] == some_bytes(3 * MEGABYTE)
    gather(ground, agent, here)
    assert copied(here)[LOG] == (agent.directory / LOG).read_bytes()


def test_a_file_that_was_cut_back_is_cut_here_too(ground: MemoryGround, agent: Agent, here: Path) -> None:
    """What was behind the mark of a harvester that died is asked for again; it must not stand twice."""
    agent.write(f"{TEXT}.open", b"committed\nnot committed\n")
    gather(ground, agent, here)
    agent.write(f"{TEXT}.open", b"committed\n")
    agent.rename(f"{TEXT}.open", TEXT)

    done = gather(ground, agent, here)

    assert done.is_whole
    assert copied(here) == {TEXT: b"committed\n"}


def test_a_file_that_was_cut_back_and_went_on_is_copied_anew(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    agent.write(LOG, b"one\ntwo\n")
    gather(ground, agent, here)
    agent.write(LOG, b"one\nanother\nthird\n")
    assert gather(ground, agent, here).is_whole
    assert copied(here) == {LOG: b"one\nanother\nthird\n"}


def test_a_file_that_was_finished_gets_its_name_and_only_the_rest_comes(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    agent.write(f"{TEXT}.open", some_bytes(2 * MEGABYTE))
    gather(ground, agent, here)
    agent.append(f"{TEXT}.open", b"the end\n")
    agent.rename(f"{TEXT}.open", TEXT)

    done = gather(ground, agent, here)

    assert done.received_bytes == len(b"the end\n")
    assert copied(here) == {TEXT: some_bytes(2 * MEGABYTE) + b"the end\n"}


def test_a_file_that_is_finished_between_the_list_and_the_copy_comes(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    agent.write(LOG, b"log\n")
    agent.write(f"{TEXT}.open", some_bytes(MEGABYTE))

    def finish(size: int) -> None:
        with contextlib.suppress(FileNotFoundError):
            agent.rename(f"{TEXT}.open", TEXT)

    gather(ground, agent, here, advance=finish)
    done = gather(ground, agent, here)

    assert done.is_whole
    assert copied(here) == {LOG: b"log\n", TEXT: some_bytes(MEGABYTE)}


def test_a_file_that_is_cut_and_finished_between_the_list_and_the_copy_comes_as_it_is_then(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    """So it goes when a shard is taken from an agent that others gather from."""
    agent.write(LOG, b"log\n")
    agent.write(f"{TEXT}.open", b"committed\n" + some_bytes(2 * MEGABYTE))

    def finish(size: int) -> None:
        if (agent.directory / f"{TEXT}.open").exists():
            agent.write(TEXT, b"committed\n")
            (agent.directory / f"{TEXT}.open").unlink()

    done = gather(ground, agent, here, advance=finish)

    assert done.is_whole
    assert copied(here) == {LOG: b"log\n", TEXT: b"committed\n"}


def test_an_index_that_was_sorted_when_it_was_finished_is_copied_anew(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    agent.write(f"{INDEX}.open", b"b\na\n")
    gather(ground, agent, here)
    agent.write(INDEX, b"a\nb\n")
    (agent.directory / f"{INDEX}.open").unlink()
    assert gather(ground, agent, here).is_whole
    assert copied(here) == {INDEX: b"a\nb\n"}


def test_a_finished_file_that_was_mended_is_copied_anew(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    """Of the same length, and the same at its end."""
    agent.write(TEXT, b"x" * 100 + some_bytes(MEGABYTE))
    gather(ground, agent, here)
    agent.write(TEXT, b"y" * 100 + some_bytes(MEGABYTE))
    assert gather(ground, agent, here).is_whole
    assert copied(here) == {TEXT: b"y" * 100 + some_bytes(MEGABYTE)}


def test_figures_are_replaced_as_a_whole(ground: MemoryGround, agent: Agent, here: Path) -> None:
    agent.write("log/figures-18c3.json", b'{"pages": 1}')
    gather(ground, agent, here)
    agent.write("log/figures-18c3.json", b'{"pages": 2222}')
    gather(ground, agent, here)
    assert copied(here) == {"log/figures-18c3.json": b'{"pages": 2222}'}


def test_what_is_withdrawn_there_is_set_aside_and_finished_files_stay(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    """A disk that burnt takes finished files with it: then the copies are all that is left."""
    agent.write(f"{TEXT}.open", b"never committed\n")
    agent.write(INDEX, b"finished\n")
    gather(ground, agent, here)
    (agent.directory / f"{TEXT}.open").unlink()
    (agent.directory / INDEX).unlink()
    gather(ground, agent, here)
    assert copied(here) == {f"{TEXT}.open.withdrawn": b"never committed\n", INDEX: b"finished\n"}


def test_requests_under_way_are_copied_when_their_writer_is_dead(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    name = "log/requests-h1-0001.underway"
    agent.write(name, b"note\n")
    with (agent.directory / name).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        gather(ground, agent, here)
        assert copied(here) == {}
    gather(ground, agent, here)
    assert copied(here) == {name: b"note\n"}


def test_an_agent_that_is_not_there_is_named(ground: MemoryGround, here: Path) -> None:
    async def main() -> list[Gathered]:
        return await gather_files(await ground.connect(), here, ["nobody"], EVERYTHING)

    (done,) = ground.run(main())
    assert (done.agent, done.is_there, done.is_whole) == ("nobody", False, False)


def test_two_processes_do_not_gather_into_one_directory(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    agent.write(LOG, b"log\n")

    async def main() -> None:
        engine, other = await ground.connect(), await ground.connect()
        async with answering(engine, agent):
            first = gather_files(other, here, ["there"], EVERYTHING)
            second = gather_files(other, here, ["there"], EVERYTHING)
            ends = await asyncio.gather(first, second, return_exceptions=True)
        assert [type(end) for end in ends] == [list, CrawlerError]

    ground.run(main())


# -- who left ------------------------------------------------------------------


def test_who_left_in_good_order_is_not_missed_if_all_was_gathered(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    agent.write(LOG, b"log\n")
    agent.write(TEXT, b"text\n")

    async def leave() -> AgentNote:
        engine = await ground.connect()
        await FileService(engine, "there", agent.directory).announce_leaving()
        found = await engine.get("member.there")
        assert found is not None
        assert found.value is not None
        return msgspec.msgpack.decode(found.value, type=AgentNote)

    agent.write("log/figures-18c3.json", b"{}")
    gather(ground, agent, here, FilePart.LOGS)
    agent.write("log/figures-18c3.json", b'{"pages": 1}')  # the last thing that a keeper does
    note = ground.run(leave())
    assert has_everything(here, note, [FilePart.LOGS])
    assert not has_everything(here, note, [FilePart.LOGS, FilePart.TEXTS])
    assert not has_everything(here, AgentNote("there"), [FilePart.LOGS])
    assert not has_everything(here, AgentNote("stranger", {}), [FilePart.LOGS])


# -- hostile names -------------------------------------------------------------

HOSTILE = [
    "../crawl.json", "/etc/passwd", "state/keeper.sock", "state/cluster.json", "corpus/../state/cluster.json",
    "corpus/..", "corpus/.x-00001.jsonl", "corpus/x-00001.jsonl/../../crawl.json", "log/keeper.log",
    "corpus/x-00001.jsonl\n", "corpus/x\0-00001.jsonl", "CORPUS/x-00001.jsonl", "", "corpus", "crawl.json",
    "log/figures-18c3.json/../../crawl.json", "log/figures-..json", "members/a/corpus/x-00001.jsonl",
    "corpus/" + "x" * 500 + "-00001.jsonl",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_no_other_file_can_be_named(name: str, ground: MemoryGround, agent: Agent) -> None:
    with pytest.raises(UnknownFile):
        part_of(name)

    async def main() -> PieceReply:
        engine, other = await ground.connect(), await ground.connect()
        async with answering(engine, agent):
            asked = msgspec.msgpack.encode(PieceRequest(name, 0, 10))
            return msgspec.msgpack.decode(
                await other.request("agent.there.file", asked, seconds=5.0), type=PieceReply
            )

    told = ground.run(main())
    assert told.fault
    assert not told.data


@pytest.mark.parametrize(
    "asked", [PieceRequest(LOG, -1, 5), PieceRequest(LOG, 0, 1 << 40), PieceRequest(LOG, 0, -1)]
)
def test_no_more_than_a_piece_can_be_asked_for(
    asked: PieceRequest, ground: MemoryGround, agent: Agent
) -> None:
    agent.write(LOG, b"log\n")

    async def main() -> PieceReply:
        engine, other = await ground.connect(), await ground.connect()
        async with answering(engine, agent):
            answer = await other.request("agent.there.file", msgspec.msgpack.encode(asked), seconds=5.0)
            assert await other.request("agent.there.file", b"\xc1 no sense", seconds=5.0)
            return msgspec.msgpack.decode(answer, type=PieceReply)

    assert ground.run(main()).fault


def test_a_link_is_not_followed(ground: MemoryGround, agent: Agent) -> None:
    agent.write("state/secret", b"secret")
    os.symlink(agent.directory / "state" / "secret", agent.directory / LOG)
    assert list(list_files(agent.directory, EVERYTHING)) == []

    async def main() -> PieceReply:
        engine, other = await ground.connect(), await ground.connect()
        async with answering(engine, agent):
            asked = msgspec.msgpack.encode(PieceRequest(LOG, 0, 10))
            answer = await other.request("agent.there.file", asked, seconds=5.0)
            return msgspec.msgpack.decode(answer, type=PieceReply)

    told = ground.run(main())
    assert (told.data, bool(told.fault)) == (b"", True)


@pytest.mark.parametrize("name", HOSTILE)
def test_an_agent_cannot_have_us_write_elsewhere(name: str, ground: MemoryGround, here: Path) -> None:
    async def lie(data: bytes) -> bytes:
        msgspec.msgpack.decode(data, type=FilesRequest)
        return msgspec.msgpack.encode(FilesReply([FileEntry(name, 4, 0)]))

    async def main() -> Gathered:
        engine, other = await ground.connect(), await ground.connect()
        async with engine.serve("agent.there.files", lie):
            (done,) = await gather_files(other, here, ["there"], EVERYTHING)
        return done

    done = ground.run(main())
    assert not done.is_whole
    assert [path.name for path in here.rglob("*") if path.is_file()] == [".lock"]


@pytest.mark.parametrize(
    "told", [PieceReply(b"wrong", 5, 77), PieceReply(b"", 0, 0), PieceReply(b"too long" * 9, 72, 0)]
)
def test_what_arrives_damaged_is_not_taken(told: PieceReply, ground: MemoryGround, here: Path) -> None:
    async def list_them(data: bytes) -> bytes:
        return msgspec.msgpack.encode(FilesReply([FileEntry(LOG, 5, 0)]))

    async def damage(data: bytes) -> bytes:
        return msgspec.msgpack.encode(told)

    async def main() -> Gathered:
        engine, other = await ground.connect(), await ground.connect()
        async with engine.serve("agent.there.files", list_them), engine.serve("agent.there.file", damage):
            (done,) = await gather_files(other, here, ["there"], EVERYTHING)
        return done

    done = ground.run(main())
    assert [fault for fault in done.faults if LOG in fault]
    assert set(copied(here).values()) <= {b""}


def test_an_agent_has_a_name_that_a_directory_can_have(ground: MemoryGround, here: Path) -> None:
    async def main() -> None:
        await gather_files(await ground.connect(), here, ["../elsewhere"], EVERYTHING)

    with pytest.raises(SettingsError, match="cannot be the name of an agent"):
        ground.run(main())


# -- on real servers -----------------------------------------------------------


def test_files_come_over_real_servers(tmp_path: Path, agent: Agent, here: Path) -> None:
    """More than one piece, broken off once."""
    agent.write(TEXT, some_bytes(5 * MEGABYTE))
    agent.write(LOG, b"log\n")
    with single_server(tmp_path / "nats") as server:
        ground = NatsGround([server])
        try:
            came: list[int] = []

            def advance(size: int) -> None:
                came.append(size)
                if len(came) == 3:
                    raise InterruptedError

            with pytest.raises(InterruptedError):
                gather(ground, agent, here, advance=advance)
            agent.append(LOG, b"more\n")
            done = gather(ground, agent, here)
        finally:
            ground.close()
    assert done.is_whole
    assert done.received_bytes < 5 * MEGABYTE
    assert copied(here) == {TEXT: some_bytes(5 * MEGABYTE), LOG: b"log\nmore\n"}


def test_who_cannot_list_its_files_has_not_given_all_of_them(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    """A disk with a fault is not a member that is away: who repairs it has to know."""
    agent.write(f"{TEXT}.open", b"one\n")
    gather(ground, agent, here)
    agent.directory.rename(agent.directory.with_name("unmounted"))
    done = gather(ground, agent, here)
    assert not done.is_whole
    assert ["cannot be listed" in fault for fault in done.faults] == [True]
    assert copied(here) == {f"{TEXT}.open": b"one\n"}


def test_who_has_still_to_forget_something_shows_only_its_logs(
    ground: MemoryGround, agent: Agent, here: Path
) -> None:
    """Else a copy that was cleaned would get back what its owner has not removed yet."""
    agent.write(LOG, b"one\n")
    agent.write(TEXT, b"two\n")

    async def main() -> tuple[Gathered, Gathered, PieceReply]:
        engine, other = await ground.connect(), await ground.connect()
        service = FileService(engine, "there", agent.directory, withheld=lambda: "a.example first")
        task = asyncio.ensure_future(service.run())
        while await engine.get("member.there") is None:
            await asyncio.sleep(0.05)
        (logs,) = await gather_files(other, here, ["there"], (FilePart.LOGS,))
        (everything,) = await gather_files(other, here, ["there"], EVERYTHING)
        asked = msgspec.msgpack.encode(PieceRequest(TEXT, 0, 3))
        piece = await other.request("agent.there.file", asked, seconds=5.0)
        task.cancel()
        return logs, everything, msgspec.msgpack.decode(piece, type=PieceReply)

    logs, everything, piece = ground.run(main())
    assert logs.is_whole
    assert everything.faults == ["its files cannot be listed: a.example first"]
    assert (piece.data, piece.fault) == (b"", "a.example first")
    assert copied(here) == {LOG: b"one\n"}


def test_copies_are_cleaned_once_for_each_wish(ground: MemoryGround, agent: Agent, here: Path) -> None:
    line = b'{"url": "http://a.example/1", "paragraphs": []}\n'
    other = line.replace(b"a.example", b"b.example")
    agent.write(TEXT, line + other)
    gather(ground, agent, here)
    told: list[str] = []

    async def at_once(work: Callable[[], object]) -> None:
        work()

    def thin(*numbers: int) -> None:
        wishes = [NumberedWish(n, NotedWish("a.example", "a letter", 1.0)) for n in numbers]
        ground.run(thin_gathered(here, wishes, told.append, apart=at_once))

    thin(4)
    thin(4)
    assert copied(here)[TEXT] == other
    assert len(told) == 1
    thin(4, 9)
    assert len(told) == 2
    agent.write(TEXT, other)  # it has done so as well
    gather(ground, agent, here)
    assert copied(here)[TEXT] == other
