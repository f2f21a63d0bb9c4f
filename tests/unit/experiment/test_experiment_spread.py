"""Work on all processors, and an end to it."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from tiptoe.experiment.spread import spread


def be_interrupted(task: tuple[int, Path]) -> int:
    """Press Ctrl-C for the whole group, as a terminal does; then work on as if nothing had happened."""
    parent, begun = task
    if not begun.exists():
        begun.touch()
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(parent, signal.SIGINT)
    time.sleep(3600)  # longer than any test may take
    return 0


def test_ctrl_c_ends_the_work_of_all_processors_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that took the signal for the end of its task went on with the next, for minutes."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    tasks = [(os.getpid(), tmp_path / "begun")] * 6
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            spread(be_interrupted, tasks, lambda part: None, is_heavy=True)
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)
    assert multiprocessing.active_children() == []


def test_outcomes_come_in_the_order_of_tasks() -> None:
    assert spread(abs, [-1, -2, -3], lambda part: None, is_heavy=False) == [1, 2, 3]
