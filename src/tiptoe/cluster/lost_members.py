"""What happens to the pages in the files of a machine that is lost for good?

The state of a crawl survives in its shards, but corpus and archive files are on the disk of the member that
wrote them. When an operator declares a member lost (`lost.<agent>`), every shard finds the pages that it had
in that member's files, and queues them again; the marks of these files are deleted, so doing it twice does no
harm. A shard that no agent holds at the moment does this when it is taken.

Rule: the name of a lost member is not used again, because the files of its successor would count as lost,
too. So a member that answers cannot be declared lost, and one that was only cut off ends when it learns of
it.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.cluster.crawl_agents import read_agents
from tiptoe.cluster.crawl_record import go_on
from tiptoe.cluster.engine import Engine, EngineUnavailable, OutOfDate
from tiptoe.cluster.file_protocol import check_agent
from tiptoe.cluster.key_reading import read_keys
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.cluster.status_service import ask_statuses
from tiptoe.errors import SettingsError
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.imported_files import ImportedFiles
from tiptoe.keeper.output_repair import OutputRepair
from tiptoe.observe.eventlog import EventLog
from tiptoe.write.output_kinds import harvester_of

__all__ = [
    "LostMembers", "LostReply", "expect_not_lost", "files_of_lost", "is_of_member", "lost_names",
    "lost_subject", "note_lost",
]  # fmt: skip

LOST: Final = "lost"
RETRY_SECONDS: Final = 1.0


def lost_key(agent: str) -> str:
    """Return the key that declares a member lost."""
    return f"{LOST}.{agent}"


def lost_subject(agent: str) -> str:
    """Return the subject under which a member tells what it has done about lost ones."""
    return f"agent.{agent}.{LOST}"


class LostReply(msgspec.Struct, frozen=True, array_like=True):
    """What a member has done about a lost one."""

    shards: list[int]  # held here, and no longer with any file of the lost member
    pages: int  # queued again by this process


def is_of_member(file: str, agent: str, robot: str) -> bool:
    """Return whether a harvester of a member wrote a file; most names contain that of the robot, too."""
    return harvester_of(file).startswith((f"{agent}.", f"{robot}-{agent}."))


class MemberIsLost(SettingsError):
    """A member runs under a name that the operator has declared lost."""

    def __init__(self, agent: str) -> None:
        super().__init__(
            f"member {agent} was said to be lost, and what it had was requested again; choose another --agent"
        )


async def expect_not_lost(engine: Engine, agent: str) -> None:
    """Refuse to take part under the name of a lost member."""
    if await engine.get(lost_key(agent)) is not None:
        raise MemberIsLost(agent)


async def note_lost(engine: Engine, agent: str) -> None:
    """Declare a member and its disk lost; raise SettingsError if there was none, or it still runs."""
    agents = await read_agents(engine)
    if check_agent(agent) not in agents:
        raise SettingsError(f"{agent}: no member of this crawl was called so, only {', '.join(agents)}")
    if agents[agent].shards:
        raise SettingsError(
            f"{agent}: still holds a part of the crawl; stop it, or wait until its lease is over and another "
            "member has taken that part"
        )
    if await ask_statuses(engine, [agent]):
        raise SettingsError(f"{agent}: answers, so it is not lost; stop it first")
    with contextlib.suppress(OutOfDate):  # it was declared lost before
        await engine.put(lost_key(agent), b"")
    await go_on(engine)  # even if the crawl had ended


async def lost_names(engine: Engine) -> list[str]:
    """Return the names of the lost members."""
    return [key.partition(".")[2] for key in await read_keys(engine, LOST)]


async def files_of_lost(
    engine: Engine, files: Iterable[str], robot: str, imported: ImportedFiles
) -> list[str]:
    """Return which of these files were on the disks of lost members.

    The files that a lost member had `imported` are included.
    """
    names = await lost_names(engine)
    found = [file for file in files if any(is_of_member(file, name, robot) for name in names)]
    return sorted({*found, *(file for name in names for file in imported.of(name))})


class LostMembers:
    """The lost members, and what the shards that are held here have done about them."""

    def __init__(
        self, engine: Engine, frontier: ShardedFrontier, directory: Path, *, agent: str, robot: str,
        count: Callable[[], float], log: EventLog,
    ) -> None:  # fmt: skip
        self._engine = engine
        self._frontier = frontier
        self._directory = directory
        self._agent = agent
        self._robot = robot
        self._count = count  # of seconds, by this machine
        self._log = log
        self._names: set[str] = set()
        self._pages: Counter[str] = Counter()

    async def run(self) -> None:
        """Watch for lost members until cancelled; raise MemberIsLost when this one is declared lost."""
        async with self._engine.serve(lost_subject(self._agent), self._answer):
            while True:
                with contextlib.suppress(EngineUnavailable):
                    async with self._engine.watch(LOST) as changes:
                        async for change in changes:
                            if change is not None and change.value is not None:
                                self._hear(change.key.partition(".")[2])
                await asyncio.sleep(RETRY_SECONDS)

    def _hear(self, name: str) -> None:
        if name == self._agent:
            raise MemberIsLost(name)
        self._names.add(name)
        self._settle_held()

    def settle(self, shard: int, frontier: Frontier, now: float) -> None:
        """Queue the pages of a shard again that were in the files of lost members."""
        for name in sorted(self._names):
            self._settle(shard, frontier, name, now)

    def _settle_held(self) -> None:
        for held in self._frontier.held:
            self.settle(held.shard, held.frontier, held.clock.now(self._count()))

    def _settle(self, shard: int, frontier: Frontier, name: str, now: float) -> None:
        files = self._files(frontier, name)
        if not files:
            return
        repair = OutputRepair(self._directory, frontier, now=now, shard=shard)
        repair.put_right([], away=files)
        if frontier.outputs.imported_by(name):
            frontier.outputs.forget_imported()
        self._pages[name] += repair.verdicts.asked
        self._log.note(
            "member.lost", agent=name, shard=shard, files=len(files), asked_again=repair.verdicts.asked
        )

    async def _answer(self, question: bytes) -> bytes:
        name = question.decode(errors="replace")
        done = [
            held.shard
            for held in self._frontier.held
            if held.is_certain and not held.log.pending_rows and not self._files(held.frontier, name)
        ]
        return msgspec.msgpack.encode(LostReply(done if name in self._names else [], self._pages[name]))

    def _files(self, frontier: Frontier, name: str) -> list[str]:
        """Return the files of a member that a shard knows, and those of the crawl that it imported."""
        outputs = frontier.outputs
        own = (file for file in outputs.marks() if is_of_member(file, name, self._robot))
        return sorted({*own, *outputs.imported_by(name)})
