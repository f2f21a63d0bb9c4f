"""May libcurl send a request a second time by itself?

When a connection that was used before breaks without an answer, libcurl connects
again and repeats the request at once. Usually the server had closed the connection long
before and never saw the request; then this is right. But the server may have read the request
and closed the connection in response. Then a retry is a request like any other, and has to wait.

The two cases differ in whether there was something to read *before* we sent the request: on an
idle connection, that can only be the other side closing it.
"""

import select

__all__ = ["Ends", "Sockets"]

Ends = tuple[str, int, str, int]
"""Address and port of both sides of a connection."""


class Sockets:
    """The sockets of one client, by the ends of their connections."""

    def __init__(self) -> None:
        self._ends: dict[int, Ends] = {}
        self._sockets: dict[Ends, int] = {}
        self._poll = select.poll()  # no socket is registered between two calls

    def note(self, socket: int, ends: Ends) -> None:
        """Note that a connection was made with this socket, whose number may have been used before."""
        former = self._ends.pop(socket, None)
        if former is not None:
            self._sockets.pop(former, None)
        self._ends[socket] = ends
        self._sockets[ends] = socket

    def has_word(self, ends: Ends) -> bool:
        """Whether the other side of a connection has sent something that was not read yet."""
        socket = self._sockets.get(ends)
        if socket is None:
            return False
        self._poll.register(socket, select.POLLIN)
        has_word = bool(self._poll.poll(0))
        self._poll.unregister(socket)
        return has_word
