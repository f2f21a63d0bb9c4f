"""Where do the links go that a step has found?

To the intake if their host lives here, otherwise to the shard where it lives.
"""

from tiptoe.frontier.intake import Intake
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.routing import Routing
from tiptoe.frontier.step import Step

__all__ = ["LinkAdmission"]


class LinkAdmission:
    """Counts links, and queues them or sends them to another shard."""

    def __init__(self, step: Step, routing: Routing | None, intake: Intake) -> None:
        self._step = step
        self._routing = routing  # None: there is no other shard
        self._intake = intake

    def admit(self, found_links: list[LinkBatch], now: float) -> int:
        """Queue new links to hosts that live here, send the others; return how many were queued."""
        self._step.totals.links += sum([len(found.links.urls) for found in found_links])
        if self._routing is not None:
            # Before they are sent: mail to other shards is stored as well.
            wanted = self._intake.without_forgotten(found_links)
            found_links = self._routing.keep(self._step.batch, wanted)
        return self._intake.admit(found_links, now)
