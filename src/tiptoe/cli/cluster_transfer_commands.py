"""`tiptoe cluster import|export`: a crawl on one machine becomes one on many, and the other way round."""

import asyncio
import shutil
import time
from contextlib import closing
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from tiptoe.cli.arguments import Directory
from tiptoe.cli.bar import bar
from tiptoe.cli.cluster_target import OPERATOR, ClusterCrawl, CrawlName, open_crawl, opened_engine
from tiptoe.cli.exits import Exit
from tiptoe.cli.member_crawl import engine_options
from tiptoe.cluster.cluster_operator import ClusterOperator
from tiptoe.cluster.command_row import CommandRow
from tiptoe.cluster.crawl_record import CrawlRecord, join_crawl, read_record, read_urls
from tiptoe.cluster.crawl_transfer import apply_losses, apply_orders, apply_wishes, bring_in, take_out
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.member import machine_clocks
from tiptoe.cluster.member_file import MemberNote, read_member, write_member
from tiptoe.cluster.shard_clock import ClockReading
from tiptoe.cluster.shard_division import divide
from tiptoe.cluster.shard_labels import ShardLabels, label_rules
from tiptoe.compose_member import agent_name
from tiptoe.compose_rules import frontier_policy
from tiptoe.errors import SettingsError
from tiptoe.forget.journal import nothing_removed, put_on_record
from tiptoe.frontier.filemarks import FileMarks
from tiptoe.frontier.imported_files import ImportedFiles
from tiptoe.frontier.runs import stored_timing
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.settings_file import recall, remember
from tiptoe.observe.amounts import counted
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import remembered_value, to_remember, to_share
from tiptoe.settings.schema import SETTINGS
from tiptoe.store.partition import PARTITION_BYTES, Partition
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Store
from tiptoe.write.recovery import path_of

__all__ = ["export_command", "import_command"]

SHARDS: Final = Path("state", "frontier.shards")
"""The database being made; for an export, the shards that are read."""

BEFORE: Final = Path("state", "frontier.before-import")
"""The database of the crawl on one machine: kept, but no longer used."""

MADE: Final = Path("state", "frontier.part")
BUFFER_BYTES: Final = 32 << 20


# -- import ------------------------------------------------------------------


def import_command(
    directory: Directory,
    *,
    cluster: Annotated[
        str, Parameter(help="Credentials file, or addresses of the servers, as for `tiptoe crawl`.")
    ],
    shards: Annotated[
        int, Parameter(help="Number of parts to divide the crawl into; by default as in the settings.")
    ] = 0,
    affinity: Annotated[
        tuple[str, ...], Parameter(help="Labels for parts of the web, such as sk=.sk: see cluster.affinity.")
    ] = (),
    agent: Annotated[
        str, Parameter(help="Name of this machine in the cluster; by default its host name.")
    ] = "",
) -> int:
    """Turn a crawl on this machine into one that many machines share."""
    if read_member(directory) is not None:
        raise SettingsError(f"{directory}: takes part in a crawl on many machines already")
    remembered = recall(directory)
    if remembered is None:
        raise SettingsError(f"{directory}: there is no crawl here")
    given: dict[str, object] = {"cluster.servers": cluster, "cluster.affinity": list(affinity)}
    given |= {"cluster.shards": shards} if shards else {}
    given |= {"cluster.agent": agent} if agent else {}
    settings = Settings.load(remembered=remembered, overrides=given)
    home = CrawlDirectory(directory)
    home.claim([], is_shared=True)
    try:
        asyncio.run(_expect_no_crawl(settings))
        clock = _divide(directory, settings)
        record = asyncio.run(_bring_in(home, settings, clock))
    finally:
        home.release()
    print(
        f"crawl {settings.shared_name} has {counted(record.shards, 'shard')} on the servers now; go on here, "
        f"and on any other machine with another --out:\n"
        f"    tiptoe crawl --out {directory} --cluster {cluster}"
    )
    return Exit.DONE


async def _expect_no_crawl(settings: Settings) -> None:
    async with opened_engine(engine_options(settings)) as engine:
        if await read_record(engine) is not None:
            name = settings.shared_name
            raise SettingsError(
                f"there is a crawl {name!r} on these servers already; if an import of this one was "
                f"broken off, say `tiptoe cluster remove SERVERS --name {name} --yes`, with what --cluster "
                "says for SERVERS, and import it again"
            )


def _divide(directory: Path, settings: Settings) -> ClockReading:
    """Divide the database of a crawl into shards, in a new directory; return the reading of its clock."""
    # An interrupted import may already have moved it away and put the shards in its place.
    source = directory / (BEFORE if (directory / BEFORE).exists() else DATABASE)
    shutil.rmtree(directory / SHARDS, ignore_errors=True)
    labels = ShardLabels(settings.cluster.shards, label_rules(settings.cluster.affinity))
    with _opened(source) as whole, _opened(directory / SHARDS, is_divided=True) as parts:
        timing, now = stored_timing(whole), machine_clocks()()
        targets = [Partition(parts, shard) for shard in range(settings.cluster.shards)]
        with bar("hosts") as shown:
            divide(
                whole, targets, labels, imported=_files_here(directory, whole, agent_name(settings)),
                tell=lambda count: shown.advance(1000),
            )  # fmt: skip
    moment = now.count + timing.offset_on(now.boot, count=now.count, wall=now.wall)
    return ClockReading(now.boot, now.count, moment, now.wall - moment)


