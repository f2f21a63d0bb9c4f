"""What does a member do if no server answers when it starts?

It waits, says so with the errors it got, and tries again at growing intervals. After a refusal (wrong
credentials, a server that cannot be trusted) it does not wait, because only the operator can fix that.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from tiptoe.cluster.engine import EngineUnavailable, UntrustedServer

__all__ = ["wait_for_servers", "wait_seconds"]

Reached = TypeVar("Reached")

FIRST_WAIT_SECONDS: Final = 1.0
WAIT_SECONDS_MAX: Final = 10.0
REMINDER_SECONDS: Final = 300.0
"""Interval at which an unchanged message is repeated, so that a console stays readable overnight."""


def wait_seconds(tries: int) -> float:
    """Return how long to wait after this many attempts without an answer."""
    return float(min(FIRST_WAIT_SECONDS * 2.0 ** min(tries - 1, 30), WAIT_SECONDS_MAX))


async def wait_for_servers(
    reach: Callable[[], Awaitable[Reached]],
    tell: Callable[[str], object],
    *,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Reached:
    """Try until a server answers; raise any error that waiting does not cure."""
    tries, text, said_at = 0, "", 0.0
    while True:
        try:
            return await reach()
        except UntrustedServer:
            raise
        except EngineUnavailable as error:
            tries += 1
            if str(error) != text or clock() - said_at >= REMINDER_SECONDS:
                text, said_at = str(error), clock()
                tell(f"waiting for the servers of the cluster: {text}")
        await pause(wait_seconds(tries))
