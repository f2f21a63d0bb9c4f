"""How is work spread over the processors?"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from tiptoe.experiment.watch import Progress

__all__ = ["spread"]

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


def spread(
    work: Callable[[Task], Outcome], tasks: Sequence[Task], progress: Progress, *, is_heavy: bool
) -> list[Outcome]:
    """Return the outcome of each task, in order; heavy ones are done by processes, one for each processor."""
    workers = min(os.cpu_count() or 1, len(tasks))
    if not is_heavy or workers == 1:
        return list(_one_by_one(work, tasks, progress))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_ctrl_c_to_us) as pool:
        futures = [pool.submit(work, task) for task in tasks]
        try:
            for _ in as_completed(futures):
                progress(1 / len(tasks))
        except KeyboardInterrupt:
            # What the workers have in hand, and the next in their queue, may take minutes.
            for worker in multiprocessing.active_children():
                worker.kill()
            raise
        return [future.result() for future in futures]


def _leave_ctrl_c_to_us() -> None:
    """A worker would take it for the end of its task, and go on with the next."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _one_by_one(
    work: Callable[[Task], Outcome], tasks: Sequence[Task], progress: Progress
) -> Iterator[Outcome]:
    for task in tasks:
        yield work(task)
        progress(1 / len(tasks))
