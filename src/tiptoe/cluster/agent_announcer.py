"""How do other agents learn that an agent is running?

It changes its key with every beat, and sooner when its state changes. Only one process may use a name: a
process that finds its key changed by another one ends.
"""

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import TypeVar

import msgspec

from tiptoe.cluster.agent_presence import BEATS_PER_LEASE, AgentPresence
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange, OutOfDate
from tiptoe.errors import CrawlerError

__all__ = ["RETRIES_PER_LEASE", "AgentAnnouncer", "AgentNameTaken", "decoded", "in_time", "trouble_with"]

Answer = TypeVar("Answer")
Value = TypeVar("Value", bound=msgspec.Struct)

RETRIES_PER_LEASE = 30

NAME_CHECKS = 2
NAME_CHECK_BEATS = 2.5
"""A key that changes in each of `NAME_CHECKS` spans of this many beats belongs to a live process; a single
change may come from a delayed message."""

GOODBYES = 3
"""Maximum attempts to delete the key: a last beat that was still under way makes one fail."""

NEWS_PER_LEASE = 60
"""Maximum changes of the key per lease; further news waits."""


class AgentNameTaken(CrawlerError):
    """Another process uses the name of this agent."""

    def __init__(self, name: str) -> None:
        super().__init__(f"another process is agent {name!r} of this crawl; give this one a name of its own")
        self.name = name


class AgentAnnouncer:
    """Keeps the key of one agent alive."""

    def __init__(self, engine: Engine, presence: AgentPresence, lease_seconds: float) -> None:
        self.presence = presence
        self.trouble = ""  # why the last announcement was not answered; empty if it was
        self._engine = engine
        self._key = f"agent.{presence.name}"
        self._revision = 0
        self._beat_seconds = lease_seconds / BEATS_PER_LEASE
        self._retry_seconds = lease_seconds / RETRIES_PER_LEASE
        self._pause_seconds = lease_seconds / NEWS_PER_LEASE
        self._has_news = asyncio.Event()

    def say(self, *, is_leaving: bool, ready: tuple[int, ...], has_room: bool = True) -> None:
        """Announce a new state of this agent, soon."""
        said = msgspec.structs.replace(self.presence, is_leaving=is_leaving, ready=ready, has_room=has_room)
        if said != self.presence:
            self.presence = said
            self._has_news.set()

    async def claim_name(self) -> None:
        """Make sure that no live process uses this name; a key left by an earlier run does not change.

        Raises AgentNameTaken.
        """
        found = await self._read()
        for _ in range(NAME_CHECKS):
            before = found
            if before is not None and not self._is_own(before):
                await asyncio.sleep(NAME_CHECK_BEATS * self._beat_seconds)
                found = await self._read()
            if found is None or found == before:
                self._revision = found.revision if found is not None else 0
                return
        raise AgentNameTaken(self.presence.name)

    async def beat(self) -> None:
        """Announce this agent until cancelled; raise AgentNameTaken when another process uses its name."""
        loop = asyncio.get_running_loop()
        beats_at = loop.time()
        while True:
            self._has_news.clear()
            is_said = await self._announce()
            if is_said and loop.time() >= beats_at:
                self.presence = msgspec.structs.replace(self.presence, beats=self.presence.beats + 1)
                beats_at = loop.time() + self._beat_seconds
            await asyncio.sleep(self._pause_seconds)
            wakes_at = beats_at if is_said else loop.time() + self._retry_seconds
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(wakes_at):
                    await self._has_news.wait()

    async def announce_leaving(self) -> None:
        """Delete the key; if that fails, the others will notice that it no longer changes."""
        with contextlib.suppress(EngineUnavailable):
            for _ in range(GOODBYES):
                found = await in_time(self._beat_seconds, self._engine.get(self._key))
                if found is None or not self._is_own(found):
                    return
                with contextlib.suppress(OutOfDate):
                    delete = self._engine.delete(self._key, revision=found.revision)
                    await in_time(self._beat_seconds, delete)
                    return

    async def _announce(self) -> bool:
        """Change the key; return False when it may not have been changed."""
        value = msgspec.msgpack.encode(self.presence)
        try:
            put = self._engine.put(self._key, value, revision=self._revision)
            self._revision = await in_time(self._beat_seconds, put)
        except EngineUnavailable as error:
            self.trouble = trouble_with(self._key, error)
            return False
        except OutOfDate:
            await self.claim_name()
            return False
        self.trouble = ""
        return True

    def _is_own(self, change: KeyChange) -> bool:
        presence = decoded(change.value, AgentPresence)
        return presence is not None and presence.incarnation == self.presence.incarnation

    async def _read(self) -> KeyChange | None:
        """Return the value of the key as soon as the engine answers; None when there is no such key."""
        while True:
            with contextlib.suppress(EngineUnavailable):
                found = await in_time(self._beat_seconds, self._engine.get(self._key))
                return None if found is None or found.value is None else found
            await asyncio.sleep(self._retry_seconds)


def trouble_with(key: str, error: EngineUnavailable) -> str:
    """Return the engine's message without the key, so that messages about many keys are the same."""
    return str(error).rpartition(f"{key}: ")[2]


async def in_time(seconds: float, answer: Awaitable[Answer]) -> Answer:
    """Wait this long for an answer of the engine; raise EngineUnavailable after that."""
    try:
        async with asyncio.timeout(seconds):
            return await answer
    except TimeoutError:
        raise EngineUnavailable(f"no answer within {seconds:g} s") from None


def decoded(value: bytes | None, kind: type[Value]) -> Value | None:
    """Return the decoded value of a key; None when there is none or it cannot be decoded."""
    try:
        return None if value is None else msgspec.msgpack.decode(value, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
