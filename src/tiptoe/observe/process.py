"""What does one of our processes request from the operating system?

On Linux the kernel ends the process when its parent dies: a harvester busy with
a page could otherwise go on making requests for a moment. Elsewhere the lost
connection and the lease have the same effect, a little later.
"""

import contextlib
import ctypes
import gc
import resource
import signal
import sys
from collections.abc import Iterator

__all__ = [
    "allow_open_files",
    "as_interrupts",
    "die_with_parent",
    "give_memory_back",
    "share_one_arena",
    "spare_the_collector",
    "stopping_signals",
]

PR_SET_PDEATHSIG = 1
M_ARENA_MAX = -8  # of malloc.h


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def spare_the_collector() -> None:
    """Make garbage collection of cycles rare: the many objects that a page leaves behind have none.

    Call it when everything is imported and built, in a process that does nothing else: existing objects are
    never collected, not even at the end, which makes the exit faster.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


def give_memory_back() -> None:
    """Return freed memory to the system; call it now and then.

    The C library of Linux keeps freed memory for later use: with a database, which fills and frees buffers of
    megabytes, that is a third of the memory of a keeper. (Making it return each block immediately, with
    M_MMAP_THRESHOLD, costs a keeper an eighth of its speed: each large message then needs fresh pages.)
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if sys.platform == "linux" and trim is not None:
        trim(0)


def share_one_arena() -> None:
    """Make all threads share one malloc arena; call it before they start.

    Otherwise each has its own arena, and memory freed by one thread is of no use to the others: with an
    index, which merges its parts in short-lived threads, that is a tenth of the memory.
    """
    choose = getattr(ctypes.CDLL(None), "mallopt", None)
    if sys.platform == "linux" and choose is not None:
        choose(M_ARENA_MAX, 1)


def allow_open_files() -> None:
    """Raise the limit on open files as far as permitted: every visit has a connection."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def stopping_signals() -> tuple[signal.Signals, ...]:
    """Return the signals on which a process should stop cleanly.

    SIGHUP means that the terminal has gone. If it was ignored from the start, as with `nohup`, it stays so.
    """
    is_told = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if is_told else ()))


@contextlib.contextmanager
def as_interrupts() -> Iterator[None]:
    """Turn every stop signal into a KeyboardInterrupt, until an event loop handles them."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in stopping_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
