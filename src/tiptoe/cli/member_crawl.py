"""`tiptoe crawl --cluster`: take part in a crawl on many machines.

The first machine creates the crawl, all others join it and use its settings.
"""

import dataclasses
import time
from dataclasses import dataclass
from pathlib import Path

import uvloop
from rich.console import Console
from rich.markup import escape

from tiptoe.cli.catalog_companion import cataloguing
from tiptoe.cli.companion import converting
from tiptoe.cli.crawl_command import check_encoding, host_settings, refused_seeds, session_plan
from tiptoe.cli.display import LiveDisplay
from tiptoe.cli.exits import Exit, exit_of
from tiptoe.cli.inputs import read_downlist, read_token
from tiptoe.cli.member_status import member_rows
from tiptoe.cli.options import Layers
from tiptoe.cli.past import Past
from tiptoe.cli.printer import leave_dead_terminal
from tiptoe.cli.summary import print_summary
from tiptoe.cluster.cluster_operator import ClusterOperator, last_command, read_wishes
from tiptoe.cluster.crawl_record import CrawlRecord, join_crawl, read_record, widen_crawl
from tiptoe.cluster.credentials import read_credentials
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.engine_options import EngineOptions, open_engine
from tiptoe.cluster.lost_members import expect_not_lost
from tiptoe.cluster.member_file import MemberNote, read_member, write_member
from tiptoe.cluster.server_wait import wait_for_servers
from tiptoe.cluster.shard_labels import label_rules, labels_taken
from tiptoe.compose import LiveSettings, keeper_plan
from tiptoe.compose_member import agent_name, build_member, member_settings, open_member_store
from tiptoe.compose_rules import access_rules, build_canonicalizer
from tiptoe.errors import DiskFull, SettingsError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.fulldisk import wait_for_room
from tiptoe.keeper.plan import SessionPlan
from tiptoe.keeper.session import Session
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.process import as_interrupts, spare_the_collector
from tiptoe.protocol.operator import BlockHost, SlowHost
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import changes_between, remembered_value, to_share
from tiptoe.settings.schema import SETTINGS

__all__ = ["engine_options", "run_member"]

REPLICAS_WANTED = 3
"""Number of servers that store each item, if there are that many: then any one of them can be lost."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A crawl that this machine takes part in."""

    engine: Engine
    record: CrawlRecord
    settings_known: int  # the last command whose changes are in the record
    is_new: bool  # it was created by this run


def engine_options(settings: Settings) -> EngineOptions:
    """Return how a member reaches the servers, with the permission to create what is missing."""
    credentials = read_credentials(settings.cluster.servers)
    if credentials.crawl and not settings.cluster.crawl and credentials.crawl != settings.shared_name:
        raise SettingsError(
            f"{settings.cluster.servers}: only for crawl {credentials.crawl!r}; "
            f"say --crawl-name {credentials.crawl}"
        )
    replicas = max(
        credentials.replicas, REPLICAS_WANTED if len(credentials.servers) >= REPLICAS_WANTED else 1
    )
    return credentials.options(settings.shared_name, member=agent_name(settings), replicas=replicas)


@as_interrupts()
def run_member(
    settings: Settings, layers: Layers, urls: list[str], console: Console, *, past: Past,
    adds_seeds: bool = False,
) -> Exit:  # fmt: skip
    """Take part in a crawl from joining to leaving; return how it ended."""
    directory = CrawlDirectory(Path(settings.crawl.out))
    _refuse_single_crawl(directory.path)
    past.refuse_unchangeable(settings)
    check_encoding(settings)
    return uvloop.run(_take_part(settings, layers, urls, console, directory, past, adds_seeds=adds_seeds))


def _refuse_single_crawl(path: Path) -> None:
    if (path / MARKER).exists() and read_member(path) is None:
        raise SettingsError(
            f"{path}: holds a crawl that lives on this machine alone; choose another --out, or see "
            "`tiptoe cluster import --help`"
        )