def _files_here(directory: Path, whole: Store, agent: str) -> ImportedFiles:
    """Return the files that would be lost with this machine: not those moved away, for instance."""
    return ImportedFiles(agent, [name for name in FileMarks(whole).all() if path_of(directory, name)])


async def _bring_in(home: CrawlDirectory, settings: Settings, clock: ClockReading) -> CrawlRecord:
    """Copy the shards to the servers; from then on, the crawl can only be continued there."""
    path, shards = home.path, settings.cluster.shards
    async with opened_engine(engine_options(settings)) as engine:
        with _opened(path / SHARDS, is_divided=True) as parts, bar("shards", total=shards) as shown:
            await bring_in(
                engine, parts, shards, agent=agent_name(settings), clock=clock,
                tell=lambda shard: shown.advance(),
            )  # fmt: skip
        # Before others can find the crawl: whatever happens from here on, the old one cannot be continued.
        if not (path / BEFORE).exists():
            (path / DATABASE).rename(path / BEFORE)
        shutil.rmtree(path / DATABASE, ignore_errors=True)  # shards of an interrupted import
        record, is_new = await join_crawl(
            engine, shards=shards, settings=to_share(settings), seeds=home.known_seeds() or [],
            downloaded=[], created_at=time.time(),
        )  # fmt: skip
        if not is_new:
            raise SettingsError(f"somebody has created a crawl {settings.shared_name!r} at the same time")
    (path / SHARDS).rename(path / DATABASE)
    remember(path, to_remember(settings))
    write_member(
        path,
        MemberNote(
            servers=str(remembered_value(settings, "cluster.servers")), crawl=settings.shared_name,
            agent=agent_name(settings), identity=record.identity,
        ),
    )  # fmt: skip
    return record


# -- export ------------------------------------------------------------------


def export_command(
    target: ClusterCrawl,
    *,
    out: Annotated[Path, Parameter(help="New directory for the crawl.")],
    name: CrawlName = "",
) -> int:
    """Turn a crawl that many machines shared into one on this machine alone."""
    if (out / MARKER).exists():
        raise SettingsError(f"--out {out}: there is a crawl here already; name a new directory")
    asyncio.run(_export(target, name, out))
    print(
        f"continue the crawl with:\n    tiptoe crawl --out {out}\nThe files of its members are where they "
        "were. On the servers it is as it was, and must not be gone on with: `tiptoe cluster remove`"
    )
    return Exit.DONE


async def _export(target: str, name: str, out: Path) -> None:
    async with open_crawl(target, name) as engine:
        record = await read_record(engine)
        if record is None:
            raise SettingsError("nobody has begun this crawl; there is nothing to export")
        settings = Settings.load(remembered={**_own_settings(target), **record.settings})
        seeds = await read_urls(engine, f"seeds.{record.identity}")
        home = CrawlDirectory(out)
        home.expect_unused()
        home.take_lock()
        try:
            await _take_out(engine, record, settings, out)
            remember(out, to_remember(settings))
            # Last: an interrupted export must not look like a crawl that has yet to request everything.
            home.begin_seeded(seeds)
        finally:
            home.release()
            for left in (SHARDS, MADE):
                shutil.rmtree(out / left, ignore_errors=True)


def _own_settings(target: str) -> dict[str, object]:
    """Return the settings that concern only the machine of a member: how it reaches the web, for instance."""
    is_member = "://" not in target and Path(target).is_dir()
    remembered = (recall(Path(target)) if is_member else None) or {}
    return {
        name: value
        for name, value in remembered.items()
        if SETTINGS[name].is_local and SETTINGS[name].section != "cluster"
    }


async def _take_out(engine: Engine, record: CrawlRecord, settings: Settings, out: Path) -> None:
    labels = ShardLabels(record.shards, label_rules(settings.cluster.affinity))
    policy = frontier_policy(settings)
    commands = CommandRow(await ClusterOperator(engine, name=OPERATOR).history())
    with (
        _opened(out / SHARDS, is_divided=True) as parts,
        _opened(out / MADE) as whole,
        bar("shards", total=record.shards) as shown,
    ):
        await take_out(
            engine, parts, whole, shards=record.shards, plan=labels, policy=policy,
            machine_time=machine_clocks(), lease_seconds=settings.cluster.lease,
            tell=lambda shard: shown.advance(),
        )  # fmt: skip
        now = machine_clocks()()
        offset = stored_timing(whole).offset_on(now.boot, count=now.count, wall=now.wall)
        moment = now.count + offset
        apply_wishes(whole, wishes := commands.wishes())
        apply_orders(whole, policy, commands.standing_orders(), now=moment)
        again = await apply_losses(
            engine, whole, policy, out, robot=settings.crawl.name, shards=record.shards, now=moment
        )
        if wishes:
            whole.purge()
    if again:
        print(f"{counted(again, 'page')} that members have lost will be requested again")
    for one in wishes:
        put_on_record(out, nothing_removed(one.wish, at=time.time()))
    (out / MADE).rename(out / DATABASE)


def _opened(path: Path, *, is_divided: bool = False) -> "closing[RocksStore]":
    return closing(
        RocksStore(
            path, block_cache_bytes=BUFFER_BYTES, write_buffer_bytes=BUFFER_BYTES,
            prefix_bytes=PARTITION_BYTES if is_divided else 0,
        )
    )  # fmt: skip
