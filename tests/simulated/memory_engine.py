"""What would NATS JetStream do, without any NATS?

A `Broker` keeps what the servers would keep; each `MemoryEngine` is one member's connection to it. It keeps
the promises of `tiptoe.cluster.engine` and no more: an answer may get lost after the deed, a question before,
one may arrive when nobody waits any more, and a member may be cut off. What happens to an operation is a
`Fate`, chosen by the test. Time is that of the event loops: nothing here looks at a clock. Members may live
in loops of their own; what is on its way belongs to the loop of the broker, so it arrives although its sender
is dead.
"""

import asyncio
from bisect import bisect_right
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from tiptoe.cluster.engine import EngineUnavailable, KeyChange, LogMessage, NoResponse, OutOfDate
from tiptoe.cluster.engine_names import check_log, check_name, check_prefix, check_size
from tiptoe.errors import CrawlerError

__all__ = ["Broker", "Fate", "MemoryEngine"]

Answer = TypeVar("Answer")

PIECE_BYTES = 128 * 1024


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of one operation."""

    before: float = 0.0  # seconds until the broker has it; later than the limit: it is done when nobody waits
    after: float = 0.0  # seconds until the answer is back
    is_done: bool = True  # False: it is lost on its way
    is_answered: bool = True  # False: it is done, and the answer is lost


Trouble = Callable[[str, str], Fate]
"""Chooses a fate by the operation (`put`, `append`, `watch`, ...) and the name of what it is about."""


def no_trouble(operation: str, name: str) -> Fate:
    return Fate()


class Broker:
    """What the servers keep, and who is connected."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.is_down = False
        self._loop = loop
        self._members: list[MemoryEngine] = []
        self._keys: dict[str, KeyChange] = {}  # in the order of revisions; deleted ones stay, without a value
        self._logs: dict[str, list[LogMessage]] = defaultdict(list)
        self._objects: dict[str, bytes] = {}
        self._counts: dict[str, int] = defaultdict(int)  # the last sequence of each stream

    def __repr__(self) -> str:
        return f"<Broker {len(self._members)} members, {len(self._keys)} keys, {len(self._logs)} logs>"

    def connect(self, name: str, *, seconds: float = 5.0, trouble: Trouble = no_trouble) -> "MemoryEngine":
        """Return the connection of one more member."""
        member = MemoryEngine(self, name, seconds=seconds, trouble=trouble)
        self._members.append(member)
        return member

    def leave(self, member: "MemoryEngine") -> None:
        if member in self._members:
            self._members.remove(member)

    def stop(self) -> None:
        """Answer nobody from now on; nothing is forgotten."""
        self.is_down = True
        self._wake()

    def start(self) -> None:
        """Answer again; everybody has to connect anew."""
        self.is_down = False
        for member in self._members:
            member.session += 1
        self._wake()

    # -- what is asked ---------------------------------------------------

    def send(
        self, member: "MemoryEngine", fate: Fate, operation: Callable[[], Any], tell: Callable[[Any], None]
    ) -> None:
        """Carry an operation here, do it, and carry the answer back, as far as its fate allows."""

        def arrive() -> None:
            if not fate.is_done or member.is_cut or self.is_down:
                return
            try:
                answer = operation()
            except CrawlerError as error:
                answer = error
            if fate.is_answered:
                self.later(fate.after, come_back, answer)

        def come_back(answer: Any) -> None:
            if member.is_reachable:
                tell(answer)

        self.later(fate.before, arrive)

    def later(self, seconds: float, callback: Callable[..., None], *args: Any) -> None:
        """Have something happen after a time, whoever dies meanwhile."""
        if seconds > 0:
            self._loop.call_later(seconds, callback, *args)
        else:
            self._loop.call_soon(callback, *args)

    def servers_of(self, subject: str) -> "list[MemoryEngine]":
        """Return who would answer a request."""
        return [member for member in self._members if member.is_reachable and subject in member.served]

    def _wake(self) -> None:
        for member in self._members:
            member.wake()

    def _next(self, stream: str) -> int:
        self._counts[stream] += 1
        return self._counts[stream]

    # -- keys ------------------------------------------------------------

    def get(self, key: str) -> KeyChange | None:
        found = self._keys.get(key)
        return None if found is None or found.value is None else found

    def change(self, key: str, value: bytes | None, revision: int) -> int:
        """Set or delete a key that is at a revision."""
        found = self._keys.get(key)
        at = found.revision if found else 0
        is_new = revision == 0 and value is not None and (found is None or found.value is None)
        if not is_new and (found is None or at != revision):
            raise OutOfDate(f"{key}: is at revision {at}, not {revision}")
        self._keys.pop(key, None)
        self._keys[key] = KeyChange(key, value, self._next("keys"))
        for member in self._members:
            member.wake("keys")
        return self._keys[key].revision

    def changes(self, prefix: str, *, since: int) -> list[KeyChange]:
        """Return the latest change of every key behind a revision, the oldest first."""
        found: list[KeyChange] = []
        for change in reversed(self._keys.values()):
            if change.revision <= since:
                break
            if is_below(change.key, prefix):
                found.append(change)
        return found[::-1]

    @property
    def revision(self) -> int:
        return self._counts["keys"]

    # -- logs ------------------------------------------------------------

    def append(self, subject: str, data: bytes, expected: int | None) -> int:
        messages = self._logs[subject]
        last = messages[-1].sequence if messages else 0
        if expected is not None and expected != last:
            raise OutOfDate(f"{subject}: the last message is {last}, not {expected}")
        sequence = self._next(subject.partition(".")[0])
        messages.append(LogMessage(sequence, data, expected))
        for member in self._members:
            member.wake(subject)
        return sequence

    def last(self, subject: str) -> LogMessage | None:
        messages = self._logs.get(subject)
        return messages[-1] if messages else None

    def messages(self, subject: str, *, after: int) -> list[LogMessage]:
        messages = self._logs.get(subject, [])
        return messages[bisect_right(messages, after, key=lambda message: message.sequence) :]

    def cut(self, subject: str, before: int) -> None:
        messages = self._logs.get(subject, [])
        gone = bisect_right(messages, before - 1, key=lambda message: message.sequence)
        del messages[: min(gone, max(len(messages) - 1, 0))]

    # -- objects ---------------------------------------------------------

    def put_object(self, name: str, data: bytes) -> None:
        self._objects[name] = data

    def get_object(self, name: str) -> bytes | None:
        return self._objects.get(name)

    def delete_object(self, name: str) -> None:
        self._objects.pop(name, None)

    def object_names(self) -> list[str]:
        return sorted(self._objects)

    def log_subjects(self) -> list[str]:
        return sorted(subject for subject, messages in self._logs.items() if messages)

    def remove_all(self) -> None:
        for kept in (self._keys, self._logs, self._objects):
            kept.clear()


