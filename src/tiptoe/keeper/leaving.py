"""What does a keeper do while others take over from it?

It goes on with what it still holds: a shard that waits for its next holder to get ready would otherwise stand
still, and with much in its queues that takes a while. What is being handed over begins no more visits anyway.
A crawl that ends by a limit, or because nothing is left, does not go on.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from tiptoe.observe.stops import Stop

__all__ = ["work_until_left"]

GOING_ON: Final = frozenset({Stop.OPERATOR, Stop.INTERRUPTED})
"""Endings after which the crawl goes on elsewhere."""

TURN_SECONDS: Final = 0.05


async def work_until_left(
    leave: Callable[[], Awaitable[None]], hand_out: Callable[[], None], stopped_because: Stop | None
) -> None:
    """Hand everything over; meanwhile hand out work, if that takes any time."""
    leaving = asyncio.ensure_future(leave())
    try:
        while not (await asyncio.wait({leaving}, timeout=TURN_SECONDS))[0]:
            if stopped_because in GOING_ON:
                hand_out()
    finally:
        leaving.cancel()
    await leaving
