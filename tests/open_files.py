"""What samples have opened, and is closed after the test: hundreds of files would stay open else."""

from collections.abc import Callable

__all__ = ["close_after_test", "close_all"]

_closers: list[Callable[[], object]] = []


def close_after_test(close: Callable[[], object]) -> None:
    """Have something closed when the test is over, the last one first."""
    _closers.append(close)


def close_all() -> None:
    """Close what was opened."""
    while _closers:
        _closers.pop()()
