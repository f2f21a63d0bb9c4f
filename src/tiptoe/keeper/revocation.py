"""What did a harvester report about a shard before it learned that the shard is no longer ours?

Results and marks that were under way. They are ignored: the new holder of the shard requests those pages
again. If their marks were accepted and we were that holder, the pages would be in the corpus twice.
"""

from collections.abc import Collection

import msgspec

from tiptoe.frontier.visits import shard_of_visit
from tiptoe.protocol.messages import News
from tiptoe.url.dropped import Dropped
from tiptoe.write.output_kinds import shard_of_file

__all__ = ["left_marks", "sift_revoked"]


def sift_revoked(news: News, revoked: Collection[int]) -> News:
    """Return news without what concerns these shards; results that are left out are counted."""
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
    """Return the marks without those of files of these shards."""
    return {name: size for name, size in marks.items() if shard_of_file(name) not in revoked}
