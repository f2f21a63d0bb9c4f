"""`tiptoe cluster try`: a whole cluster on this machine, against a simulated web; kill what you like."""

import asyncio
import contextlib
import itertools
import os
import shutil
import signal
import subprocess  # our own command line
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final

import msgspec
import uvloop
from cyclopts import Parameter
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tiptoe.cli.exits import Exit
from tiptoe.cli.printer import Printer
from tiptoe.cli.rehearse_command import PRESETS, judge_arrivals, surroundings
from tiptoe.cluster.cluster_watch import ClusterWatch
from tiptoe.cluster.credentials import read_credentials
from tiptoe.cluster.engine import EngineUnavailable
from tiptoe.cluster.engine_options import open_engine
from tiptoe.cluster.local_servers import local_servers, servers_address
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.observe.amounts import counted, human_count, human_seconds
from tiptoe.observe.process import as_interrupts
from tiptoe.observe.run_figures import read_runs
from tiptoe.settings.layers import Settings
from tiptoe.settings.units import parse_duration
from tiptoe.testing.served import SpawnedWeb, spawn_web
from tiptoe.testing.shape import WebShape
from tiptoe.write.logclock import machine_count
from tiptoe.write.output_kinds import CORPUS

__all__ = ["try_command"]

CRAWL: Final = "tiptoe"
MARK: Final = "cluster-try"
SEEDS: Final = 20
SHARDS: Final = 24
COLOURS: Final = ("green", "cyan", "magenta", "yellow", "blue", "red")
REFRESH_SECONDS: Final = 0.5
LINE_SECONDS: Final = 5.0
STOP_SECONDS: Final = 60.0
AGENTS_MAX: Final = 16


@dataclass(slots=True)
class TriedAgent:
    """One agent, run as a child process, and how it ended."""

    name: str
    command: list[str]
    console: Path
    directory: Path
    process: subprocess.Popen[bytes] | None = None
    died_at: float = 0.0
    deaths: int = 0

    def start(self) -> None:
        with self.console.open("ab") as console:
            # In a process group of its own: Ctrl-C reaches only us, and we tell the agent to leave cleanly.
            self.process = subprocess.Popen(  # noqa: S603  our own command
                self.command, stdin=subprocess.DEVNULL, stdout=console, stderr=console, process_group=0
            )
        self.died_at = 0.0

    @property
    def code(self) -> int | None:
        """Its exit code; None while it runs."""
        return self.process.poll() if self.process is not None else None

    @property
    def is_dead(self) -> bool:
        """Whether it was killed, rather than leaving by itself."""
        return self.code is not None and self.code < 0

    def interrupt(self) -> None:
        if self.process is not None and self.code is None:
            self.process.send_signal(signal.SIGINT)


@dataclass(slots=True)
class Trial:
    """Everything that was started."""

    agents: list[TriedAgent]
    comeback_seconds: float
    started_at: float = field(default_factory=time.monotonic)
    is_stopping: bool = False

    def tend(self, say: Console) -> bool:
        """Restart agents that were killed; return False when all have ended or left."""
        now = time.monotonic()
        for agent in self.agents:
            if not agent.is_dead or self.is_stopping:
                continue
            if not agent.died_at:
                agent.died_at = now
                agent.deaths += 1
                say.print(f"{agent.name} was killed; it comes back in {self.comeback_seconds:g} s")
            elif now - agent.died_at >= self.comeback_seconds:
                agent.start()
        return any(agent.code is None or (agent.is_dead and not self.is_stopping) for agent in self.agents)