async def _take_part(
    settings: Settings, layers: Layers, urls: list[str], console: Console, directory: CrawlDirectory,
    past: Past, *, adds_seeds: bool,
) -> Exit:  # fmt: skip
    options = engine_options(settings)
    engine, found, known = await wait_for_servers(
        lambda: _reach(options),
        lambda said: console.print(escape(said), highlight=False, soft_wrap=True),
    )
    try:
        await expect_not_lost(engine, agent_name(settings))
        downlist = read_downlist(settings, build_canonicalizer(settings))
        if found is None:
            _expect_known_labels(settings)
            await _order_host_settings(engine, settings)
        record, is_new = await join_crawl(
            engine,
            shards=settings.cluster.shards,
            settings=to_share(settings),
            seeds=urls,
            downloaded=downlist.urls if downlist else [],
            created_at=time.time(),
        )
        agreed = settings if is_new else _agreed_settings(settings, layers, record, past, console)
        _expect_known_labels(agreed)
        _expect_same_crawl(directory.path, record)
        if not is_new:
            if adds_seeds:
                _expect_within_bounds(Settings.load(remembered=record.settings), urls)
            await widen_crawl(engine, record, urls, adds=adds_seeds)
        begun = "created" if is_new else "joined"
        console.print(
            f"{begun} crawl {agreed.shared_name} as agent {agent_name(agreed)}: {record.shards} shards",
            highlight=False,
            soft_wrap=True,
        )
        joined = Joined(engine, record, known, is_new=is_new)
        return await _run(agreed, joined, urls, console, directory, past, adds_seeds=adds_seeds)
    finally:
        await engine.close()


def _expect_known_labels(settings: Settings) -> None:
    """Refuse to take labels that the crawl does not define, before it is created or joined."""
    labels_taken(settings.cluster.takes, label_rules(settings.cluster.affinity))


def _expect_within_bounds(settings: Settings, urls: list[str]) -> None:
    """Refuse seeds outside the bounds that all machines of the crawl share."""
    for url, bound in refused_seeds(settings, urls):
        raise SettingsError(
            f"{url} is left out by {bound}, by which all machines of this crawl go; begin another crawl"
        )


async def _reach(options: EngineOptions) -> tuple[Engine, CrawlRecord | None, int]:
    """Connect to servers that answer; return the existing crawl, if any, and its last command."""
    engine = await open_engine(options)
    try:
        known = await last_command(engine)  # read before the record, so that no change of settings is missed
        return engine, await read_record(engine), known
    except BaseException:
        await engine.close()
        raise


async def _order_host_settings(engine: Engine, settings: Settings) -> None:
    """Block and slow the hosts that the settings of a new crawl name, before any member takes part."""
    blocked, slowed = host_settings(settings)
    operator = ClusterOperator(engine, name="settings")
    orders: list[BlockHost | SlowHost] = [
        *map(BlockHost, blocked),
        *(SlowHost(host, delay) for host, delay in slowed.items()),
    ]
    for order in orders:
        await operator.give(order, seconds=0.0)


