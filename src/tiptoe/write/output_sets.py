"""To which files does a harvester write the records of a page?

In a crawl on one machine each harvester has one set of files. With several shards it has a set for each shard
whose pages it writes: pages and the marks of their files are then committed together by the holder of the
shard, and mended independently of other shards.

    begun        with the first visit of its shard
    resting      its files are not open, because many other sets were used since
    closed       its shard was not visited for long, and everything is acknowledged
    abandoned    the shard was taken from us: what is not acknowledged is left to the recovery

A set that is begun again has another name: see `shard_writer`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Final

from tiptoe.errors import DiskFull
from tiptoe.protocol.work import ShardTime
from tiptoe.write.logentries import Terms
from tiptoe.write.output_kinds import shard_writer
from tiptoe.write.outputs import Outputs

__all__ = ["OutputSets"]

SETS_AWAKE_MAX: Final = 96
"""Maximum number of sets whose files stay open between reports; each has up to nine files."""

UNUSED_SECONDS: Final = 600.0
"""Seconds after its last use when a set is closed, unless a visit of its shard is under way."""

WHOLE_CRAWL: Final = 0
"""The only shard of a crawl on one machine."""


class OutputSets:
    """The files of one harvester; `begin` opens a set for a writer's name and the current terms."""

    def __init__(
        self, incarnation: str, begin: Callable[[str, Terms | None], Outputs], *,
        terms: Terms | None = None, is_sharded: bool = False,
    ) -> None:  # fmt: skip
        self._incarnation = incarnation
        self._begin_set = begin
        self._terms = terms
        self._is_sharded = is_sharded
        self._sets: dict[int, Outputs] = {}  # by shard; most recently visited last
        self._begun: Counter[int] = Counter()
        self._visits: Counter[Outputs] = Counter()  # under way
        self._unused_since: dict[int, float] = {}
        self._revoked: list[Outputs] = []
        if not is_sharded:
            self._sets[WHOLE_CRAWL] = begin(incarnation, terms)

    def __iter__(self) -> Iterator[Outputs]:
        return iter(self._sets.values())

    def __repr__(self) -> str:
        return f"<OutputSets {self._incarnation} {len(self._sets)} sets, {len(self._revoked)} revoked>"

    def of(self, shard: int) -> Outputs:
        """Return the set of a shard, which must have a visit under way."""
        return self._sets[shard]

    def begin_visit(self, shard: int, time: ShardTime | None = None) -> Outputs:
        """Return the set of a shard; it stays the same until the visit ends.

        `time`: the shard's clock according to the keeper, for the log; None if there is only one machine.
        """
        outputs = self._sets.pop(shard, None) or self._begin(shard)
        self._sets[shard] = outputs
        if time is not None:
            outputs.requests.note_time(shard, time)
        self._visits[outputs] += 1
        return outputs

    def end_visit(self, outputs: Outputs) -> None:
        """Note that a visit has ended; its report may still be on its way."""
        self._visits[outputs] -= 1
        if not self._visits[outputs]:
            del self._visits[outputs]

    def _begin(self, shard: int) -> Outputs:
        assert self._is_sharded, f"shard {shard}: a crawl without shards"
        self._begun[shard] += 1
        return self._begin_set(shard_writer(self._incarnation, shard, self._begun[shard]), self._terms)

    def revoke(self, shard: int) -> None:
        """Abandon the set of a shard that was taken from us, as soon as its visits have ended."""
        outputs = self._sets.pop(shard, None)
        if outputs is not None:
            self._revoked.append(outputs)
            self._abandon_revoked()

    def tidy(self, now: float) -> None:
        """Close sets that are no longer needed, and files of the others if too many are open."""
        if not self._is_sharded:
            return
        self._abandon_revoked()
        self._close_unused(now)
        for outputs in list(self)[:-SETS_AWAKE_MAX]:
            outputs.let_go()

    def _abandon_revoked(self) -> None:
        for outputs in [one for one in self._revoked if one not in self._visits]:
            with suppress(DiskFull):  # lines of the log that find no room are evidence, and must wait
                outputs.abandon()
                self._revoked.remove(outputs)

    def _close_unused(self, now: float) -> None:
        unused = {
            shard: self._unused_since.get(shard, now)
            for shard, outputs in self._sets.items()
            if outputs not in self._visits and outputs.is_settled
        }
        self._unused_since = unused
        for shard, since in list(unused.items()):
            if now - since >= UNUSED_SECONDS:
                with suppress(DiskFull):
                    self._sets[shard].close()
                    del self._sets[shard], unused[shard]

    def write_order(self, order: str, host: str = "") -> None:
        """Log an order of the operator that is obeyed from now on, by every visit under way."""
        for outputs in self:
            outputs.requests.write_order(order, host)

    def write_terms(self, terms: Terms) -> None:
        """Log the terms under which requests are made from now on."""
        self._terms = terms
        for outputs in self:
            outputs.requests.write_terms(terms)

    # -- the same as for one set -------------------------------------------

    def flush(self) -> None:
        """Write everything that waits; on DiskFull nothing is lost: call again when there is room."""
        for outputs in self:
            outputs.flush()

    def sync(self) -> None:
        """Make what was flushed survive a power cut."""
        for outputs in list(self):
            outputs.sync()

    def marks(self) -> dict[str, int]:
        """Return the flushed size of each file that the keeper has not acknowledged yet."""
        return {name: size for outputs in self for name, size in outputs.marks().items()}

    def acknowledge(self, marks: Mapping[str, int]) -> None:
        """Note that the keeper has recorded these marks; full files are finished."""
        for outputs in self:
            outputs.acknowledge(marks)

    def close(self) -> None:
        """Finish files that the keeper has recorded completely; leave the rest to the recovery."""
        for outputs in self:
            outputs.close()
        for outputs in self._revoked:
            outputs.abandon()
        self._revoked.clear()
