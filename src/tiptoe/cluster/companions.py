"""How do the tasks of a member run side by side, so that none of them ends unnoticed?

Each serves requests, or looks after something, for as long as the member runs. If one failed, nobody here
would notice: files of other members would never be settled, lost pages never requested again. So the failure
of a task is a failure of the member.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

__all__ = ["side_by_side"]


async def side_by_side(*works: Coroutine[Any, Any, object]) -> None:
    """Run these coroutines until all have ended; the first exception cancels the others and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except ExceptionGroup as faults:
        raise faults.exceptions[0] from None
