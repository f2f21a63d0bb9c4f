"""What happens to the output files on this disk, whichever agent holds their shards?

Pages, and the marks of the files that contain them, are committed with the steps of a shard, so only its
holder knows how much of a file is valid. That may be another agent by now: an agent that died, or lost a
shard, has left files behind. Bytes beyond a mark belong to pages that are fetched again; they must be
removed, or these pages would be in two corpora.

    shard is held here    mended when it is taken, and when a harvester was lost; but only by committed marks,
                          because a holder may have lost the shard without knowing it
    held by another       its holder is asked for the marks (`agent.<name>.marks`)
    not held              waits; when this agent ends, it reads the log of the shard itself

When something is to be forgotten, all are mended before an agent starts.
"""

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable, NoResponse
from tiptoe.cluster.shard_lease import ShardLease
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.errors import ProtocolError
from tiptoe.frontier.filemarks import FileMark, FileMarks, FileState
from tiptoe.frontier.frontier import Frontier
from tiptoe.keeper.output_repair import repair_at_start
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.partition import DividedStore, Partition
from tiptoe.write.logclock import machine_count
from tiptoe.write.output_kinds import harvester_of, open_names, shard_of_file
from tiptoe.write.recovery import examine, mend

__all__ = ["MemberFiles", "settle_files"]

LOOK_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 2.0
FILES_ASKED_MAX: Final = 1000


class MarksQuestion(msgspec.Struct, frozen=True, array_like=True):
    """Request: how much of these files is committed?"""

    shard: int
    files: list[str]


class MarksAnswer(msgspec.Struct, frozen=True, array_like=True):
    """The committed size of each file, and whether it is finished; unknown files are left out."""

    is_held: bool  # with certainty; otherwise the rest is meaningless
    sizes: dict[str, int] = {}
    finished: list[str] = []


class MemberFiles:
    """The output files in the directory of one agent."""

    def __init__(
        self, directory: Path, engine: Engine, frontier: ShardedFrontier, leases: list[ShardLease], *,
        agent: str, live: Callable[[], Collection[str]], log: EventLog,
    ) -> None:  # fmt: skip
        """`live` returns the harvesters that are at work here, by their incarnations."""
        self._directory = directory
        self._engine = engine
        self._frontier = frontier
        self._leases = leases
        self._agent = agent
        self._live = live
        self._log = log

    # -- of shards that are held here ----------------------------------------

    def repair_shard(self, shard: int, frontier: Frontier, live: Collection[str], *, now: float) -> list[str]:
        """Mend the files of one shard that is held; return what was done."""
        return repair_at_start(self._directory, frontier, live, now=now, reads=False, shard=shard)

    def repair_held(self, live: Collection[str]) -> list[str]:
        """Mend the files of held shards whose marks are certain and committed; `settle` repeats it."""
        return [
            one
            for held in self._frontier.held
            if held.is_certain and not held.log.pending_rows
            for one in self.repair_shard(held.shard, held.frontier, live, now=held.clock.now(machine_count()))
        ]

    # -- of shards held elsewhere -----------------------------------------------------------

    async def run(self) -> None:
        """Answer other agents, and mend the files of shards that they hold, until cancelled."""
        async with self._engine.serve(f"agent.{self._agent}.marks", self._answer):
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                with contextlib.suppress(EngineUnavailable):
                    await self.settle()

    async def settle(self) -> None:
        """Mend the files that can be mended now."""
        for one in self.repair_held(self._live()) if self._has_open_files() else ():
            self._log.note("output.repaired", what=one)
        for shard, files in self._left_behind().items():
            holder = self._leases[shard].holder
            if not holder or holder == self._agent:
                continue
            answer = await self._ask(holder, MarksQuestion(shard, files[:FILES_ASKED_MAX]))
            if answer is not None and answer.is_held and self._leases[shard].holder == holder:
                _repair_left(self._directory, shard, answer, self._log)

    async def _ask(self, holder: str, question: MarksQuestion) -> MarksAnswer | None:
        """Ask another agent; None without an intelligible answer (it may run another version)."""
        subject, asked = f"agent.{holder}.marks", msgspec.msgpack.encode(question)
        try:
            answer = await self._engine.request(subject, asked, seconds=ANSWER_SECONDS)
            return msgspec.msgpack.decode(answer, type=MarksAnswer)
        except (NoResponse, msgspec.MsgspecError):
            return None

    async def settle_rest(self, store: DividedStore) -> None:
        """Mend the remaining files after this agent has given away its shards, whoever holds them now."""
        await settle_files(self._directory, self._engine, store, len(self._leases), self._log)

    def _has_open_files(self) -> bool:
        """Return whether a harvester that has ended left open files of a shard that is held."""
        held, live = {held.shard for held in self._frontier.held}, self._live()
        return any(
            shard_of_file(name) in held and not harvester_of(name).endswith(tuple(live))
            for name in open_names(self._directory)
        )

    def _left_behind(self) -> dict[int, list[str]]:
        """Return the unfinished files of shards that are not held here, by shard."""
        held = {held.shard for held in self._frontier.held}
        found = _open_files(self._directory, len(self._leases))
        return {shard: files for shard, files in found.items() if shard not in held}

    async def _answer(self, data: bytes) -> bytes:
        try:
            question = msgspec.msgpack.decode(data, type=MarksQuestion)
        except msgspec.MsgspecError as error:
            raise ProtocolError(f"a question for marks that cannot be read: {error}") from error
        return msgspec.msgpack.encode(self._marks(question.shard, question.files))

    def _marks(self, shard: int, files: Iterable[str]) -> MarksAnswer:
        held = next((held for held in self._frontier.held if held.shard == shard), None)
        if held is None or not held.is_certain:
            return MarksAnswer(is_held=False)
        return _answer_from(held.frontier.outputs.marks(), files)


def _answer_from(known: Mapping[str, FileMark], files: Iterable[str]) -> MarksAnswer:
    asked = {name: known[name] for name in files if name in known}
    return MarksAnswer(
        is_held=True,
        sizes={name: mark.size for name, mark in asked.items()},
        finished=[name for name, mark in asked.items() if mark.state is not FileState.OPEN],
    )


async def settle_files(
    directory: Path, engine: Engine, store: DividedStore, shards: int, log: EventLog
) -> None:
    """Mend all unfinished files of a directory in which no agent holds a shard, whoever holds them now."""
    for shard, files in _open_files(directory, shards).items():
        partition = Partition(store, shard)
        await ShardReplica(engine, shard, partition).catch_up()
        _repair_left(directory, shard, _answer_from(FileMarks(partition).all(), files), log)


def _open_files(directory: Path, shards: int) -> dict[int, list[str]]:
    """Return the unfinished files of a crawl with this many shards, by shard."""
    found: dict[int, list[str]] = defaultdict(list)
    for name in open_names(directory):
        shard = shard_of_file(name)
        if shard is not None and shard < shards:
            found[shard].append(name)
    return found


def _repair_left(directory: Path, shard: int, marks: MarksAnswer, log: EventLog) -> None:
    # Files that a harvester still has open are skipped: it does not know yet that it lost the shard.
    for finding in examine(directory, marks.sizes, finished=marks.finished, shard=shard, reads=()):
        mend(directory, finding, now=time.time())
        log.note(
            "file.settled", file=finding.file, what=finding.what, cut=finding.cut_bytes,
            lost=finding.lost_bytes,
        )  # fmt: skip
