"""What does a crawl on many machines need from a messaging engine?

Four things, with the promises of NATS JetStream and no more, so that another engine can take its place:

- **keys**, each with a revision, changed by compare-and-set: which agents are there, who holds what;
- **logs**, one for each subject, whose messages have rising sequences; an append that expects another last
  sequence than the actual one fails, which keeps out an agent that lost its shard unnoticed (fencing);
- **objects**, larger than a message: snapshots;
- **requests**, which are answered by the process that serves a subject, if there is one.

What was acknowledged survives the loss of any one server. What was not may be stored, or not, or be stored
later, when a delayed message arrives: a client without an answer sends the same message again, expecting the
same last sequence, and reads the end of the log (`Engine.last`) when that is out of date. Clocks play no
part: nothing expires.
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
"""Maximum size of a key's value, a log message, a request or an answer; larger data go into an object."""


class EngineUnavailable(CrawlerError):
    """The engine did not answer in time: a requested change may be made, or not, or be made later."""


class UntrustedServer(EngineUnavailable):
    """There is a server, but no authority that we trust vouches for it: waiting does not help."""


class OutOfDate(CrawlerError):
    """A key has another revision, or a log another last message, than expected: nothing was changed."""


class NoResponse(CrawlerError):
    """No process has answered a request in time."""


class MessageTooLarge(CrawlerError):
    """The data do not fit into one message: nothing was done."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(f"{name}: {size} bytes do not fit into a message, {MESSAGE_BYTES_MAX} would")


class KeyChange(msgspec.Struct, frozen=True, array_like=True):
    """A key, and its value since a revision."""

    key: str
    value: bytes | None  # None: it was deleted
    revision: int


class LogMessage(msgspec.Struct, frozen=True, array_like=True):
    """One message of a log."""

    sequence: int  # rising within a subject, not without gaps
    data: bytes
    expected: int | None = (
        None  # the previous message, as far as its writer knew: a reader that has not seen it missed some
    )


class Engine(Protocol):
    """Keys, logs, objects and requests of one crawl.

    Names of keys, subjects and objects are words of letters, digits, `-` and `_`, joined by dots; subjects of
    logs begin with `log.` or `mail.`. Every method raises EngineUnavailable when there is no answer in time;
    only `watch`, `follow` and `serve` wait for the engine to come back.
    """

    # -- keys ------------------------------------------------------------

    async def get(self, key: str) -> KeyChange | None:
        """Return a key with its value; None when there is no such key."""
        ...

    async def put(self, key: str, value: bytes, *, revision: int = 0) -> int:
        """Set a key that is at this revision (0: it does not exist); return the new revision.

        A deleted key does not exist; the revision of its deletion is accepted, too. Raises OutOfDate when the
        key is at another revision.
        """
        ...

    async def delete(self, key: str, *, revision: int) -> None:
        """Delete a key that is at this revision; raise OutOfDate when it is at another one."""
        ...

    def watch(self, prefix: str) -> AbstractAsyncContextManager[AsyncIterator[KeyChange | None]]:
        """Yield all keys below a prefix as they are, then None, then every change as it happens.

        Below `shard` are `shard` itself and all that begin with `shard.`; below an empty prefix are all keys.
        A change may be left out if a later one of the same key is yielded. After a loss of the connection all
        keys are yielded again, followed by None; keys deleted in between are absent.
        """
        ...

    # -- logs ------------------------------------------------------------

    async def append(self, subject: str, data: bytes, *, expected: int | None = None) -> int:
        """Add a message to a log and return its sequence once it is stored safely.

        Raises OutOfDate if the last message of the subject is not the `expected` one (0: it has none); `last`
        then shows the actual one. Raises MessageTooLarge above MESSAGE_BYTES_MAX.
        """
        ...

    async def last(self, subject: str) -> LogMessage | None:
        """Return the last message of a log, according to the server that decides about appends."""
        ...

    def follow(
        self, subject: str, *, after: int = 0
    ) -> AbstractAsyncContextManager[AsyncIterator[LogMessage | None]]:
        """Yield all messages after a sequence, in order; None whenever there are no more for the moment.

        A server that lags behind may yield None too early: callers that must have read everything compare
        with `last`. Messages that were cut are left out.
        """
        ...

    async def cut(self, subject: str, *, before: int) -> None:
        """Drop the messages before a sequence; the last one always stays, because fencing depends on it."""
        ...

    # -- objects ---------------------------------------------------------

    async def put_object(self, name: str, parts: Iterable[bytes]) -> None:
        """Store an object completely or not at all; one of the same name is replaced."""
        ...

    def get_object(self, name: str) -> AbstractAsyncContextManager[AsyncIterator[bytes] | None]:
        """Yield the parts of an object, in pieces of any size; None when there is no such object."""
        ...

    async def delete_object(self, name: str) -> None:
        """Delete an object, if there is one."""
        ...

    # -- requests --------------------------------------------------------

    async def request(self, subject: str, data: bytes, *, seconds: float) -> bytes:
        """Send a request to a subject and return the answer; raise NoResponse when none comes in time."""
        ...

    def serve(
        self, subject: str, answer: Callable[[bytes], Awaitable[bytes]]
    ) -> AbstractAsyncContextManager[None]:
        """Answer the requests to a subject while the context lasts."""
        ...

    async def remove(self) -> None:
        """Delete everything of the crawl, for good."""
        ...

    async def close(self) -> None:
        """Close the connection to the engine."""
        ...