class MemoryEngine:
    """One member's connection; it can be cut off, and be lost with its process."""

    def __init__(self, broker: Broker, name: str, *, seconds: float, trouble: Trouble) -> None:
        self.name = name
        self.trouble = trouble
        self.session = 0  # rises whenever the connection is a new one
        self.served: dict[str, Callable[[bytes, Callable[[bytes], None]], None]] = {}
        self._broker = broker
        self._seconds = seconds
        self.is_cut = False
        self._is_closed = False
        self._sleepers: dict[str, list[asyncio.Future[None]]] = defaultdict(list)

    def __repr__(self) -> str:
        state = "closed" if self._is_closed else "connected" if self.is_reachable else "cut off"
        return f"<MemoryEngine {self.name} {state}>"

    # -- what can happen to a connection ---------------------------------

    @property
    def is_reachable(self) -> bool:
        return not (self.is_cut or self._is_closed or self._broker.is_down)

    def cut_off(self) -> None:
        """Let nothing pass any more, in either direction."""
        self.is_cut = True
        self.wake()

    def join(self) -> None:
        """Let things pass again; what watches is told everything anew."""
        self.is_cut = False
        self.session += 1
        self.wake()

    def vanish(self) -> None:
        """Be lost with its process: nothing is told to anybody, and nothing is heard."""
        self._is_closed = True
        self._broker.leave(self)

    async def remove(self) -> None:
        await self._ask("remove", "all", self._broker.remove_all)

    async def close(self) -> None:
        self.vanish()
        self.wake()

    # -- keys ------------------------------------------------------------

    async def get(self, key: str) -> KeyChange | None:
        check_name(key)
        return await self._ask("get", key, lambda: self._broker.get(key))

    async def put(self, key: str, value: bytes, *, revision: int = 0) -> int:
        check_size(check_name(key), value)
        return await self._ask("put", key, lambda: self._broker.change(key, value, revision))

    async def delete(self, key: str, *, revision: int) -> None:
        check_name(key)
        await self._ask("delete", key, lambda: self._broker.change(key, None, revision))

    @asynccontextmanager
    async def watch(self, prefix: str) -> AsyncGenerator[AsyncIterator[KeyChange | None], None]:
        async with aclosing(self._changes(check_prefix(prefix))) as changes:
            yield changes

    async def _changes(self, prefix: str) -> AsyncGenerator[KeyChange | None, None]:
        while True:
            await self._connected()
            session, seen, is_told = self.session, 0, False
            while session == self.session and self.is_reachable:
                changes, seen = self._broker.changes(prefix, since=seen), self._broker.revision
                for change in changes:
                    if not self.is_reachable:
                        break
                    if is_told or change.value is not None:
                        yield change
                else:
                    if not is_told:
                        is_told = True
                        yield None
                    if seen == self._broker.revision and session == self.session and self.is_reachable:
                        await self._sleep("keys")
                    fate = self.trouble("watch", prefix)
                    if fate.before:
                        await asyncio.sleep(fate.before)
                    if not fate.is_done:
                        break

    # -- logs ------------------------------------------------------------

    async def append(self, subject: str, data: bytes, *, expected: int | None = None) -> int:
        check_size(check_log(subject), data)
        return await self._ask("append", subject, lambda: self._broker.append(subject, data, expected))

    async def last(self, subject: str) -> LogMessage | None:
        check_log(subject)
        return await self._ask("last", subject, lambda: self._broker.last(subject))

    @asynccontextmanager
    async def follow(
        self, subject: str, *, after: int = 0
    ) -> AsyncGenerator[AsyncIterator[LogMessage | None], None]:
        async with aclosing(self._messages(check_log(subject), after)) as messages:
            yield messages

    async def _messages(self, subject: str, after: int) -> AsyncGenerator[LogMessage | None, None]:
        while True:
            await self._connected()
            for message in self._broker.messages(subject, after=after):
                if not self.is_reachable:
                    break
                after = message.sequence
                yield message
            else:
                if self._broker.messages(subject, after=after):
                    continue
                yield None
                if self.is_reachable and not self._broker.messages(subject, after=after):
                    await self._sleep(subject)
                fate = self.trouble("follow", subject)
                if fate.before:
                    await asyncio.sleep(fate.before)

    async def cut(self, subject: str, *, before: int) -> None:
        check_log(subject)
        await self._ask("cut", subject, lambda: self._broker.cut(subject, before))

    # -- objects ---------------------------------------------------------

    async def put_object(self, name: str, parts: Iterable[bytes]) -> None:
        data = b"".join(parts)
        check_name(name)
        await self._ask("put_object", name, lambda: self._broker.put_object(name, data))

    @asynccontextmanager
    async def get_object(self, name: str) -> AsyncGenerator[AsyncIterator[bytes] | None, None]:
        check_name(name)
        data = await self._ask("get_object", name, lambda: self._broker.get_object(name))
        if data is None:
            yield None
            return
        async with aclosing(_pieces(data)) as pieces:
            yield pieces

    async def delete_object(self, name: str) -> None:
        check_name(name)
        await self._ask("delete_object", name, lambda: self._broker.delete_object(name))

    # -- requests --------------------------------------------------------

    async def request(self, subject: str, data: bytes, *, seconds: float) -> bytes:
        check_size(check_name(subject), data)
        answer: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        fate = self.trouble("request", subject)

        def tell(answered: bytes | None) -> None:
            if not answer.done():
                answer.set_result(answered)

        def come_back(answered: bytes | None) -> None:
            if self.is_reachable:
                tell(answered)

        def reply(answered: bytes | None) -> None:
            if fate.is_answered:
                self._broker.later(fate.after, come_back, answered)

        def ask() -> None:
            servers = self._broker.servers_of(subject)
            for server in servers:
                server.served[subject](data, reply)
            if not servers:
                reply(None)

        self._broker.send(self, Fate(before=fate.before, is_done=fate.is_done, is_answered=False), ask, tell)
        try:
            async with asyncio.timeout(seconds):
                answered = await answer
        except TimeoutError:
            answered = None
        if answered is None:
            raise NoResponse(f"{subject}: nobody answers")
        return answered

    @asynccontextmanager
    async def serve(
        self, subject: str, answer: Callable[[bytes], Awaitable[bytes]]
    ) -> AsyncGenerator[None, None]:
        loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[None]] = set()

        async def work(data: bytes, reply: Callable[[bytes], None]) -> None:
            answered = await answer(data)
            check_size(subject, answered)
            if self.is_reachable:
                reply(answered)

        def take(data: bytes, reply: Callable[[bytes], None]) -> None:
            if loop.is_closed():
                return  # its process is dead, and nobody has told
            task = loop.create_task(work(data, reply))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        self.served[check_name(subject)] = take
        try:
            yield
        finally:
            self.served.pop(subject, None)
            for task in tasks:
                task.cancel()

    # -- waiting ---------------------------------------------------------

    def wake(self, what: str | None = None) -> None:
        """Have those look again who wait for keys or for a log, or for anything."""
        for name in list(self._sleepers) if what is None else [what]:
            for sleeper in self._sleepers.pop(name, ()):
                if not sleeper.done():
                    sleeper.set_result(None)

    async def _sleep(self, what: str) -> None:
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers[what].append(sleeper)
        try:
            await sleeper
        finally:
            if sleeper in (sleepers := self._sleepers.get(what, [])):
                sleepers.remove(sleeper)

    async def _connected(self) -> None:
        while not self.is_reachable:
            if self._is_closed:
                raise EngineUnavailable(f"{self.name}: closed")
            await self._sleep("the connection")

    async def _ask(self, operation: str, name: str, do: Callable[[], Answer]) -> Answer:
        """Send an operation to the broker and wait for the answer, within the limit."""
        if self._is_closed:
            raise EngineUnavailable(f"{self.name}: closed")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def tell(answered: Any) -> None:
            if not answer.done():
                answer.set_result(answered)

        self._broker.send(self, self.trouble(operation, name), do, tell)
        try:
            async with asyncio.timeout(self._seconds):
                answered = await answer
        except TimeoutError as error:
            raise EngineUnavailable(f"{operation} {name}: no answer in {self._seconds:g} s") from error
        if isinstance(answered, CrawlerError):
            raise answered
        return answered  # type: ignore[no-any-return]


async def _pieces(data: bytes) -> AsyncGenerator[bytes, None]:
    for start in range(0, len(data), PIECE_BYTES):
        yield data[start : start + PIECE_BYTES]


def is_below(key: str, prefix: str) -> bool:
    """Tell whether a key is meant by a prefix."""
    return not prefix or key == prefix or key.startswith(f"{prefix}.")
