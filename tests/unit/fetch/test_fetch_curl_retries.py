"""Old connections: has the other side hung up before it was asked?"""

import socket

from tiptoe.fetch.curl_retries import Sockets

HERE, THERE = ("192.0.2.1", 4000, "192.0.2.2", 80), ("192.0.2.1", 4001, "192.0.2.3", 80)


def test_a_goodbye_is_heard_before_the_next_request() -> None:
    """Only then was the request surely not read, and may be repeated at once."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sockets = Sockets()
        sockets.note(ours.fileno(), HERE)
        assert not sockets.has_word(HERE)
        theirs.close()
        assert sockets.has_word(HERE)


def test_a_connection_that_nobody_knows_says_nothing() -> None:
    assert not Sockets().has_word(HERE)


def test_the_number_of_a_closed_socket_belongs_to_the_next_connection() -> None:
    """Numbers are used again; the old connection must not be found by them."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sockets = Sockets()
        sockets.note(ours.fileno(), HERE)
        sockets.note(ours.fileno(), THERE)
        theirs.sendall(b"x")
        assert sockets.has_word(THERE)
        assert not sockets.has_word(HERE)
