"""Does an agent make no requests because the servers of its cluster do not confirm its shards?

They may be unreachable or unable to store more. Unless this is reported, the crawl stands still and nobody
knows why.
"""

from collections.abc import Collection

from tiptoe.cluster.held_shard import HeldShard
from tiptoe.protocol.status import Cause, Waiting, WaitReason

__all__ = ["awaited_servers"]


def awaited_servers(held: Collection[HeldShard], trouble: str) -> Waiting:
    """Return whether the agent waits for the servers; `trouble` is their last error."""
    is_uncertain = any(not one.is_certain for one in held if not one.is_closing)
    gets_nothing = bool(trouble) and not held
    if not (is_uncertain or gets_nothing):
        return Waiting()
    return Waiting(reasons=[WaitReason(cause=Cause.SERVERS, trouble=trouble)])
