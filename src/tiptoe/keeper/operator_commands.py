"""How does a running crawl answer an operator?

Commands are handled one by one. Each is answered when it is in force: when it is stored, and every harvester
has confirmed the order that follows from it.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from tiptoe.errors import ProtocolError
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.orders import Orders
from tiptoe.keeper.plan import CommandReply
from tiptoe.protocol.messages import Known, Refusal, ToKeeper
from tiptoe.protocol.operator import Command, OperatorReply, ReadingCommand
from tiptoe.protocol.wire import Connection

__all__ = ["OperatorCommands"]

COMMIT_SECONDS: Final = 30.0
OBEY_SECONDS: Final = 5.0
"""Maximum wait for a harvester that does not confirm; after that the operator is answered anyway."""


class OperatorCommands:
    """Receives the commands of operators, and answers them."""

    def __init__(
        self, frontier: CrawlFrontier, orders: Orders, clock: Clock, *,
        answer: Callable[[Command], CommandReply], stir: Callable[[], None],
    ) -> None:  # fmt: skip
        self._frontier = frontier
        self._orders = orders
        self._clock = clock
        self._answer = answer
        self._stir = stir

    async def serve(self, connection: Connection[ToKeeper]) -> None:
        """Answer one operator until it sends no more commands."""
        try:
            while isinstance(message := await connection.receive(), Command):
                await self._reply(connection, message)
        except ProtocolError as error:
            connection.send(Refusal(f"{error}; do both sides run the same version?"))
            await connection.drain()

    async def _reply(self, connection: Connection[ToKeeper], command: Command) -> None:
        try:
            said = self._answer(command)
            reply: OperatorReply | Known | Refusal = await said if isinstance(said, asyncio.Future) else said
        except ProtocolError as error:
            reply = Refusal(str(error))
        self._stir()
        if not isinstance(command, ReadingCommand) and not await self._is_committed():
            reply = Refusal("this could not be stored yet; it may still be: see `tiptoe status`")
        await self._obeyed()
        connection.send(reply)
        await connection.drain()

    async def _is_committed(self) -> bool:
        """Wait until everything done so far is stored; return False if that takes too long."""
        committed = asyncio.Event()
        self._frontier.after_commit(committed.set)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(committed.wait(), COMMIT_SECONDS)
        return committed.is_set()

    async def _obeyed(self) -> None:
        """Wait until every harvester has confirmed the last order: then the reply is true."""
        deadline = self._clock.now() + OBEY_SECONDS
        while self._clock.now() < deadline and not self._orders.are_obeyed:
            await asyncio.sleep(0.01)
