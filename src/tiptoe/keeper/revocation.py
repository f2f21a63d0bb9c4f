"""What did a harvester say of a shard before it heard that the shard is no longer ours?

Results and marks that were under way. Whoever holds the shard now asks for those pages again; and should that
be us, their lines would stand in files whose marks had been noted, so twice in the corpus.
"""

from collections.abc import Collection

import msgspec

from tiptoe.frontier.visits import shard_of_visit
from tiptoe.protocol.messages import News
from tiptoe.url.dropped import Dropped
from tiptoe.write.output_kinds import shard_of_file

__all__ = ["left_marks", "sift_revoked"]


def sift_revoked(news: News, revoked: Collection[int]) -> News:
    """Return news without what is about these shards; results that go are counted."""
    kept = [report for report in news.reports if shard_of_visit(report.visit) not in revoked]
    results = sum(len(report.results) for report in news.reports) - sum(
        len(report.results) for report in kept
    )
    discards = dict(news.discards)
    if results:
        discards[Dropped.LEASE_LOST] = discards.get(Dropped.LEASE_LOST, 0) + results
    return msgspec.structs.replace(
        news, reports=kept, marks=left_marks(news.marks, revoked), discards=discards
    )


def left_marks(marks: dict[str, int], revoked: Collection[int]) -> dict[str, int]:
    """Return the marks of files of other shards than these."""
    return {name: size for name, size in marks.items() if shard_of_file(name) not in revoked}
