"""How do copies of other members' files lose what is to be forgotten?

Whenever files are gathered, before anything is copied, and when a member carries out its own wishes. A member
that has not done that yet lets nobody copy its files (`file_service`), so nothing covered comes back.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from tiptoe.cluster.gathering import gathering_lock
from tiptoe.forget.gathered_copies import forget_in_copies
from tiptoe.forget.member_wishes import MemberWishes, load_wishes, save_wishes
from tiptoe.frontier.wishes import NumberedWish
from tiptoe.observe.crawl_members import MEMBERS_FOLDER, member_directories
from tiptoe.url.wish import read_wish

__all__ = ["Apart", "thin_gathered"]

Apart = Callable[[Callable[[], object]], Awaitable[object]]
"""Runs what takes long, so that connections are served meanwhile."""


async def thin_gathered(
    directory: Path, wishes: Sequence[NumberedWish], tell: Callable[[str], object] = lambda line: None, *,
    apart: Apart = asyncio.to_thread,
) -> None:  # fmt: skip
    """Remove what is covered from the copies in a directory, unless that was done."""
    if wishes and (directory / MEMBERS_FOLDER).is_dir():
        with gathering_lock(directory):
            await apart(lambda: _thin(directory, wishes, tell))


def _thin(directory: Path, wishes: Sequence[NumberedWish], tell: Callable[[str], object]) -> None:
    last = wishes[-1].number
    for copy in member_directories(directory):
        done = load_wishes(copy).files
        for one in wishes:
            if one.number > done:
                tell(f"forgetting {one.wish.target} in {copy}")
                forget_in_copies(copy, read_wish(one.wish.target), now=time.time())
        if last > done:
            (copy / "state").mkdir(exist_ok=True)
            save_wishes(copy, MemberWishes(last, last))
