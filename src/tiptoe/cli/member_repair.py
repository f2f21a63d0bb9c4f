"""`tiptoe repair` for a member of a crawl on many machines.

Its database is a copy of what the logs of the shards say: a damaged one is set aside, and rebuilt from them.
What its files should hold is known to their shards, so those are read from the servers first; the agents that
hold the shards request lost pages again.
"""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from tiptoe.cli.bar import Bytes, bar
from tiptoe.cluster.crawl_record import go_on, read_record
from tiptoe.cluster.credentials import read_credentials
from tiptoe.cluster.damage_notes import leave_note, read_notes
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.engine_options import open_engine
from tiptoe.cluster.forgotten_notes import note_thinned
from tiptoe.cluster.member_file import MemberNote
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.errors import DamagedDatabase, ProtocolError, SettingsError
from tiptoe.frontier.filemarks import FileState
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.output_repair import OutputRepair
from tiptoe.keeper.rescue import BUFFER_BYTES, check_database, free_name
from tiptoe.observe.amounts import human_count
from tiptoe.store.partition import PARTITION_BYTES, Partition
from tiptoe.store.pending import PendingStore
from tiptoe.store.rocks import RocksStore
from tiptoe.write.archive import Advance
from tiptoe.write.output_kinds import KINDS, shard_of_file

__all__ = ["check_member_database", "check_member_files"]


def check_member_database(directory: Path, console: Console, *, is_check: bool) -> int:
    """Read the database, and set a damaged one aside unless `is_check`; return the number of problems."""
    path = directory / DATABASE
    if not path.exists():
        return 0
    try:
        with bar("reading the database", Bytes) as shown:
            check_database(path, shown.advance)
    except DamagedDatabase as error:
        if is_check:
            console.print(escape(str(error)), soft_wrap=True)
        else:
            aside = free_name(path)
            path.rename(aside)
            console.print(
                escape(
                    f"{path}: the database is damaged. It is a copy of what the servers have, and taken from "
                    f"there anew; the damaged one is now {aside}, remove it when you like"
                ),
                soft_wrap=True,
            )
        return 1
    return 0


def check_member_files(
    directory: Path, member: MemberNote, console: Console, *, is_check: bool, are_lost: bool
) -> int:
    """Read all files, and repair them unless `is_check`; return the number of problems."""
    return asyncio.run(_check_files(directory, member, console, is_check=is_check, are_lost=are_lost))


async def _check_files(
    directory: Path, member: MemberNote, console: Console, *, is_check: bool, are_lost: bool
) -> int:
    options = read_credentials(member.servers).options(member.crawl, member=f"{member.agent}-repair")
    engine = await open_engine(options)
    store = RocksStore(
        directory / DATABASE, block_cache_bytes=BUFFER_BYTES, write_buffer_bytes=BUFFER_BYTES,
        prefix_bytes=PARTITION_BYTES,
    )  # fmt: skip
    problems = 0
    try:
        record = await read_record(engine)
        if record is None or record.identity != member.identity:
            raise SettingsError(f"{member.crawl}: there is no such crawl on these servers any more")
        with bar("reading the files", Bytes) as shown:
            for shard in sorted(set(_shards_of_files(directory))):
                partition = Partition(store, shard)
                await ShardReplica(engine, shard, partition).catch_up()
                check = _ShardCheck(directory, engine, shard, partition, shown.advance)
                for line in await check.run(is_check=is_check, are_lost=are_lost):
                    problems += 1
                    console.print(escape(line), soft_wrap=True)
    finally:
        store.close()
        await engine.close()
    return problems


def _shards_of_files(directory: Path) -> Iterator[int]:
    """Yield the shards that have files here, with repetitions."""
    for kind in KINDS:
        for path in (directory / kind.folder).glob("*"):
            try:
                shard = shard_of_file(f"{kind.folder}/{path.name.removesuffix('.open')}")
            except ProtocolError:
                continue  # not a file of a harvester
            if shard is not None:
                yield shard


class _ShardCheck:
    """Compares the files of one shard with what the shard knows about them."""

    def __init__(
        self, directory: Path, engine: Engine, shard: int, partition: Partition, advance: Advance
    ) -> None:
        self._directory = directory
        self._engine = engine
        self._shard = shard
        # The copy must stay that of the log: what the frontier writes during the check does not reach it.
        self._frontier = Frontier(PendingStore(partition), FrontierPolicy())
        self._repair = OutputRepair(directory, self._frontier, now=time.time(), shard=shard, advance=advance)

    async def run(self, *, is_check: bool, are_lost: bool) -> list[str]:
        """Return what is or was wrong; problems that its holder has yet to be told of are known already."""
        for damage in await read_notes(self._engine, self._shard):
            self._repair.account_for(damage)
        await note_thinned(self._engine, self._shard, self._frontier)
        marks = self._frontier.outputs.marks()
        findings = self._repair.examine(reads=set(marks))
        if is_check:
            return [line for finding in findings if (line := self._repair.describe(finding))]
        away = [name for name, mark in marks.items() if mark.state is FileState.AWAY] if are_lost else []
        away = [name for name in away if not (self._directory / name).exists()]
        if are_lost:
            away += [finding.file for finding in findings if finding.what == "away"]
            findings = [finding for finding in findings if finding.what != "away"]
        damage, told = self._repair.put_right_for(findings, away)
        if damage.losses or damage.marks:
            await leave_note(self._engine, self._shard, damage)
        if damage.losses:
            await go_on(self._engine)
            pages = human_count(len(damage.losses))
            told.append(f"shard {self._shard}: {pages} pages lost something; its holder asks for them again")
        return told
