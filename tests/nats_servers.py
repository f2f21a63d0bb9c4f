"""Real NATS servers for tests, and a link to them that can be cut."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

from tiptoe.cluster.local_servers import free_ports, local_servers
from tiptoe.cluster.nats_server import NatsServer, ServerOptions

__all__ = ["PASSWORD", "USER", "Link", "clustered_servers", "free_ports", "single_server"]

USER = "member"
PASSWORD = "not to be guessed"


@contextlib.contextmanager
def single_server(directory: Path) -> Iterator[NatsServer]:
    """Run one server."""
    options = ServerOptions(
        name="alone", directory=directory, port=free_ports(1)[0], user=USER, password=PASSWORD
    )
    server = NatsServer(options)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def clustered_servers(
    directory: Path, count: int = 3, *, tells_of_others: bool = True
) -> contextlib.AbstractContextManager[list[NatsServer]]:
    """Run several servers that keep everything together."""
    return local_servers(directory, count, password=PASSWORD, tells_of_others=tells_of_others)


class Link:
    """A way to a server that can lose answers, and be cut and mended."""

    def __init__(self, port: int) -> None:
        self.is_deaf = False  # what the server says gets lost
        self.port = 0
        self._to = port
        self._is_cut = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._near: set[asyncio.StreamWriter] = set()  # those of members
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self.cut()
        assert self._server is not None
        self._server.close()
        await asyncio.sleep(0)

    def cut(self) -> None:
        """Break all connections, and let no new one come about."""
        self._is_cut = True
        for writer in self._writers:
            writer.close()

    def say(self, data: bytes) -> None:
        """Have members believe that the server has said something."""
        for writer in self._near:
            writer.write(data)

    def mend(self) -> None:
        self._is_cut = False
        self.is_deaf = False

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.close()
            return
        with contextlib.suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
            both = {writer, far_writer}
            self._writers |= both
            self._near.add(writer)
            await asyncio.gather(
                self._pump(reader, far_writer, is_back=False), self._pump(far_reader, writer, is_back=True)
            )
            self._writers -= both
            self._near.discard(writer)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_back: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if not (is_back and self.is_deaf):
                    writer.write(data)
                    await writer.drain()
        writer.close()
