"""What do the shards that an agent holds know about the files that harvesters write?

A harvester writes separate files for each shard, so each shard has the marks of its own files, like a crawl
on one machine.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from tiptoe.cluster.held_shard import HeldShard
from tiptoe.frontier.filemarks import FileMark
from tiptoe.frontier.holdings import Holding
from tiptoe.frontier.losses import Loss, Verdicts

__all__ = ["ShardedOutputs", "split_by_shard"]

Moment = Callable[[HeldShard, float], float]


def split_by_shard(
    marks: Mapping[str, FileMark | None], shard_of: Callable[[str], int | None]
) -> dict[int, dict[str, FileMark | None]]:
    """Return marks by the shard that the pages in their files belong to."""
    split: dict[int, dict[str, FileMark | None]] = {}
    for name, mark in marks.items():
        split.setdefault(shard_of(name) or 0, {})[name] = mark
    return split


class ShardedOutputs:
    """The marks and holdings of the files of held shards; no file is opened here."""

    def __init__(
        self, held: Mapping[int, HeldShard], moment: Moment, shard_of: Callable[[str], int | None]
    ) -> None:
        self._held = held
        self._moment = moment
        self._shard_of = shard_of

    def marks(self) -> dict[str, FileMark]:
        """Return the mark of every file: its committed size, and whether it is finished."""
        return {
            name: mark for held in self._held.values() for name, mark in held.frontier.outputs.marks().items()
        }

    def note(self, marks: Mapping[str, FileMark | None]) -> None:
        """Record the marks of files that were examined; None deletes one."""
        for shard, some in split_by_shard(marks, self._shard_of).items():
            if shard in self._held:
                self._held[shard].frontier.outputs.note(some)

    def holdings(self, name: str) -> Iterator[Holding]:
        """Yield the holdings of a file."""
        held = self._held.get(self._shard_of(name) or 0)
        return held.frontier.outputs.holdings(name) if held is not None else iter(())

    def ask_again(self, losses: Iterable[Loss], now: float) -> Verdicts:
        """Queue pages again of which something was lost; return what could be done for how many."""
        verdicts, left = Verdicts(), list(losses)
        for held in self._held.values():
            known = [loss for loss in left if held.frontier.page_at(loss.key) is not None]
            if known:
                verdicts += held.frontier.outputs.ask_again(known, self._moment(held, now))
                left = [loss for loss in left if loss not in known]
        return verdicts + Verdicts(out_of_reach=len(left))