def _agreed_settings(
    settings: Settings, layers: Layers, record: CrawlRecord, past: Past, console: Console
) -> Settings:
    """Return the settings of the crawl, completed by those of this machine; contradictions are an error.

    Repeating the value with which the crawl was created, as running the same command again does, is no
    contradiction: the setting may have been changed for all members since.
    """
    own = {name: value for name, value in (past.values or {}).items() if SETTINGS[name].is_local}
    agreed = Settings.load(remembered={**own, **record.settings})
    first = Settings.load(remembered={**own, **record.first_settings})
    wanted = layers.load(remembered={**own, **record.settings})
    changes = [change for change in changes_between(agreed, wanted) if not SETTINGS[change.name].is_local]
    old = [change for change in changes if wanted.value(change.name) == first.value(change.name)]
    if len(old) < len(changes):
        new = [change for change in changes if change not in old]
        text = "\n".join(f"  {one.name}: {one.before} in the crawl, {one.after} here" for one in new)
        raise SettingsError(
            f"the crawl {settings.shared_name} has other settings than were given here:\n{text}\n"
            "leave them out to go by those of the crawl; `tiptoe set` changes some of them for all members"
        )
    for change in old:
        console.print(
            f"set for all members since the crawl began: {change.name} {change.before} (here {change.after})",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    forced = {change.name: SETTINGS[change.name].plain(agreed.value(change.name)) for change in old}
    return layers.load(remembered={**own, **record.settings}, forced=forced)


def _expect_same_crawl(path: Path, record: CrawlRecord) -> None:
    note = read_member(path)
    if note is not None and note.identity != record.identity:
        raise SettingsError(
            f"{path}: belongs to a crawl that was called {note.crawl} before, and was removed; "
            "choose another --out"
        )


async def _run(
    settings: Settings, joined: Joined, urls: list[str], console: Console, directory: CrawlDirectory,
    past: Past, *, adds_seeds: bool,
) -> Exit:  # fmt: skip
    token = read_token(settings)
    access_rules(settings)  # the harvesters of every machine read these: report mistakes now
    live = LiveSettings(settings, directory.path, adapt=member_settings)
    new = directory.claim(urls, adds_seeds=adds_seeds, before_first=live.remember, is_shared=True)
    try:
        note = MemberNote(
            servers=str(remembered_value(settings, "cluster.servers")), crawl=settings.shared_name,
            agent=agent_name(settings), identity=joined.record.identity,
        )  # fmt: skip
        write_member(directory.path, note)
        await _forget(joined, note, settings, directory.path, console)
        plan = dataclasses.replace(
            session_plan(settings, past), seeds=new if joined.is_new else [],
            listen=settings.harvest.listen, remember=live.remember, change=live.change,
            note=lambda said: console.print(said, highlight=False, soft_wrap=True),
        )  # fmt: skip
        while (ended := await _run_session(live, joined, directory, plan, token, console)) is None:
            console.print(f"The disk is full: others go on, until there is room in {directory.path}.")
            if not await wait_for_room(directory, free_min=settings.write.disk_free_min):
                return Exit.INTERRUPTED
        return ended
    finally:
        directory.release()


async def _forget(
    joined: Joined, note: MemberNote, settings: Settings, directory: Path, console: Console
) -> None:
    """Carry out what owners want to be forgotten in the files of this machine, before anything else."""
    if not await read_wishes(joined.engine):
        return
    # Imported here, because it imports the catalog, which a crawl otherwise does not need.
    from tiptoe.cli.member_forget import forget_here

    await forget_here(joined.engine, note, settings, joined.record.shards, directory, console)


async def _run_session(
    live: LiveSettings, joined: Joined, directory: CrawlDirectory, plan: SessionPlan, token: str,
    console: Console,
) -> Exit | None:  # fmt: skip
    """Take part until this member leaves or the crawl ends; return None if the disk was found full."""
    settings = member_settings(live.settings)
    store = open_member_store(settings, directory.path)
    try:
        log = EventLog.at(directory.path / "log" / "keeper.log", "keeper")
        record = joined.record
        member = build_member(
            settings, directory, joined.engine, store, record, plan, log,
            settings_known=joined.settings_known, seconds_max=lambda: live.settings.crawl.max_seconds,
        )  # fmt: skip
        keeper = keeper_plan(
            settings, directory.path.absolute(), token, record.identity, shards=record.shards,
            agent=agent_name(settings),
        )  # fmt: skip
        session = Session(directory, member, keeper, plan, log)
        with (
            converting(settings),
            cataloguing(settings),
            LiveDisplay(console, beside=lambda: member_rows(member.whole)) as display,
        ):
            spare_the_collector()
            await session.run(display.show, on_hangup=leave_dead_terminal)
            display.print_repairs(session.keeper)
        scope = [f"{name}: {one}" for name, one in member_rows(member.whole)]
        print_summary(console, session.keeper, live.settings, directory.path, scope=scope)
        return exit_of(session.keeper.figures.stopped_because, pages=member.pages)
    except DiskFull:
        return None
    finally:
        store.close()
