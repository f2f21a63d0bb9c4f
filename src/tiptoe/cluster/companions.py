"""How do the tasks of a member run side by side, so that none of them ends unnoticed?

Each serves requests, or looks after something, for as long as the member runs. If one failed, nobody here
would notice: files of other members would never be settled, lost pages never requested again. So the failure
of a task is a failure of the member.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

__all__ = ["first_of", "side_by_side"]


async def side_by_side(*works: Coroutine[Any, Any, object]) -> None:
    """Run these coroutines until all have ended; the first exception cancels the others and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except ExceptionGroup as faults:
        raise faults.exceptions[0] from None


async def first_of(*works: Coroutine[Any, Any, object]) -> None:
    """Run several coroutines until one of them has ended; raise what it raised."""
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        done = [task for task in tasks if task.done()]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
