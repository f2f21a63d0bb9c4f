"""Which peer has connected, and is it let in?

Every peer has to send a hello within a few seconds and of limited size. A peer that is not let in is told
why, and the refusal is logged; others are passed on to the code that talks to harvesters and operators.
"""

import asyncio
from collections.abc import Awaitable, Callable

from tiptoe.errors import ProtocolError
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.door import RefusalLog
from tiptoe.keeper.validation import refusal_of
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.messages import Hello, ToKeeper
from tiptoe.protocol.wire import HELLO_BYTES_MAX, Connection

__all__ = ["Reception"]

HELLO_SECONDS = 10.0
THIS_MACHINE = "this_machine"
NO_HELLO = "no_hello"


def _nobody_waits() -> None:
    """Do nothing when a peer is let in."""


class Reception:
    """Reads the first message of every peer."""

    def __init__(
        self, log: EventLog, clock: Clock, *, token: str, crawl: str,
        serve_harvester: Callable[[Connection[ToKeeper], Hello], Awaitable[None]],
        serve_operator: Callable[[Connection[ToKeeper]], Awaitable[None]],
        fail: Callable[[Exception], None],
    ) -> None:  # fmt: skip
        self._clock = clock
        self._token = token
        self._crawl = crawl
        self._serve_harvester = serve_harvester
        self._serve_operator = serve_operator
        self._fail = fail
        self.refusals = RefusalLog(log)

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *,
        needs_token: bool = False, peer: str = THIS_MACHINE, let_in: Callable[[], None] = _nobody_waits,
    ) -> None:  # fmt: skip
        """Talk to a peer that has just connected."""
        connection: Connection[ToKeeper] = Connection(reader, writer, ToKeeper)
        await self.talk(connection, needs_token=needs_token, peer=peer, let_in=let_in)

    async def talk(
        self, connection: Connection[ToKeeper], *,
        needs_token: bool = False, peer: str = THIS_MACHINE, let_in: Callable[[], None] = _nobody_waits,
    ) -> None:  # fmt: skip
        """Talk to one peer until it disconnects; one from the network has to show the token.

        `let_in` is called if the peer is admitted.
        """
        try:
            hello = await asyncio.wait_for(connection.receive(HELLO_BYTES_MAX), HELLO_SECONDS)
            if not isinstance(hello, Hello):
                if hello is not None:  # None: it hung up without a word
                    self.refuse(peer, NO_HELLO)
                return
            refusal = refusal_of(hello, self._token, needs_token=needs_token, crawl=self._crawl)
            if refusal is not None:
                self.refuse(peer, refusal.why.value, role=hello.role, name=hello.name)
                connection.send(refusal)
                await connection.drain()
                return
            let_in()
            if hello.role == "harvester":
                await self._serve_harvester(connection, hello)
            else:
                await self._serve_operator(connection)
        except (ProtocolError, TimeoutError) as error:
            self.refuse(peer, str(error) or NO_HELLO)
        except Exception as error:
            self._fail(error)
        finally:
            connection.close()

    def refuse(self, peer: str, reason: str, **facts: object) -> None:
        """Log that a peer was not let in, or was disconnected."""
        self.refusals.note("peer.refused", self._clock.now(), peer=peer, reason=reason, **facts)
