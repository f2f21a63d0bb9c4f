"""A keeper without harvesters, for commands to talk to."""

import asyncio
import contextlib
import io
import threading
from collections.abc import Iterator
from pathlib import Path

from tiptoe.compose import LiveSettings
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.commands import answer
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.keeper import Keeper, KeeperPlan
from tiptoe.keeper.settings_file import remember
from tiptoe.keeper.supervisor import Supervisor
from tiptoe.observe.eventlog import EventLog
from tiptoe.settings.layers import Settings
from tiptoe.store.memory import MemoryStore


def make_keeper(directory: Path) -> Keeper:
    """Return a keeper whose supervisor is empty and whose state is in memory."""
    log = EventLog("keeper", io.StringIO())
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    plan = KeeperPlan(directory=directory, settings={})
    live = LiveSettings(Settings(), directory)
    return Keeper(
        frontier, plan, Supervisor([], log), log, Clock(), repair=lambda *_, **__: [], answer=answer,
        change=live.change,
    )  # fmt: skip


@contextlib.contextmanager
def running_keeper(path: Path) -> Iterator[Keeper]:
    """Hold a crawl directory and answer on its socket, in a thread with a loop of its own."""
    directory = CrawlDirectory(path)
    directory.claim(["https://a.example/"], before_first=lambda: remember(path, {}))
    is_open, over = threading.Event(), threading.Event()
    keepers: list[Keeper] = []

    async def serve() -> None:
        keepers.append(make_keeper(path))
        server = await asyncio.start_unix_server(keepers[0].reception.serve, str(directory.socket))
        async with server:
            is_open.set()
            while not over.is_set():
                if keepers[0].is_stopping:
                    directory.release()
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert is_open.wait(30.0)
    try:
        yield keepers[0]
    finally:
        over.set()
        thread.join()
        directory.release()
