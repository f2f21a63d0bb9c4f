"""How are connections from other machines accepted?

One after the other and not too fast, so that the keeper has time for its harvesters, and for the operator on
a separate socket, however many callers there are. A caller that is turned away is disconnected at once.
"""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable

from tiptoe.keeper.door import Door, TurnedAway

__all__ = ["Listener", "listen_at"]

BACKLOG = 128
ACCEPT_SECONDS = 0.005
"""Pause after each caller: at most two hundred a second are accepted, more than harvesters ever need."""

OUT_OF_FILES_SECONDS = 1.0

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str, Callable[[], None]], Awaitable[None]]
"""Talks to a caller from this address; calls back once it has shown the token."""


async def listen_at(host: str, port: int) -> list[socket.socket]:
    """Open listening sockets at a host and port; OSError if that fails."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    with contextlib.ExitStack() as stack:
        opened = []
        for family, address in dict.fromkeys((family, address) for family, _, _, _, address in found):
            one = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family is socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind(address)
            one.listen(BACKLOG)
            one.setblocking(False)
            opened.append(one)
        stack.pop_all()
    return opened


class Listener:
    """Accepts callers at some sockets while its context is entered."""

    def __init__(
        self, sockets: list[socket.socket], door: Door, serve: Serve,
        turned_away: Callable[[str, TurnedAway], None],
    ) -> None:  # fmt: skip
        self._sockets = sockets
        self._door = door
        self._serve = serve
        self._turned_away = turned_away
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Listener":
        for listening in self._sockets:
            self._start(self._accept(listening))
        return self

    async def __aexit__(self, *problem: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for listening in self._sockets:
            listening.close()

    def _start(self, step: Awaitable[None]) -> None:
        task = asyncio.ensure_future(step)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                caller, name = await loop.sock_accept(listening)
            except OSError:  # the caller has gone, or there are no file descriptors left
                await asyncio.sleep(OUT_OF_FILES_SECONDS)
                continue
            address = str(name[0])
            reason = self._door.knock(address)
            if reason is None:
                self._start(self._receive(caller, address))
            else:
                caller.close()
                self._turned_away(address, reason)
            await asyncio.sleep(ACCEPT_SECONDS)

    async def _receive(self, caller: socket.socket, address: str) -> None:
        is_stranger = True

        def leave(*, has_shown_token: bool) -> None:
            nonlocal is_stranger
            if is_stranger:
                is_stranger = False
                self._door.leave(address, has_shown_token=has_shown_token)

        try:
            reader, writer = await asyncio.open_connection(sock=caller)
            await self._serve(reader, writer, address, lambda: leave(has_shown_token=True))
        except OSError:
            caller.close()  # gone before anything was said
        finally:
            leave(has_shown_token=False)
