"""Does a member have room for shards?

Pure. A disk that is full for a moment moves no shard; if it stays full, the member leaves its shards to those
that have room. It takes some again when it has had room for just as long: otherwise shards would keep coming
and going with a disk at its limit.
"""

__all__ = ["DiskRoom"]


class DiskRoom:
    """Whether a member can take shards, judged by how long its disk has been full or not."""

    def __init__(self, wait_seconds: float) -> None:
        self._wait_seconds = wait_seconds
        self._differs_since: float | None = None
        self.is_there = True

    def look(self, *, is_full: bool, now: float) -> bool:
        """Note whether the disk is full now; return whether there is room for shards."""
        if is_full != self.is_there:
            self._differs_since = None
        elif self._differs_since is None:
            self._differs_since = now
        if self._differs_since is not None and now - self._differs_since >= self._wait_seconds:
            self.is_there = not is_full
            self._differs_since = None
        return self.is_there
