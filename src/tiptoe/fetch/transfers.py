"""How do many transfers run on one event loop?

libcurl says which sockets and which time it waits for; one epoll object watches
all of them, and the event loop calls us when any is ready. Nothing polls, nothing
blocks, and no transfer needs a thread.

This module knows nothing about HTTP: the caller sets on the handle what a transfer
sends and where its bytes go.
"""

import asyncio
import contextlib
import select
from typing import Final, NamedTuple

import pycurl

from tiptoe.fetch.faults import STOPPED

__all__ = ["Ending", "Transfers"]


class Ending(NamedTuple):
    """How a transfer ended: libcurl's code (0 is success) and its message."""

    code: int
    words: str


CLOSED = Ending(STOPPED, "client closed")
WELL = Ending(0, "")

AWAITED: Final = {
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
}
"""What libcurl waits for, as the kernel's events."""


class Transfers:
    """Transfers under way, all in one libcurl multi handle with its pool of connections.

    A handle is *waiting* from `run` until it ended, was cancelled, or `close` was
    called; only then may it be reused. Must be created on the running event loop.
    """

    def __init__(self, connections_max: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[pycurl.Curl, asyncio.Future[Ending]] = {}
        self._watched: set[int] = set()
        # Not the loop's own watchers, because each request would add and remove one.
        self._sockets = select.epoll()
        self._loop.add_reader(self._sockets.fileno(), self._act_on_ready)
        self._timer: asyncio.Handle | None = None
        self._timer_at = 0.0  # kept here, because a handle no longer knows its time when that has come
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
        self._multi.add_handle(curl)
        self._waiting[curl] = future
        try:
            return await future
        except asyncio.CancelledError:
            if self._waiting.pop(curl, None) is not None:
                self._multi.remove_handle(curl)
            raise

    def close(self) -> None:
        """Abort transfers under way and close every connection."""
        if self._is_closed:
            return
        self._is_closed = True
        for curl in list(self._waiting):
            self._end(curl, CLOSED)
        self._set_timer(-1)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._multi.close()
        self._loop.remove_reader(self._sockets.fileno())
        self._sockets.close()

    def _watch(self, event: int, socket: int, _multi: object, _data: object) -> None:
        """Watch a socket for the events libcurl waits for, or stop watching it."""
        awaited = AWAITED.get(event)
        if awaited is None:
            if socket in self._watched:
                self._watched.remove(socket)
                with contextlib.suppress(OSError):  # a closed socket is no longer watched anyway
                    self._sockets.unregister(socket)
        elif socket in self._watched:
            self._sockets.modify(socket, awaited)
        else:
            self._sockets.register(socket, awaited)
            self._watched.add(socket)

    def _set_timer(self, milliseconds: int) -> None:
        """Note when libcurl wants to be called.

        libcurl changes its timer several times per transfer, mostly to a later time, so
        letting one fire too early and setting it again is cheaper than cancelling each.
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
            if self._timer is None or self._timer_at > self._due_at:
                self._start_timer(self._due_at)

    def _start_timer(self, due_at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = due_at
        self._timer = self._loop.call_at(due_at, self._tick)

    def _tick_now(self) -> None:
        self._is_due_now = False
        if not self._is_closed:
            self._act_on_time()

    def _tick(self) -> None:
        self._timer = None
        if self._due_at is None:
            return
        if self._due_at > self._loop.time():
            self._start_timer(self._due_at)
            return
        self._due_at = None
        self._act_on_time()

    def _act_on_ready(self) -> None:
        """Let libcurl work on every socket that is ready."""
        running = 0
        for socket, events in self._sockets.poll(0):
            if socket in self._watched:  # work on another socket may have closed this one
                _, running = self._multi.socket_action(socket, _seen(events))
        if running < len(self._waiting):
            self._collect()

    def _act_on_time(self) -> None:
        """Let libcurl do what is due."""
        _, running = self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        if running < len(self._waiting):
            self._collect()

    def _collect(self) -> None:
        """Collect the transfers that have ended."""
        left = 1
        while left:
            left, ended_well, ended_badly = self._multi.info_read()
            for curl in ended_well:
                self._end(curl, WELL)
            for curl, code, words in ended_badly:
                self._end(curl, Ending(code, words))

    def _end(self, curl: pycurl.Curl, ending: Ending) -> None:
        future = self._waiting.pop(curl)
        self._multi.remove_handle(curl)
        # The caller may have been cancelled meanwhile.
        if not future.done():
            future.set_result(ending)


def _seen(events: int) -> int:
    """Return the kernel's events on a socket as libcurl's flags; it finds errors by itself on reading."""
    is_broken = bool(events & (select.EPOLLERR | select.EPOLLHUP))
    seen = pycurl.CSELECT_IN if is_broken or events & select.EPOLLIN else 0
    if is_broken or events & select.EPOLLOUT:
        seen |= pycurl.CSELECT_OUT
    return seen
