"""What does a keeper do while others take over from it?

It goes on working on the shards it still holds. Otherwise a shard would stand still until its next holder is
ready, which takes a while if its queues are long. A shard that is being handed over begins no visits anyway.
If the crawl ends by a limit, or because nothing is left, no more work is handed out.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from tiptoe.observe.stops import Stop

__all__ = ["work_until_left"]

GOING_ON: Final = frozenset({Stop.OPERATOR, Stop.INTERRUPTED})
"""Reasons to stop after which the crawl goes on elsewhere."""

TURN_SECONDS: Final = 0.05


async def work_until_left(
    leave: Callable[[], Awaitable[None]], hand_out: Callable[[], None], stopped_because: Stop | None
) -> None:
    """Hand everything over, and hand out work for as long as that takes."""
    leaving = asyncio.ensure_future(leave())
    try:
        while not (await asyncio.wait({leaving}, timeout=TURN_SECONDS))[0]:
            if stopped_because in GOING_ON:
                hand_out()
    finally:
        leaving.cancel()
    await leaving
