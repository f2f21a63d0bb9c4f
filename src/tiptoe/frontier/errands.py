"""Which requests to a host that has all its pages serve other hosts?

They are made all the same, and are looked for in the queue of seeds and errands, which may be long: a step
looks at a bounded part of it, so that other hosts have their turn.
"""

from typing import Final

from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.queues import Chunk, Queues
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Writes

__all__ = ["ERRANDS_SECONDS", "FOR_OTHERS", "take_errands"]

FOR_OTHERS: Final = (Purpose.ROBOTS, Purpose.REQUISITE)
"""Purposes of requests that serve other hosts: their rules, and what their pages need to be shown."""

SOUGHT_MAX: Final = 20_000
"""Maximum number of requests that are looked at in one step."""

ERRANDS_SECONDS: Final = 0.25
"""How long a host waits in whose queue none was found, until the next part is looked at."""


def take_errands(queues: Queues, batch: Writes, record: HostRecord, wanted: int) -> list[Request]:
    """Take up to `wanted` errands from the first queue of a host, and put its pages into the second."""
    errands: list[Request] = []
    sought = 0
    while sought < SOUGHT_MAX and (taken := queues.take_first(batch, record, wanted - len(errands))):
        sought += len(taken)
        for request in taken:
            if request.purpose in FOR_OTHERS:
                errands.append(request)
            else:
                queues.push(record, 1, Chunk.of(request))
    return errands
