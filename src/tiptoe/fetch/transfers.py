"""How do many transfers run on one event loop?

libcurl says which sockets and which moment it waits for; the loop says when
they are ready. Nothing polls, nothing blocks, and no transfer costs a thread.

Knows nothing of HTTP: what a transfer asks and where its bytes go is set on
its handle by the caller.
"""

import asyncio
from typing import NamedTuple

import pycurl

from tiptoe.fetch.faults import STOPPED

__all__ = ["Ending", "Transfers"]


class Ending(NamedTuple):
    """How a transfer ended: libcurl's code (0 is well) and its words."""

    code: int
    words: str


CLOSED = Ending(STOPPED, "client closed")


class Transfers:
    """Transfers under way, all in one libcurl multi handle with its pool of connections.

    A handle is *waiting* from `run` until it ended, was cancelled or `close`
    came; only then may it be used again. Must be made on the running loop.
    """

    def __init__(self, connections_max: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[pycurl.Curl, asyncio.Future[Ending]] = {}
        self._watched: dict[int, int] = {}  # socket -> POLL_IN, POLL_OUT or both
        self._timer: asyncio.TimerHandle | None = None
        self._due_at: float | None = None
        self._is_due_now = False
        self._is_closed = False
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, connections_max)
        self._multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, connections_max)

    def __repr__(self) -> str:
        return f"<Transfers {len(self._waiting)} under way, {len(self._watched)} sockets watched>"

    async def run(self, curl: pycurl.Curl) -> Ending:
        """Carry out the transfer of this handle; cancelling the caller aborts it."""
        if self._is_closed:
            return CLOSED
        future: asyncio.Future[Ending] = self._loop.create_future()
        self._waiting[curl] = future
        self._multi.add_handle(curl)
        try:
            return await future
        except asyncio.CancelledError:
            if self._waiting.pop(curl, None) is not None:
                self._multi.remove_handle(curl)
            raise

    def close(self) -> None:
        """Abort what is under way and close every connection."""
        if self._is_closed:
            return
        self._is_closed = True
        for curl in list(self._waiting):
            self._end(curl, CLOSED)
        self._set_timer(-1)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for socket in list(self._watched):
            self._watch(pycurl.POLL_REMOVE, socket, None, None)
        self._multi.close()

    def _watch(self, event: int, socket: int, _multi: object, _data: object) -> None:
        """Let the loop watch a socket for what libcurl waits for."""
        before = self._watched.get(socket, 0)
        if event == pycurl.POLL_REMOVE:
            now = 0
            self._watched.pop(socket, None)
        else:
            now = self._watched[socket] = event
        changed = before ^ now
        if changed & pycurl.POLL_IN:
            if now & pycurl.POLL_IN:
                self._loop.add_reader(socket, self._act, socket, pycurl.CSELECT_IN)
            else:
                self._loop.remove_reader(socket)
        if changed & pycurl.POLL_OUT:
            if now & pycurl.POLL_OUT:
                self._loop.add_writer(socket, self._act, socket, pycurl.CSELECT_OUT)
            else:
                self._loop.remove_writer(socket)

    def _set_timer(self, milliseconds: int) -> None:
        """Note when libcurl wants to be called.

        libcurl moves its timer several times per transfer, mostly back, so one
        that fires too early and is set again is cheaper than cancelling each.
        """
        if milliseconds < 0:
            self._due_at = None
        elif milliseconds == 0:
            self._due_at = None
            if not self._is_due_now:
                self._is_due_now = True
                self._loop.call_soon(self._tick_now)
        else:
            self._due_at = self._loop.time() + milliseconds / 1000
            if self._timer is None or self._timer.when() > self._due_at:
                self._start_timer(self._due_at)

    def _start_timer(self, due_at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(due_at, self._tick)

    def _tick_now(self) -> None:
        self._is_due_now = False
        if not self._is_closed:
            self._act(pycurl.SOCKET_TIMEOUT, 0)

    def _tick(self) -> None:
        self._timer = None
        if self._due_at is None:
            return
        if self._due_at > self._loop.time():
            self._start_timer(self._due_at)
            return
        self._due_at = None
        self._act(pycurl.SOCKET_TIMEOUT, 0)

    def _act(self, socket: int, events: int) -> None:
        """Let libcurl work, then collect the transfers that ended by it."""
        _, running = self._multi.socket_action(socket, events)
        if running < len(self._waiting):
            self._collect()

    def _collect(self) -> None:
        left = 1
        while left:
            left, ended_well, ended_badly = self._multi.info_read()
            for curl in ended_well:
                self._end(curl, Ending(0, ""))
            for curl, code, words in ended_badly:
                self._end(curl, Ending(code, words))

    def _end(self, curl: pycurl.Curl, ending: Ending) -> None:
        future = self._waiting.pop(curl)
        self._multi.remove_handle(curl)
        # The caller may have been cancelled while this was on its way.
        if not future.done():
            future.set_result(ending)
