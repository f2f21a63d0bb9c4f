"""How can a client watch keys if it may not create anything on the servers?

It reads one key after the other, and all of them again after a while, which looks like `Engine.watch` after a
loss of the connection.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from tiptoe.cluster.nats_connection import NatsConnection, is_missing_message

__all__ = ["poll_keys"]

LOOK_SECONDS: Final = 2.0


async def poll_keys(
    connection: NatsConnection, stream: str, subjects: list[str]
) -> AsyncGenerator[RawStreamMsg | None, None]:
    """Yield the last message of each subject, then None; repeat this after a while."""
    while True:
        for subject in subjects:
            sequence = 1
            while (found := await _next(connection, stream, subject, sequence)) is not None:
                yield found
                sequence = (found.seq or 0) + 1
        yield None
        await asyncio.sleep(LOOK_SECONDS)


async def _next(connection: NatsConnection, stream: str, subject: str, sequence: int) -> RawStreamMsg | None:
    async def look(js: JetStreamContext) -> RawStreamMsg | None:
        try:
            return await js.get_msg(stream, seq=sequence, subject=subject, next=True)
        except NotFoundError as error:
            if is_missing_message(error):
                return None
            raise

    return await connection.call(subject, look, is_repeatable=True)
