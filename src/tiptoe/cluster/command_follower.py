"""How does an agent obey commands that are given to the whole crawl?

It reads all of them before it takes part, and then carries them out as they come, in their order: pauses and
changes of settings by its keeper, what concerns hosts by the frontiers of its shards, each of which notes in
its own tables how far it has come. A shard that nobody held meanwhile is told when it is taken, before any
visit of it begins. Asked under `agent.<name>.obeyed`, it says which command it has carried out last, with all
before: every shard has it in its log, and every harvester has heard of it.

Rules: a stop is for those who were there when it was given. A shard is taken only by who knows every
command that the shard knows.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from tiptoe.cluster.command_row import COMMANDS, CommandRow, GivenCommand
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.errors import CrawlerError
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.operator import Reconfigure, StopCrawl

__all__ = ["CommandCalls", "CommandFollower", "Obeyed", "decode_obeyed", "obeyed_subject"]

RETRY_SECONDS: Final = 1.0


def obeyed_subject(agent: str) -> str:
    """Return under which subject an agent says how far it has come."""
    return f"agent.{agent}.obeyed"


class Obeyed(msgspec.Struct, frozen=True, array_like=True):
    """How far an agent has come, and with which shards."""

    number: int
    shards: tuple[int, ...] = ()


_encode = msgspec.msgpack.Encoder().encode
decode_obeyed: Final = msgspec.msgpack.Decoder(Obeyed).decode


@dataclass(frozen=True, kw_only=True)
class CommandCalls:
    """Who carries out what does not concern single hosts."""

    pause: Callable[[bool], object] = lambda is_paused: None  # make no request, or go on
    reconfigure: Callable[[dict[str, str]], object] = lambda settings: None
    stop: Callable[[], object] = lambda: None
    are_obeyed: Callable[[], bool] = lambda: True  # whether harvesters have heard of all that was ordered


class CommandFollower:
    """Carries out the commands of the operator, at one agent."""

    def __init__(
        self,
        engine: Engine,
        frontier: ShardedFrontier,
        calls: CommandCalls,
        events: EventLog,
        *,
        agent: str,
        count: Callable[[], float],
        end_visits: Callable[[Iterable[str]], object],
        settings_known: int | None = None,
    ) -> None:
        """`settings_known`: the settings that the agent began with have the commands up to this one."""
        self._engine = engine
        self._frontier = frontier
        self._calls = calls
        self._events = events
        self._subject = obeyed_subject(agent)
        self._count = count  # of seconds, by this machine
        self._end_visits = end_visits
        self._settings_known = settings_known
        self._row = CommandRow()
        self._joined_after: int | None = None  # the last command when this agent began
        self._carried_out = 0
        self._obeyed = 0
        self._is_paused = False
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Watch and carry out, for ever."""
        async with self._engine.serve(self._subject, self._answer):
            while True:
                with contextlib.suppress(EngineUnavailable):
                    async with self._engine.watch(COMMANDS) as changes:
                        await self._follow(changes)
                await asyncio.sleep(RETRY_SECONDS)

    async def are_read(self) -> None:
        """Wait until all commands are known that were there when this agent began."""
        while self._joined_after is None:
            await self._next()

    async def are_known(self, number: int) -> None:
        """Wait until the commands up to one are known, and carried out in all shards that are held."""
        while self._carried_out < number:
            await self._next()

    async def _next(self) -> None:
        self._news.clear()
        await self._news.wait()

    async def _follow(self, changes: AsyncIterator[KeyChange | None]) -> None:
        told: set[int] = set()
        is_whole = False
        async for change in changes:
            if change is None:  # all were told: those that were not are deleted
                self._row.keep(told)
                told.clear()
                is_whole = True
            elif change.value is None:
                self._row.remove(change.key)
            else:
                told.add(self._row.add(change.value))
            if is_whole:
                self._carry_out()

    def _carry_out(self) -> None:
        row = self._row
        if self._joined_after is None:
            self._joined_after = row.last
            if self._settings_known is None:
                self._settings_known = row.last
        if row.last > self._carried_out:
            self._frontier.orders.know(row.standing_orders(), row.last)
            # First: what harvesters are told then stands behind every visit that waits to be let out.
            hosts = self._frontier.obey(self._count())
            if hosts:
                self._end_visits(hosts)
            for given in row.after(self._carried_out):
                self._obey(given)
            self._carried_out = row.last
        if row.is_paused != self._is_paused:
            self._is_paused = row.is_paused
            self._calls.pause(self._is_paused)
        self._news.set()

    def _obey(self, given: GivenCommand) -> None:
        command = given.command
        self._events.note("command.heard", number=given.number, command=repr(command), by=given.given_by)
        if isinstance(command, StopCrawl) and given.number > (self._joined_after or 0):
            self._calls.stop()
        elif isinstance(command, Reconfigure) and given.number > (self._settings_known or 0):
            try:
                self._calls.reconfigure(command.settings)
            except CrawlerError as error:  # who has given it should have checked; the others go by it
                self._events.note("command.refused", number=given.number, error=str(error))

    async def _answer(self, question: bytes) -> bytes:
        held = list(self._frontier.held)
        is_stored = all(one.obeyed >= self._carried_out for one in held)
        if is_stored and self._calls.are_obeyed():
            self._obeyed = self._carried_out
        return _encode(Obeyed(self._obeyed, tuple(sorted(one.shard for one in held))))
