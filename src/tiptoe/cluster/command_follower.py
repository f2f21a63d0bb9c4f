"""How does an agent carry out commands that are given to the whole crawl?

It reads all of them before it takes part, and then carries them out as they arrive, in order: its keeper
handles pauses and changes of settings; the frontiers of its shards handle what concerns hosts, and each notes
in its own tables the last command it has carried out. What is to be forgotten is erased from the shards, and
from the files of this member when its agent is next started. A shard that was not held at the time gets the
commands when it is taken, before any of its visits begins. To a request to `agent.<name>.obeyed` the agent
answers with the last command up to which all are carried out: every shard has them in its log, and every
harvester has received them.

Rules: a stop concerns only the agents that were running when it was given. An agent may take a shard only if
it knows every command that the shard knows, or that was given before it takes the shard (`LAST_KEY`).
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from tiptoe.cluster.command_row import COMMANDS, LAST_KEY, CommandRow, GivenCommand
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.errors import CrawlerError
from tiptoe.frontier.wishes import NumberedWish
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.operator import Reconfigure, StopCrawl

__all__ = ["CommandCalls", "CommandFollower", "Obeyed", "decode_obeyed", "obeyed_subject"]

RETRY_SECONDS: Final = 1.0


def obeyed_subject(agent: str) -> str:
    """Return the subject under which an agent tells which commands it has carried out."""
    return f"agent.{agent}.obeyed"


class Obeyed(msgspec.Struct, frozen=True, array_like=True):
    """The last command that an agent has carried out, and the shards it holds."""

    number: int
    shards: tuple[int, ...] = ()


_encode = msgspec.msgpack.Encoder().encode
decode_obeyed: Final = msgspec.msgpack.Decoder(Obeyed).decode


@dataclass(frozen=True, kw_only=True)
class CommandCalls:
    """Callbacks for the commands that do not concern single hosts."""

    pause: Callable[[bool], object] = lambda is_paused: None  # stop making requests, or resume
    reconfigure: Callable[[dict[str, str]], object] = lambda settings: None
    stop: Callable[[], object] = lambda: None
    forget: Callable[[Sequence[NumberedWish]], object] = lambda wishes: None  # in the files; all of them
    are_obeyed: Callable[[], bool] = lambda: True  # whether harvesters have received all orders


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
        wishes_came: Callable[[], object] = lambda: None,
        are_erased: Callable[[], bool] = lambda: True,
        settings_known: int | None = None,
    ) -> None:
        """`settings_known`: the last command that the agent's initial settings include.

        `are_erased` says whether the shards that are run here have carried out all wishes known by then.
        """
        self._engine = engine
        self._frontier = frontier
        self._calls = calls
        self._events = events
        self._subject = obeyed_subject(agent)
        self._count = count  # of seconds, by this machine
        self._end_visits = end_visits
        self._wishes_came = wishes_came
        self._are_erased = are_erased
        self._settings_known = settings_known
        self._row = CommandRow()
        self._joined_after: int | None = None  # the last command when this agent began
        self._carried_out = 0
        self._obeyed = 0
        self._is_paused = False
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Watch for commands and carry them out until cancelled."""
        async with self._engine.serve(self._subject, self._answer):
            while True:
                with contextlib.suppress(EngineUnavailable):
                    async with self._engine.watch(COMMANDS) as changes:
                        await self._follow(changes)
                await asyncio.sleep(RETRY_SECONDS)

    async def are_read(self) -> None:
        """Wait until all commands that existed when this agent began are known."""
        while self._joined_after is None:
            await self._next()

    async def are_known(self, number: int) -> None:
        """Wait until the commands up to this one, and all that were given by now, have been carried out."""
        number = max(number, await self._last_given())
        while self._carried_out < number:
            await self._next()

    async def _last_given(self) -> int:
        while True:
            with contextlib.suppress(EngineUnavailable):
                found = await self._engine.get(LAST_KEY)
                return int(found.value or b"0") if found is not None else 0
            await asyncio.sleep(RETRY_SECONDS)

    async def _next(self) -> None:
        self._news.clear()
        await self._news.wait()

    async def _follow(self, changes: AsyncIterator[KeyChange | None]) -> None:
        known: set[int] = set()
        is_whole = False
        async for change in changes:
            if change is None:  # the end of the list: commands that are not on it were deleted
                self._row.keep(known)
                known.clear()
                is_whole = True
            elif change.value is None:
                self._row.remove(change.key)
            else:
                known.add(self._row.add(change.value))
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
            if wishes := row.wishes():
                self._frontier.wishes.know(wishes)
                self._calls.forget(wishes)
                self._wishes_came()
            # First, so that harvesters get these orders after every visit that still waits to be sent.
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
            except CrawlerError as error:  # its giver should have checked; other agents accept it
                self._events.note("command.refused", number=given.number, error=str(error))

    async def _answer(self, question: bytes) -> bytes:
        held = list(self._frontier.held)
        is_stored = all(one.obeyed >= self._carried_out for one in held)
        if is_stored and self._are_erased() and self._calls.are_obeyed():
            self._obeyed = self._carried_out
        return _encode(Obeyed(self._obeyed, tuple(sorted(one.shard for one in held))))
