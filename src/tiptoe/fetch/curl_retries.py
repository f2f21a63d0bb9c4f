"""May libcurl ask a second time by itself?

When a connection that was used before breaks without a word, libcurl connects
anew and asks again, at once. Mostly the server had hung up long before and never
saw the request: then this is right. But it may have read the request and hung
up on it. Such a retry is a request like any other, and has to wait for its moment.

The difference is whether something was there to be read *before* we asked: on a
connection where nothing is under way that can only be the other side's goodbye.
"""

import select

__all__ = ["Ends", "Sockets"]

Ends = tuple[str, int, str, int]
"""Address and port of both sides of a connection."""


class Sockets:
    """The sockets of one client by the ends of their connections; no more entries than open sockets."""

    def __init__(self) -> None:
        self._ends: dict[int, Ends] = {}
        self._sockets: dict[Ends, int] = {}
        self._poll = select.poll()  # empty between two questions

    def note(self, socket: int, ends: Ends) -> None:
        """A connection was made with this socket, whose number another one had before."""
        former = self._ends.pop(socket, None)
        if former is not None:
            self._sockets.pop(former, None)
        self._ends[socket] = ends
        self._sockets[ends] = socket

    def has_word(self, ends: Ends) -> bool:
        """Whether the other side of a connection has said something that nobody has read yet."""
        socket = self._sockets.get(ends)
        if socket is None:
            return False
        self._poll.register(socket, select.POLLIN)
        has_word = bool(self._poll.poll(0))
        self._poll.unregister(socket)
        return has_word
