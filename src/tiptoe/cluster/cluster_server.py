"""What does the keeper of one server of a cluster do while it runs?

It starts the server, watches it, and makes sure that all servers have the same book: it sends out its own
when it starts, whenever a new server appears, and when it receives one that differs.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from tiptoe.cluster.cluster_book import ClusterBook
from tiptoe.cluster.engine import EngineUnavailable
from tiptoe.cluster.nats_server import NatsServer
from tiptoe.cluster.nats_server_link import ServerLink, ServerSeen
from tiptoe.cluster.server_directory import ServerDirectory
from tiptoe.errors import SettingsError

__all__ = ["ClusterServer"]

LOOK_SECONDS = 2.0


class ClusterServer:
    """One server of a cluster, from start to stop."""

    def __init__(self, directory: ServerDirectory, *, routes: Sequence[str] = ()) -> None:
        self._directory = directory
        self._routes = tuple(routes)
        self._server = NatsServer(directory.options(self._routes))
        self._writing = asyncio.Lock()

    @property
    def pid(self) -> int:
        return self._server.pid

    def start(self) -> None:
        """Start the server; raise SettingsError when it does not start."""
        self._directory.make_certificate()
        self._server.start()

    def stop(self) -> None:
        """Stop the server."""
        self._server.stop()

    async def look_after(
        self, show: Callable[[list[ServerSeen]], object], *, look_seconds: float = LOOK_SECONDS
    ) -> str:
        """Keep the book up to date and show the servers until this one ends; return its last log lines."""
        async with ServerLink.to(self._directory.system_credentials()) as link:
            await link.hear(lambda told: self._heard(link, told))
            known: set[str] = set()
            while self._server.is_running:
                with suppress(EngineUnavailable):
                    seen = await link.look(self._directory.book.size)
                    names = {server.name for server in seen}
                    if names - known:
                        await link.share(self._directory.book, len(names))
                    known = names
                    show(seen)
                await asyncio.sleep(look_seconds)
        return self._server.last_words()

    async def _heard(self, link: ServerLink, told: ClusterBook) -> str:
        """Merge the book of another server; return the name of this server when it has that book too."""
        async with self._writing:
            own = self._directory.book
            try:
                book = own.merged(told)
            except SettingsError:
                return ""
            if book != own:
                self._directory.update(book)
                self._server.options = self._directory.options(self._routes)
                self._server.write_configuration()
                with suppress(EngineUnavailable):
                    await link.reload(self._directory.own.name)
        if book != told:
            # Not awaited: the message comes back to this server, too.
            self._telling = asyncio.create_task(self._tell(link, book))
        return self._directory.own.name

    async def _tell(self, link: ServerLink, book: ClusterBook) -> None:
        with suppress(EngineUnavailable):
            await link.share(book, 0)
