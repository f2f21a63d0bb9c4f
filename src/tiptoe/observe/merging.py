"""In which order did everything happen that several logs tell?

Each log is in order of time by itself, so the logs are merged as they are read: a log is
opened when its moment comes and closed at its end, and no more of them are open than
harvesters worked at once. Nothing is sorted and nothing is held.
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
    """Yield what all logs tell by its moment; each is given with its first one, and not read before that."""
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
