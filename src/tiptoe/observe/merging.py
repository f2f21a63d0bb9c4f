"""In which order did the events of several logs happen?

Each log is itself in order of time, so the logs are merged as they are read: a log is
opened at its first moment and closed at its end, and no more of them are open than there
were harvesters at the same time. Nothing is sorted or kept in memory.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["in_order_of_time"]

Entry = TypeVar("Entry")


def in_order_of_time(
    logs: Iterable[tuple[float, Iterator[Entry]]], moment: Callable[[Entry], float]
) -> Iterator[Entry]:
    """Yield the events of all logs by time; each log is given with its first moment and not read earlier."""
    waiting = deque(sorted(logs, key=lambda pair: pair[0]))
    heap: list[tuple[float, int, Entry, Iterator[Entry]]] = []
    opened = 0
    while waiting or heap:
        while waiting and (not heap or waiting[0][0] <= heap[0][0]):
            _, log = waiting.popleft()
            opened += 1
            for first in log:
                heapq.heappush(heap, (moment(first), opened, first, log))
                break
        if not heap:
            continue
        _, number, entry, log = heap[0]
        yield entry
        for following in log:
            heapq.heapreplace(heap, (moment(following), number, following, log))
            break
        else:
            heapq.heappop(heap)
