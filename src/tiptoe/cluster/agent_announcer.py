"""How do others learn that an agent is there?

It changes its key with every beat, and sooner when there is news. The name is its own: a process that finds
the key changed by another one ends.
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
"""A key that changes in each of so many spans is that of a process that lives; one that changes once may have
been changed by a message that was late."""

GOODBYES = 3
"""Tries to take the key away: a last beat may have been on its way."""

NEWS_PER_LEASE = 60
"""Changes of the key, however much there is to say."""


class AgentNameTaken(CrawlerError):
    """Another process takes part under the name of this agent."""

    def __init__(self, name: str) -> None:
        super().__init__(f"another process is agent {name!r} of this crawl; give this one a name of its own")
        self.name = name


class AgentAnnouncer:
    """Keeps the key of one agent alive."""

    def __init__(self, engine: Engine, presence: AgentPresence, lease_seconds: float) -> None:
        self.presence = presence
        self.trouble = ""  # why the last announcement was not answered; nothing: it was
        self._engine = engine
        self._key = f"agent.{presence.name}"
        self._revision = 0
        self._beat_seconds = lease_seconds / BEATS_PER_LEASE
        self._retry_seconds = lease_seconds / RETRIES_PER_LEASE
        self._pause_seconds = lease_seconds / NEWS_PER_LEASE
        self._has_news = asyncio.Event()

    def say(self, *, is_leaving: bool, ready: tuple[int, ...], has_room: bool = True) -> None:
        """Let others know, soon."""
        said = msgspec.structs.replace(self.presence, is_leaving=is_leaving, ready=ready, has_room=has_room)
        if said != self.presence:
            self.presence = said
            self._has_news.set()

    async def claim_name(self) -> None:
        """Make sure that nobody else lives under this name: what an earlier life has left does not go on.

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
        """Announce this agent for ever; raises AgentNameTaken when another process does so too."""
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

    async def say_goodbye(self) -> None:
        """Take the key away; where that fails the others will notice the silence."""
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
        """Change the key; False when it is not known whether that was done."""
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
        """Return what the key holds, as soon as the engine answers; None when there is no such key."""
        while True:
            with contextlib.suppress(EngineUnavailable):
                found = await in_time(self._beat_seconds, self._engine.get(self._key))
                return None if found is None or found.value is None else found
            await asyncio.sleep(self._retry_seconds)


def trouble_with(key: str, error: EngineUnavailable) -> str:
    """Return what the engine has said, but for the key that it was about: of many keys it says the same."""
    return str(error).rpartition(f"{key}: ")[2]


async def in_time(seconds: float, answer: Awaitable[Answer]) -> Answer:
    """Wait for an engine, but not for longer than this; raises EngineUnavailable."""
    try:
        async with asyncio.timeout(seconds):
            return await answer
    except TimeoutError:
        raise EngineUnavailable(f"no answer within {seconds:g} s") from None


def decoded(value: bytes | None, kind: type[Value]) -> Value | None:
    """Return what a key says; None when it says nothing that can be read."""
    try:
        return None if value is None else msgspec.msgpack.decode(value, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
