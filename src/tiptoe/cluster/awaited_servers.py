"""Does an agent make no request because the servers of its cluster do not confirm what it holds?

They may be away, or unable to store any more. Without a word about it a crawl would stand still, and nobody
would know why.
"""

from collections.abc import Collection

from tiptoe.cluster.held_shard import HeldShard
from tiptoe.protocol.status import Cause, Waiting, WaitReason

__all__ = ["awaited_servers"]


def awaited_servers(held: Collection[HeldShard], trouble: str) -> Waiting:
    """Return that the servers are waited for, if so; `trouble`: what was heard of them last."""
    is_uncertain = any(not one.is_certain for one in held if not one.is_closing)
    gets_nothing = bool(trouble) and not held
    if not (is_uncertain or gets_nothing):
        return Waiting()
    return Waiting(reasons=[WaitReason(cause=Cause.SERVERS, trouble=trouble)])
