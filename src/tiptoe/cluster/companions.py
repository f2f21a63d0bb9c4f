"""How do the works of a member go on side by side, so that none of them ends unnoticed?

Each answers others, or looks after something, for as long as the member lives. One that fails would be missed
by nobody here: files of other members would never be settled, lost pages never be asked for. So its fault is
that of the member.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

__all__ = ["side_by_side"]


async def side_by_side(*works: Coroutine[Any, Any, object]) -> None:
    """Do all of these until they have ended; the first fault ends the others, and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except ExceptionGroup as faults:
        raise faults.exceptions[0] from None
