"""How does an operator give commands to a crawl on many machines?

A command is stored first, under the next number, so that no agent can miss it: one that is away or joins
later carries it out then. After that all live agents are asked until they have carried it out.
"""

import asyncio
import contextlib
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from tiptoe.cluster.agent_announcer import decoded
from tiptoe.cluster.command_follower import Obeyed, decode_obeyed, obeyed_subject
from tiptoe.cluster.command_row import (
    COMMANDS,
    LAST_KEY,
    ClusterCommand,
    CommandRow,
    GivenCommand,
    checked,
    command_key,
    encoded,
)
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange, NoResponse, OutOfDate
from tiptoe.cluster.key_reading import read_keys
from tiptoe.cluster.shard_lease import LeaseRecord
from tiptoe.frontier.wishes import NumberedWish

__all__ = ["ClusterOperator", "Confirmation", "last_command", "read_wishes"]

ASK_SECONDS: Final = 2.0
AGAIN_SECONDS: Final = 0.1
IDLERS_SECONDS: Final = 3.0
"""Longest wait for agents without shards: they are dead, or learn of the command before they take one."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Which agents have carried out a command, and which did not answer."""

    number: int
    confirmed: tuple[str, ...]  # agents
    silent: tuple[str, ...]
    is_complete: bool  # no silent agent may act for a shard


class ClusterOperator:
    """Gives commands to a crawl."""

    def __init__(
        self,
        engine: Engine,
        *,
        name: str,
        wall: Callable[[], float] = time.time,
        new_token: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._engine = engine
        self._name = name
        self._wall = wall
        self._new_token = new_token

    async def give(self, command: ClusterCommand, *, seconds: float = 15.0) -> Confirmation:
        """Store a command, wait this long for it to be carried out, and return which agents have done so.

        Raises ProtocolError for a command that makes no sense, and EngineUnavailable when it could not be
        stored; it may have been: see `history`.
        """
        given = await self._store(checked(command))
        try:
            await self._note_last(given.number)
        except EngineUnavailable:
            return Confirmation(given.number, (), (), is_complete=False)
        confirmation = await self.confirm(given.number, seconds=seconds)
        if confirmation.is_complete:
            with contextlib.suppress(EngineUnavailable, OutOfDate):
                await self._tidy_up(given.number)
        return confirmation

    async def history(self) -> list[GivenCommand]:
        """Return the stored commands, oldest first."""
        return (await self._row()).after(0)

    async def confirm(self, number: int, *, seconds: float) -> Confirmation:
        """Ask all agents until each has carried out a command, but for no longer than this."""
        loop = asyncio.get_running_loop()
        began_at = loop.time()
        confirmed: set[str] = set()
        silent: set[str] = set()
        is_complete = False
        while True:
            with contextlib.suppress(EngineUnavailable):
                agents, holders = await self._agents()
                confirmed |= await self._who_obeyed(sorted((agents | holders) - confirmed), number)
                silent = (agents | holders) - confirmed
                # Holders are read again: a shard may have moved to another agent meanwhile.
                is_complete = not silent or not ((await self._agents())[1] | (silent & holders)) - confirmed
            waited = loop.time() - began_at
            is_enough = is_complete and (not silent or waited > IDLERS_SECONDS)
            if is_enough or waited > seconds:
                return Confirmation(number, tuple(sorted(confirmed)), tuple(sorted(silent)), is_complete)
            await asyncio.sleep(AGAIN_SECONDS)

    async def holders(self) -> set[str]:
        """Return the agents that hold shards; one that died holds them for a while."""
        return (await self._agents())[1]

    async def _who_obeyed(self, agents: list[str], number: int) -> set[str]:
        """Return which of some agents have carried out a command."""
        answers = await asyncio.gather(*(self._ask(agent) for agent in agents))
        return {
            agent
            for agent, answer in zip(agents, answers, strict=True)
            if answer is not None and answer.number >= number
        }

    async def _ask(self, agent: str) -> Obeyed | None:
        try:
            answer = await self._engine.request(obeyed_subject(agent), b"", seconds=ASK_SECONDS)
            return decode_obeyed(answer)
        except (NoResponse, EngineUnavailable, msgspec.DecodeError):
            return None

    async def _agents(self) -> tuple[set[str], set[str]]:
        """Return all known agents, and those that hold shards."""
        agents = {key.partition(".")[2] for key in await read_keys(self._engine, "agent")}
        leases = await read_keys(self._engine, "shard")
        records = (decoded(change.value, LeaseRecord) for change in leases.values())
        holders = {record.holder for record in records if record is not None and record.holder}
        return agents, holders

    async def _store(self, command: ClusterCommand) -> GivenCommand:
        token = self._new_token()
        while True:
            row = await self._row()
            if (stored := _find(row.after(0), token)) is not None:
                return stored
            given = row.next(command, self._name, self._wall(), token)
            try:
                await self._engine.put(command_key(given.number), encoded(given))
                return given
            except OutOfDate:
                continue  # another command, or our own that seemed lost
            except EngineUnavailable:
                if _find((await self._row()).after(0), token) is None:
                    raise

    async def _note_last(self, number: int) -> None:
        """Make sure that agents that take a shard from now on know of this command."""
        while True:
            found = await self._engine.get(LAST_KEY)
            if found is not None and int(found.value or b"0") >= number:
                return
            with contextlib.suppress(OutOfDate):
                revision = found.revision if found is not None else 0
                await self._engine.put(LAST_KEY, str(number).encode(), revision=revision)
                return

    async def _row(self) -> CommandRow:
        return _row_of(await read_keys(self._engine, COMMANDS))

    async def _tidy_up(self, obeyed: int) -> None:
        """Delete the commands that are no longer needed."""
        keys = await read_keys(self._engine, COMMANDS)
        for number in _row_of(keys).outdated(self._wall(), obeyed=obeyed):
            key = command_key(number)
            await self._engine.delete(key, revision=keys[key].revision)


async def last_command(engine: Engine) -> int:
    """Return the number of the last command; settings read after this call include all changes up to it."""
    return _row_of(await read_keys(engine, COMMANDS)).last


async def read_wishes(engine: Engine) -> list[NumberedWish]:
    """Return what owners want to be forgotten, by number."""
    return _row_of(await read_keys(engine, COMMANDS)).wishes()


def _row_of(keys: dict[str, KeyChange]) -> CommandRow:
    row = CommandRow()
    for change in keys.values():
        row.add(change.value or b"")
    return row


def _find(given: Iterable[GivenCommand], token: str) -> GivenCommand | None:
    return next((one for one in given if one.token == token), None)
