"""A member removes what is to be forgotten from its directory, and tells the shards, whoever is killed."""

import io
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from repair_samples import HOST, SmallCrawl

from cluster_grounds import MemoryGround
from tiptoe.cluster.cluster_operator import ClusterOperator
from tiptoe.cluster.command_row import ForgetTarget
from tiptoe.cluster.crawl_agents import KnownAgent
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.forgetting_progress import progress_of, read_progress
from tiptoe.cluster.forgotten_notes import THINNED, ForgottenNote
from tiptoe.cluster.member_forgetting import MemberForgetting
from tiptoe.cluster.shard_erasing import note_purged, purge_state
from tiptoe.cluster.shard_notes import notes_left
from tiptoe.errors import CrawlerError
from tiptoe.forget.journal import Forgotten, expect_nothing_pending, load_journal, records_of
from tiptoe.forget.member_ledger import TEXTS_FILE
from tiptoe.forget.member_wishes import MemberWishes, load_wishes, note_waiting, save_wishes, withheld_because
from tiptoe.frontier.wishes import NotedWish, NumberedWish
from tiptoe.observe.eventlog import EventLog

SHARD, SHARDS = 3, 4
PAGE = f"{HOST}/7"


class Killed(BaseException):
    """Somebody was."""


@pytest.fixture
def ground() -> Iterator[MemoryGround]:
    made = MemoryGround()
    yield made
    made.close()


@pytest.fixture
def crawl(tmp_path: Path) -> SmallCrawl:
    """A directory with the files of one shard, whose tables are elsewhere."""
    directory = tmp_path / "member"
    (directory / "state").mkdir(parents=True)
    (directory / "log").mkdir()
    crawl = SmallCrawl(directory, shard=SHARD)
    crawl.run(ends_well=True)
    return crawl


async def wish(engine: Engine, *targets: str) -> int:
    """Give commands that nobody confirms; return the number of the last one."""
    operator = ClusterOperator(engine, name="operator")
    return [(await operator.give(ForgetTarget(one, "a letter"), seconds=0.0)).number for one in targets][-1]


async def free(engine: Engine, number: int) -> None:
    """Let every shard say that it has nothing any more."""
    for shard in range(SHARDS):
        await note_purged(engine, shard, number, await purge_state(engine, shard))


async def at_once(work: Callable[[], object]) -> None:
    work()


def forgetting(engine: Engine, crawl: SmallCrawl, killed_at: int = 0) -> MemberForgetting:
    steps = itertools.count(1)

    def step() -> None:
        if next(steps) == killed_at:
            raise Killed

    return MemberForgetting(
        engine=engine, directory=crawl.directory, agent="m1", robot="t", shards=SHARDS,
        log=EventLog("m1", io.StringIO()), step=step, apart=at_once,
    )  # fmt: skip


async def told(engine: Engine) -> tuple[dict[str, tuple[int, int]], set[str]]:
    """Return what shards were told: files with their sizes before and after, and texts."""
    files: dict[str, tuple[int, int]] = {}
    texts: set[str] = set()
    for shard in range(SHARDS):
        for data in await notes_left(engine, THINNED, shard):
            note = msgspec.msgpack.decode(data, type=ForgottenNote)
            assert not note.files or shard == SHARD
            files |= note.files
            texts |= {url for url, _ in note.texts}
    return files, texts


def test_files_lose_a_page_and_the_shards_hear_what_has_changed(
    ground: MemoryGround, crawl: SmallCrawl
) -> None:
    async def main() -> tuple[list[Forgotten], dict[str, tuple[int, int]], set[str]]:
        engine = await ground.connect()
        number = await wish(engine, PAGE)
        await free(engine, number)
        lines = await forgetting(engine, crawl).run()
        return lines, *await told(engine)

    (line,), files, texts = ground.run(main())
    assert (line.target, line.documents, line.answers) == (PAGE, 1, 1)
    assert PAGE not in crawl.texts()
    assert PAGE not in crawl.archived()
    assert texts == {PAGE}
    marks = crawl.frontier.outputs.marks()
    for name, (before, after) in files.items():
        assert (before, after) == (marks[name].size, (crawl.directory / name).stat().st_size), name
    assert {name.partition("/")[0] for name in files} == {"corpus", "warc"}
    assert [one.target for one in records_of(crawl.directory)] == [PAGE]
    assert not (crawl.directory / "state" / "frontier").exists()


