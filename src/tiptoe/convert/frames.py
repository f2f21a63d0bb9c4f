"""How do a sandbox and its reader process communicate?

In frames over pipes: four bytes of length, then a message. Messages from the reader
are not trusted: their length is limited and their form is checked.
"""

from typing import BinaryIO

import msgspec

from tiptoe.convert.confinement import DocumentBounds
from tiptoe.convert.reading import TextDocument

__all__ = ["READY", "ReaderAnswer", "Task", "framed", "read_frame"]

LENGTH_BYTES = 4
READY = b"ready"
"""First message of a reader process: its readers are loaded."""


class Task(msgspec.Struct, array_like=True):
    """Order to read this document within these bounds."""

    kind: str
    charset: str
    body: bytes
    bounds: DocumentBounds


class ReaderAnswer(msgspec.Struct, array_like=True):
    """The text, or the reason why there is none."""

    text: TextDocument | None = None
    reason: str = ""


def framed(data: bytes) -> bytes:
    """Return an encoded message as a frame."""
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def read_frame(file: BinaryIO, bytes_max: int) -> bytes | None:
    """Return the next message; None at the end, or if it is too long."""
    head = file.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "big")
    if length > bytes_max:
        return None
    data = file.read(length)
    return data if len(data) == length else None
