"""What does a crawl on many machines need from a messaging engine?

Four things, with the promises of NATS JetStream and no more, so that another engine can take its place:

- **keys** with a revision each, changed by compare-and-set: who is there, who holds what;
- **logs**, one for each subject, whose messages have rising sequences; an append that expects another last
  sequence than there is fails, which keeps out whoever has lost its shard without noticing (fencing);
- **objects**, larger than a message: snapshots;
- **requests**, which are answered by whoever serves a subject, or by nobody.

What was acknowledged survives the loss of any one server. What was not may be there, or not, or come later,
when a message that was held up arrives: whoever hears nothing sends the same once more, expecting the same
last sequence, and looks (`Engine.last`) when that is out of date. Clocks are not part of it: nothing expires.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from tiptoe.errors import CrawlerError

__all__ = [
    "MESSAGE_BYTES_MAX",
    "Engine",
    "EngineUnavailable",
    "KeyChange",
    "LogMessage",
    "MessageTooLarge",
    "NoResponse",
    "OutOfDate",
    "UntrustedServer",
]

MESSAGE_BYTES_MAX = 8 * 1024 * 1024 - 4096
"""Largest value of a key, message of a log, request or answer; what is larger goes into an object."""


class EngineUnavailable(CrawlerError):
    """The engine did not answer in time: what was asked of it may be done, or not, or be done later."""


class UntrustedServer(EngineUnavailable):
    """There is a server, but nobody that we trust vouches for it: to wait does not help."""


class OutOfDate(CrawlerError):
    """A key has another revision, or a log another last message, than was expected: nothing was done."""


class NoResponse(CrawlerError):
    """Nobody has answered a request in time."""


class MessageTooLarge(CrawlerError):
    """More than fits into one message: nothing was done."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(f"{name}: {size} bytes do not fit into a message, {MESSAGE_BYTES_MAX} would")


class KeyChange(msgspec.Struct, frozen=True, array_like=True):
    """A key, and what it holds since a revision."""

    key: str
    value: bytes | None  # None: it was deleted
    revision: int


class LogMessage(msgspec.Struct, frozen=True, array_like=True):
    """One message of a log."""

    sequence: int  # rising within a subject, not without gaps
    data: bytes
    expected: int | None = (
        None  # what its writer took for the last one: a reader who has not seen it missed some
    )


class Engine(Protocol):
    """Keys, logs, objects and requests of one crawl.

    Names of keys, subjects and objects are words of letters, digits, `-` and `_`, joined by dots; subjects of
    logs begin with `log.` or `mail.`. Every method raises EngineUnavailable when there is no answer in time,
    but what watches, follows or serves waits for the engine to come back.
    """

    # -- keys ------------------------------------------------------------

    async def get(self, key: str) -> KeyChange | None:
        """Return what a key holds; None when there is no such key."""
        ...

    async def put(self, key: str, value: bytes, *, revision: int = 0) -> int:
        """Set a key that is at this revision (0: that does not exist); return the new one.

        A deleted key does not exist; the revision of its deletion will do as well. Raises OutOfDate when
        somebody was faster.
        """
        ...

    async def delete(self, key: str, *, revision: int) -> None:
        """Delete a key that is at this revision; raises OutOfDate when somebody was faster."""
        ...

    def watch(self, prefix: str) -> AbstractAsyncContextManager[AsyncIterator[KeyChange | None]]:
        """Yield all keys below a prefix as they are, then None, then every change as it comes.

        Below `shard` are `shard` itself and all that begin with `shard.`; below an empty prefix are all keys.
        Changes may be left out if a later one of the same key is told. After a loss of the connection all
        keys are told again, followed by None; deletions in between show by their absence.
        """
        ...

    # -- logs ------------------------------------------------------------

    async def append(self, subject: str, data: bytes, *, expected: int | None = None) -> int:
        """Add a message to a log and return its sequence, when it is stored safely.

        Raises OutOfDate if the last message of the subject is not the `expected` one (0: it has none), which
        `last` then shows; and MessageTooLarge above MESSAGE_BYTES_MAX.
        """
        ...

    async def last(self, subject: str) -> LogMessage | None:
        """Return the last message of a log, as the server knows it that decides about appends."""
        ...

    def follow(
        self, subject: str, *, after: int = 0
    ) -> AbstractAsyncContextManager[AsyncIterator[LogMessage | None]]:
        """Yield all messages behind a sequence, in order; None whenever there are no more for the moment.

        A server that is a little behind may say so too early: who has to have read everything compares with
        `last`. What was cut is left out.
        """
        ...

    async def cut(self, subject: str, *, before: int) -> None:
        """Drop the messages before a sequence; the last one stays, for it is what fencing goes by."""
        ...

    # -- objects ---------------------------------------------------------

    async def put_object(self, name: str, parts: Iterable[bytes]) -> None:
        """Store an object, whole or not at all; one of the same name is replaced."""
        ...

    def get_object(self, name: str) -> AbstractAsyncContextManager[AsyncIterator[bytes] | None]:
        """Yield the parts of an object, in pieces of any size; None when there is no such object."""
        ...

    async def delete_object(self, name: str) -> None:
        """Delete an object, if there is one."""
        ...

    # -- requests --------------------------------------------------------

    async def request(self, subject: str, data: bytes, *, seconds: float) -> bytes:
        """Ask whoever serves a subject; raises NoResponse when nobody answers in time."""
        ...

    def serve(
        self, subject: str, answer: Callable[[bytes], Awaitable[bytes]]
    ) -> AbstractAsyncContextManager[None]:
        """Answer the requests to a subject, for as long as the context lasts."""
        ...

    async def remove(self) -> None:
        """Delete everything of the crawl, for good."""
        ...

    async def close(self) -> None:
        """Let go of the engine."""
        ...