@pytest.mark.parametrize("killed_at", range(1, 21))
def test_who_is_killed_over_it_goes_on_where_it_was(
    ground: MemoryGround, crawl: SmallCrawl, killed_at: int
) -> None:
    """No text that left the corpus is kept from the index, whenever that was."""

    async def main() -> tuple[bool, dict[str, tuple[int, int]], set[str]]:
        engine = await ground.connect()
        await wish(engine, PAGE, f"{HOST}/1*")
        was_killed = False
        try:
            await forgetting(engine, crawl, killed_at).run()
        except Killed:
            was_killed = True
        await forgetting(engine, crawl).run()
        return was_killed, *await told(engine)

    was_killed, files, texts = ground.run(main())
    assert was_killed
    forgotten = {PAGE, f"{HOST}/1", *(f"{HOST}/1{n}" for n in range(10))}
    assert not forgotten & {*crawl.texts(), *crawl.archived(), *crawl.listed()}
    assert texts == forgotten - {f"{HOST}/19"}, "one is a document that has yet to be converted"
    for name, (_, after) in files.items():
        assert after >= (crawl.directory / name).stat().st_size
    assert [one.target for one in records_of(crawl.directory)] == [PAGE, f"{HOST}/1*"]
    assert load_journal(crawl.directory) is None
    assert not (crawl.directory / TEXTS_FILE).exists()


def test_a_member_is_done_when_no_shard_can_give_anything_back(
    ground: MemoryGround, crawl: SmallCrawl
) -> None:
    async def main() -> list[list[str]]:
        engine = await ground.connect()
        number = await wish(engine, PAGE)
        await engine.put("member.m1", b"")
        seen = []
        for _ in range(2):
            await forgetting(engine, crawl).run()
            (progress,) = await read_progress(engine, SHARDS)
            seen.append(progress.members)
            await free(engine, number)
        await forgetting(engine, crawl).run()
        (progress,) = await read_progress(engine, SHARDS)
        assert progress.is_done
        return [*seen, progress.members]

    assert ground.run(main()) == [["m1"], [], []]
    assert len(records_of(crawl.directory)) == 1, "nothing is done twice"


def test_progress_names_the_shards_and_members_that_are_behind() -> None:
    wishes = [NumberedWish(number, NotedWish(f"h{number}.example", "a letter", 1.0)) for number in (3, 5)]
    members = [KnownAgent("m1"), KnownAgent("m2")]
    one, other = progress_of(wishes, {0: 5, 1: 3}, {"m1": 5, "m9": 9}, members, 3)
    assert (one.shards, one.members) == ([2], ["m2"])
    assert (other.shards, other.members, other.is_done) == ([1, 2], ["m2"], False)


def test_nothing_is_passed_on_while_a_running_agent_has_still_to_forget(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    save_wishes(tmp_path, MemberWishes(files=4, all=2))
    wishes = [NumberedWish(number, NotedWish(f"h{number}.example", "a letter", 1.0)) for number in (3, 4)]
    note_waiting(tmp_path, wishes)
    expect_nothing_pending(tmp_path)
    assert withheld_because(tmp_path) == ""
    note_waiting(tmp_path, [*wishes, NumberedWish(6, NotedWish("h6.example", "a letter", 1.0))])
    assert load_wishes(tmp_path) == MemberWishes(4, 2, ["h6.example"])
    assert withheld_because(tmp_path) == "h6.example has to be forgotten there first: start its agent anew"
    with pytest.raises(CrawlerError, match=r"h6\.example is still to be forgotten in these files"):
        expect_nothing_pending(tmp_path)
