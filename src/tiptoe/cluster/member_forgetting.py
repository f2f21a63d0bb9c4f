"""How does a member of a crawl on many machines forget what owners want to be forgotten?

    files of dead harvesters are settled
        ─▶ each wish: files are thinned, the shards are told, it is recorded
        ─▶ copies of other members' files are thinned ─▶ its copies of the shards are removed
        ─▶ `forgot.<agent>` says up to which command all is done

Only while no agent and no other process works in the directory: before an agent starts, or by
`tiptoe forget`. Whatever is interrupted is done again from where it was. The shards are read again from the
engine; if that has not got rid of everything by then, the agent cleans its copies later (`copy_cleaner`).
"""

import asyncio
import contextlib
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiptoe.cluster.cluster_operator import read_wishes
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.forgotten_notes import tell_shards
from tiptoe.cluster.gathered_forgetting import Apart, thin_gathered
from tiptoe.cluster.lost_members import is_of_member
from tiptoe.cluster.member_files import settle_files
from tiptoe.cluster.member_progress import note_forgotten
from tiptoe.cluster.shard_erasing import erased_by_shard
from tiptoe.errors import DamagedDatabase
from tiptoe.forget.catalog_pages import pages_in_catalog
from tiptoe.forget.conversions import conversions_settled
from tiptoe.forget.forgetting import CrawlAtRest, Forgetting
from tiptoe.forget.journal import Forgotten, Journal, load_journal
from tiptoe.forget.member_ledger import MemberLedger
from tiptoe.forget.member_wishes import MemberWishes, load_wishes, save_wishes
from tiptoe.frontier.filemarks import FileMarks
from tiptoe.frontier.wishes import NumberedWish
from tiptoe.keeper.database import DATABASE
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.partition import PARTITION_BYTES, Partition
from tiptoe.store.rocks import RocksStore
from tiptoe.url.wish import read_wish
from tiptoe.write.archive import Advance
from tiptoe.write.output_kinds import shard_of_file

__all__ = ["MemberForgetting"]

COPIES: Final = "frontier*"
"""Databases in `state`: the one in use, damaged ones that were set aside, the one from before an import."""

REMOVED: Final = "removed-frontier"
BUFFER_BYTES: Final = 16 << 20


@dataclass(frozen=True, kw_only=True)
class MemberForgetting:
    """What is to be forgotten in the directory of a member in which no other process works."""

    engine: Engine
    directory: Path
    agent: str
    robot: str  # the name in its files
    shards: int
    log: EventLog
    catalog: str = ""  # database of its catalog
    chars_min: int = 0  # minimum length of paragraphs by which texts are compared
    tell: Callable[[str], object] = lambda line: None
    advance: Advance = lambda count: None
    step: Callable[[], object] = lambda: None
    """Called before each step that cannot be undone."""

    apart: Apart = asyncio.to_thread

    async def run(self) -> list[Forgotten]:
        """Carry out all wishes that this member has not carried out yet; return what was removed."""
        wishes = await read_wishes(self.engine)
        known = load_wishes(self.directory)
        lines: list[Forgotten] = []
        todo = [one for one in wishes if one.number > known.files]
        interrupted = load_journal(self.directory)
        if todo or interrupted is not None:
            with conversions_settled(self.directory, self.tell):
                files = await self._settle_files()
                journals = self._journals(todo, interrupted)
                lines = [await self._forget(journal, files) for journal in journals]
        await thin_gathered(self.directory, wishes, self.tell, apart=self.apart)
        if lines:
            await self.apart(lambda: _remove_copies(self.directory))
        last = max((one.number for one in wishes), default=0)
        save_wishes(self.directory, MemberWishes(max(last, known.files), known.all))
        await self._conclude()
        return lines

    async def _conclude(self) -> None:
        """Note that all is done, if nothing can come back: the shards may have to be read again."""
        known = load_wishes(self.directory)
        if known.files > known.all and not self._has_copies and await self._are_shards_free(known.files):
            known = MemberWishes(known.files, known.files)
            save_wishes(self.directory, known)
        if known.all:
            await note_forgotten(self.engine, self.agent, known.all)

    @property
    def _has_copies(self) -> bool:
        return any((self.directory / "state").glob(COPIES))

    def _journals(self, todo: Sequence[NumberedWish], interrupted: Journal | None) -> list[Journal]:
        new = [
            Journal(target=one.wish.target, reason=one.wish.reason, wished_at=one.wish.wished_at)
            for one in todo
        ]
        if interrupted is None:
            return new
        return [interrupted, *(one for one in new if _named(one) != _named(interrupted))]

    async def _settle_files(self) -> list[str]:
        """Mend files that dead harvesters have left; return the files of this member, by the shards."""
        with contextlib.closing(self._opened()) as store:
            await settle_files(self.directory, self.engine, store, self.shards, self.log)
            parts = (Partition(store, shard) for shard in range(self.shards))
            names = {name for part in parts for name in FileMarks(part).all()}
        return sorted(name for name in names if is_of_member(name, self.agent, self.robot))

    def _opened(self) -> RocksStore:
        path = self.directory / DATABASE
        buffers = {"block_cache_bytes": BUFFER_BYTES, "write_buffer_bytes": BUFFER_BYTES}
        try:
            return RocksStore(path, **buffers, prefix_bytes=PARTITION_BYTES)
        except DamagedDatabase:
            _remove_copies(self.directory)
            return RocksStore(path, **buffers, prefix_bytes=PARTITION_BYTES)

    async def _forget(self, journal: Journal, files: Sequence[str]) -> Forgotten:
        self.tell(f"forgetting {journal.target}: {journal.reason}")
        self.log.note("forget.begins", target=journal.target)
        ledger = MemberLedger(self.directory, chars_min=self.chars_min, files=files)
        place = CrawlAtRest(self.directory, self.catalog, self.advance, self.step)
        forgetting = Forgetting(place, ledger, journal, now=time.time())
        wish, is_new = read_wish(journal.target), load_journal(self.directory) is None
        line: Forgotten | None = None

        def run() -> None:
            nonlocal line
            if is_new:
                journal.catalogued = pages_in_catalog(self.directory, self.catalog, wish)
                journal.save(self.directory)
            line = forgetting.run()

        await self.apart(run)
        assert line is not None
        changed = {name: (shard_of_file(name), change) for name, change in journal.files.items()}
        await tell_shards(
            self.engine, self.shards, changed, ledger.texts(), is_whole_host=wish.covers_host(wish.host)
        )
        self.step()
        ledger.close()
        forgetting.conclude(line)
        self.log.note("forget.done", target=journal.target, documents=line.documents, answers=line.answers)
        return line

    async def _are_shards_free(self, number: int) -> bool:
        done = await erased_by_shard(self.engine)
        return all(done.get(shard, 0) >= number for shard in range(self.shards))


def _named(journal: Journal) -> tuple[str, float]:
    return journal.target, journal.wished_at


def _remove_copies(directory: Path) -> None:
    """Remove all databases with copies of the shards; a killed process leaves none that looks whole."""
    removed = directory / "state" / REMOVED
    shutil.rmtree(removed, ignore_errors=True)
    for path in sorted((directory / "state").glob(COPIES)):
        if path.is_dir():
            path.rename(removed)
            shutil.rmtree(removed)