@as_interrupts()
def try_command(
    *,
    agents: Annotated[int, Parameter(help="How many agents share the crawl.")] = 3,
    servers: Annotated[int, Parameter(help="How many NATS servers they meet at: 1 or 3.")] = 3,
    hosts: Annotated[int, Parameter(help="How many hosts the simulated web has.")] = 300,
    lease: Annotated[str, Parameter(help="How long a silent agent keeps its part of the crawl.")] = "6s",
    out: Annotated[
        Path, Parameter(help="Directory for everything that is written; an earlier try there is removed.")
    ] = Path("cluster-try"),
) -> int:
    """Run servers and agents on this machine, let them crawl a simulated web, and judge them by what it saw.

    The display says which process is which agent: kill one (`kill -9 PID`), stop one (`kill -STOP PID`,
    `kill -CONT PID`), and see who takes over. An agent that was killed comes back after a while.
    """
    if not 1 <= agents <= AGENTS_MAX:
        raise SettingsError(f"--agents {agents}: between 1 and {AGENTS_MAX} on one machine")
    if servers not in (1, 3):
        raise SettingsError(f"--servers {servers}: 1 or 3")
    console = Printer()
    try:
        lease_seconds = parse_duration(lease)
    except ValueError as error:
        raise SettingsError(f'--lease {lease!r}: expected a duration such as "6s"') from error
    _begin(out)
    shape = replace(WebShape.demo(1), hosts=hosts)
    record = out / "arrivals.jsonl"
    with local_servers(out / "servers", servers) as started, spawn_web(shape, record=record) as web:
        address = servers_address(started)
        settings = _settings(shape, web, address, lease)
        trial = Trial(
            [_agent(out, f"m{number}", web, settings) for number in range(1, agents + 1)],
            comeback_seconds=2 * lease_seconds,
        )
        console.print(
            f"{counted(servers, 'NATS server')}, {counted(agents, 'agent')} and a simulated web of "
            f"{counted(hosts, 'host')} on this machine; everything is in {out}.",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
        try:
            uvloop.run(_watch(trial, address, lease_seconds, console))
        finally:
            _end(trial)
    return _judge(trial, web, record, settings, console)


def _begin(out: Path) -> None:
    """Recreate the directory; remove nothing that another command has made."""
    if (out / MARK).exists():
        shutil.rmtree(out)
    elif out.exists() and any(out.iterdir()):
        raise SettingsError(f"{out}: not empty, and not from an earlier try; choose another --out")
    out.mkdir(parents=True, exist_ok=True)
    (out / MARK).touch()


WITHOUT_MODELS: Final = {"text.extraction": "all", "text.detect_language": "false"}
"""With so short a lease, a harvester that loads models on a busy machine loses it before it first reports."""


def _settings(shape: WebShape, web: SpawnedWeb, address: str, lease: str) -> dict[str, object]:
    ours = {
        key: value
        for key, value in PRESETS.items()
        if not key.startswith(("crawl.out", "revisit", "harvest"))
    }
    around = {
        key: value for key, value in surroundings(shape, web.proxy_url, web.dns_address).items() if value
    }
    return {
        **ours, **around, **WITHOUT_MODELS, "crawl.name": CRAWL,
        "cluster.servers": address, "cluster.lease": lease, "cluster.shards": SHARDS,
    }  # fmt: skip


def _agent(out: Path, name: str, web: SpawnedWeb, settings: dict[str, object]) -> TriedAgent:
    directory = out / name
    seeds = [web.web.home_of(index) for index in range(min(web.web.shape.hosts, SEEDS))]
    words = [sys.executable, "-m", "tiptoe", "crawl", *seeds, "--out", str(directory), "--agent", name]
    for key, value in settings.items():
        text = (
            ",".join(map(str, value))
            if isinstance(value, tuple)
            else str(value).lower()
            if value is True
            else value
        )
        words += ["--set", f"{key}={text}"]
    agent = TriedAgent(name, words, out / f"{name}.txt", directory)
    agent.start()
    return agent


async def _watch(trial: Trial, address: str, lease_seconds: float, console: Console) -> None:
    """Show which agent holds what until all have ended."""
    options = read_credentials(address).options(CRAWL, member="try")
    engine = None
    while engine is None:
        try:
            engine = await open_engine(options)
        except (EngineUnavailable, SettingsError):  # the crawl has not been created yet
            trial.tend(console)
            await asyncio.sleep(REFRESH_SECONDS)
    watch = ClusterWatch(engine, lease_seconds=lease_seconds, count=machine_count)
    watching = asyncio.create_task(watch.run())
    try:
        with _shown(console) as show:
            while trial.tend(console):
                show(trial, watch)
                await asyncio.sleep(REFRESH_SECONDS)
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await engine.close()


class _Shower:
    """Shows a table on a terminal, or prints a line now and then elsewhere."""

    def __init__(self, console: Console, live: Live | None) -> None:
        self._console = console
        self._live = live
        self._said_at = 0.0

    def __call__(self, trial: Trial, watch: ClusterWatch) -> None:
        if self._live is not None:
            self._live.update(_table(trial, watch))
        elif time.monotonic() - self._said_at >= LINE_SECONDS:
            self._said_at = time.monotonic()
            held = ", ".join(f"{agent.name} {len(watch.shards_of(agent.name))}" for agent in trial.agents)
            self._console.print(
                f"{human_seconds(time.monotonic() - trial.started_at)}: {counted(_pages(trial), 'page')}; "
                f"shards: {held}",
                highlight=False, soft_wrap=True,
            )  # fmt: skip


@contextlib.contextmanager
def _shown(console: Console) -> Iterator[_Shower]:
    if not console.is_terminal:
        yield _Shower(console, None)
        return
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        yield _Shower(console, live)


def _pages(trial: Trial) -> int:
    return sum(map(_pages_of, trial.agents))


def _table(trial: Trial, watch: ClusterWatch) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_row(*(Text(word, style="dim") for word in ("agent", "process", "", "shards", "their pages")))
    for agent, colour in zip(trial.agents, itertools.cycle(COLOURS), strict=False):
        pid = str(agent.process.pid) if agent.process is not None and agent.code is None else "-"
        held = watch.shards_of(agent.name)
        table.add_row(
            Text(agent.name, style=colour), Text(pid), Text(_state(agent, watch), style="dim"),
            Text(f"{len(held):3} {'■' * len(held)}", style=colour), Text(human_count(_pages_of(agent))),
        )  # fmt: skip
    free = [shard for shard, holder in watch.holders.items() if not holder]
    table.add_row(
        Text("nobody's", style="dim"), "", "", Text(f"{len(free):3} {'□' * len(free)}", style="dim"), ""
    )
    seconds = human_seconds(time.monotonic() - trial.started_at)
    table.add_row(
        Text("all", style="bold"), "", Text(seconds), "", Text(human_count(_pages(trial)), style="bold")
    )
    return table


def _state(agent: TriedAgent, watch: ClusterWatch) -> str:
    if agent.code == Exit.DONE:
        return "has ended"
    if agent.code is not None:
        return "was killed" if agent.is_dead else "has left"
    return "at work" if watch.agents.is_heard(agent.name, machine_count()) else "not heard"


def _pages_of(agent: TriedAgent) -> int:
    last = read_runs(agent.directory).last if agent.code is None else None
    return 0 if last is None else last.pages


def _end(trial: Trial) -> None:
    """Let all agents leave cleanly, also after Ctrl-C."""
    trial.is_stopping = True
    deadline = time.monotonic() + STOP_SECONDS
    for agent in trial.agents:
        agent.interrupt()
    for agent in trial.agents:
        if agent.process is not None:
            try:
                agent.process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.kill(agent.process.pid, signal.SIGCONT)  # it may have been stopped
                agent.process.kill()
                agent.process.wait()


class _Line(msgspec.Struct):
    url: str


def _judge(trial: Trial, web: SpawnedWeb, record: Path, settings: dict[str, object], console: Console) -> int:
    """Print what the servers saw, and whether any page is in two corpora."""
    decode = msgspec.json.Decoder(_Line).decode
    found = Counter(
        decode(line).url
        for agent in trial.agents
        for path in CORPUS.files(agent.directory)
        for line in path.read_bytes().splitlines()
    )
    twice = [url for url, count in found.items() if count > 1]
    has_ended = all(agent.code == Exit.DONE for agent in trial.agents)
    console.print(
        f"\n{'The crawl has ended' if has_ended else 'Stopped'} after "
        f"{human_seconds(time.monotonic() - trial.started_at)}: {counted(len(found), 'document')} from "
        f"{counted(len(trial.agents), 'agent')}, {counted(len(twice), 'of them twice', 'of them twice')}; "
        f"{_deaths_text(sum(agent.deaths for agent in trial.agents))}.",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    judge_arrivals(Settings.load(overrides=settings), web, record, 0, console)
    if twice:
        raise CrawlerError(f"{twice[0]} stands in two corpora; please report this")
    return Exit.DONE if has_ended else Exit.INTERRUPTED


def _deaths_text(count: int) -> str:
    return f"an agent was lost {counted(count, 'time')}" if count else "no agent was lost"
