"""How is work divided among the processors?"""

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
    """Return the results of all tasks, in order; heavy ones run in processes, one per processor."""
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
            # The tasks in progress, and those next in the queue, may take minutes.
            for worker in multiprocessing.active_children():
                worker.kill()
            raise
        return [future.result() for future in futures]


def _leave_ctrl_c_to_us() -> None:
    """Ignore Ctrl-C: a worker would end only its current task and continue with the next."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _one_by_one(
    work: Callable[[Task], Outcome], tasks: Sequence[Task], progress: Progress
) -> Iterator[Outcome]:
    for task in tasks:
        yield work(task)
        progress(1 / len(tasks))
