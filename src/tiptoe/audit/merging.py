"""In which order did everything happen?

Each log is in order of time by itself, so the logs are merged as they are read: a log is
opened when its moment comes and closed at its end, and no more of them are open than
harvesters worked at once. Nothing is sorted and nothing is held.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from tiptoe.audit.log_lines import Event, Log, read_cut_off, read_log

__all__ = ["in_order_of_time"]


def in_order_of_time(
    logs: Sequence[Log],
    *,
    wanted: Callable[[bytes], bool] | None = None,
    read: Callable[[int], None] = lambda size: None,
) -> Iterator[Event]:
    """Yield the events of all logs, by the moment they were written or, if cut off, began."""
    streams: list[tuple[float, Iterator[Event]]]
    streams = [(log.first_at + log.shift, read_log(log, wanted=wanted, read=read)) for log in logs]
    streams += [(cut_off[0].at, iter(cut_off)) for log in logs if (cut_off := read_cut_off(log))]
    waiting = deque(sorted(streams, key=lambda pair: pair[0]))
    heap: list[tuple[float, int, Event, Iterator[Event]]] = []
    opened = 0
    while waiting or heap:
        while waiting and (not heap or waiting[0][0] <= heap[0][0]):
            _, stream = waiting.popleft()
            opened += 1
            if (first := next(stream, None)) is not None:
                heapq.heappush(heap, (first.at, opened, first, stream))
        if not heap:
            continue
        _, number, event, stream = heap[0]
        yield event
        if (following := next(stream, None)) is not None:
            heapq.heapreplace(heap, (following.at, number, following, stream))
        else:
            heapq.heappop(heap)
