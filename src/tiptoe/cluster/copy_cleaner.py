"""How does what was forgotten leave the copies of shards on the disk of a member?

Its database still has deleted rows in its files. When the engine has nothing of a wish any more, and the
files of this member were done before its agent started, copies of shards that nobody follows here are
dropped, and the tables are written anew, while the crawl goes on. Then the member has carried out the wish.
"""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tiptoe.cluster.engine import Engine, EngineUnavailable
from tiptoe.cluster.member_progress import note_forgotten
from tiptoe.cluster.shard_erasing import erased_by_shard
from tiptoe.forget.member_wishes import MemberWishes, load_wishes, save_wishes
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.rocks import RocksStore

__all__ = ["CopyCleaner"]

LOOK_SECONDS: Final = 5.0
DONE: Final = object()


class CopyCleaner:
    """Cleans the database of one member, once after each wish."""

    def __init__(
        self, engine: Engine, directory: Path, store: RocksStore, *, agent: str, shards: int,
        drop_unused: Callable[[], bool], log: EventLog,
    ) -> None:  # fmt: skip
        """`drop_unused` drops the copies of shards that are neither held nor followed.

        It returns whether the others are up to date.
        """
        self._engine = engine
        self._directory = directory
        self._store = store
        self._agent = agent
        self._shards = shards
        self._drop_unused = drop_unused
        self._log = log

    @property
    def is_due(self) -> bool:
        """Whether there is something to be cleaned, now or soon."""
        known = load_wishes(self._directory)
        return known.all < known.files

    async def run(self) -> None:
        """Clean when it is time, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            with contextlib.suppress(EngineUnavailable):
                await self._look()

    async def _look(self) -> None:
        if not self.is_due:
            return
        known = load_wishes(self._directory)
        erased = await erased_by_shard(self._engine)
        if any(erased.get(shard, 0) < known.files for shard in range(self._shards)):
            return
        if not self._drop_unused():
            return
        await self._purge()
        latest = load_wishes(self._directory)
        save_wishes(self._directory, MemberWishes(latest.files, known.files, latest.waiting))
        await note_forgotten(self._engine, self._agent, known.files)
        self._log.note("forget.cleaned", number=known.files)

    async def _purge(self) -> None:
        tables = self._store.purging()
        while True:
            step = asyncio.ensure_future(asyncio.to_thread(next, tables, DONE))
            try:
                if await asyncio.shield(step) is DONE:
                    return
            finally:
                if not step.done():  # the database must not be closed meanwhile
                    await asyncio.wait([step])
