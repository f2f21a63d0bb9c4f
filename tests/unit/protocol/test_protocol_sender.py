"""Sending from a thread of its own."""

import socket
import threading

import pytest

from tiptoe.protocol import sender as sender_module
from tiptoe.protocol.sender import Sender


def read_all(connected: socket.socket) -> bytes:
    pieces = []
    while piece := connected.recv(1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


def test_frames_arrive_in_order_and_closing_waits_for_them() -> None:
    """The last words of a harvester are its results."""
    ours, theirs = socket.socketpair()
    sender = Sender(ours)
    frames = [bytes([number]) * 10_000 for number in range(100)]
    arrived: list[bytes] = []
    reader = threading.Thread(target=lambda: arrived.append(read_all(theirs)))
    reader.start()
    for frame in frames:
        sender.send(frame)
    sender.close()
    ours.close()
    reader.join(20.0)
    theirs.close()
    assert arrived == [b"".join(frames)]
    assert (sender.waiting_bytes, sender.is_broken) == (0, False)


def test_what_the_kernel_has_not_taken_is_counted() -> None:
    """Who sends faster than the other side reads has to wait."""
    ours, theirs = socket.socketpair()
    sender = Sender(ours)
    sender.send(b"x" * 20_000_000)
    assert sender.waiting_bytes == 20_000_000
    theirs.close()  # lets the thread go
    sender.close()
    ours.close()


def test_a_peer_that_is_gone_breaks_the_sender_and_nothing_else() -> None:
    """The reading side notices and ends the connection."""
    ours, theirs = socket.socketpair()
    sender = Sender(ours)
    theirs.close()
    sender.send(b"x" * 1_000_000)
    sender.send(b"y")
    sender.close()
    assert (sender.is_broken, sender.waiting_bytes) == (True, 0)
    ours.close()


def test_a_peer_that_stops_reading_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else frames would pile up behind half of one, and nobody would notice."""
    monkeypatch.setattr(sender_module, "STALL_SECONDS", 0.05)
    ours, theirs = socket.socketpair()
    sender = Sender(ours)
    sender.send(b"x" * 20_000_000)
    sender.close()
    theirs.settimeout(20.0)
    assert len(read_all(theirs)) < 20_000_000  # and it ends
    assert sender.is_broken
    assert ours.recv(1) == b""  # our own reading side is told, too
    ours.close()
    theirs.close()


def test_a_frame_may_take_long_while_it_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow line is no dead one: the limit is for each piece."""
    monkeypatch.setattr(sender_module, "PIECE_BYTES", 1000)
    ours, theirs = socket.socketpair()
    sender = Sender(ours)
    frame = bytes(range(250)) * 400
    arrived: list[bytes] = []
    reader = threading.Thread(target=lambda: arrived.append(read_all(theirs)))
    reader.start()
    sender.send(frame)
    sender.close()
    ours.close()
    reader.join(20.0)
    theirs.close()
    assert arrived == [frame]
