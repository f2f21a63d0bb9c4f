"""What does a process of ours ask of its machine?

On Linux the kernel ends the process when its parent dies: a harvester that is
busy with a page could otherwise go on asking for a moment. Elsewhere the lost
connection and the lease do the same, a little later.
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
    """Look for cycles, but rarely: what a page leaves behind has none, and there is much of it.

    For a process that does nothing else, when all is imported and built: what is there by now is never taken
    apart, not even at its end, which is sooner for it.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


def give_memory_back() -> None:
    """Return to the system what was freed; to be called now and then.

    The C library of Linux keeps it for what comes next: with a database, which fills and frees buffers of
    megabytes, that is a third of the memory of a keeper. (To have it return each block at once, by
    M_MMAP_THRESHOLD, costs a keeper an eighth of its speed: pages for every large message.)
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if sys.platform == "linux" and trim is not None:
        trim(0)


def share_one_arena() -> None:
    """Let all threads take memory from one place; to be called before they begin.

    Else each has a place of its own, and what one of them has freed is of no use to the others: with an
    index, which merges its parts in threads that come and go, that is a tenth of the memory.
    """
    choose = getattr(ctypes.CDLL(None), "mallopt", None)
    if sys.platform == "linux" and choose is not None:
        choose(M_ARENA_MAX, 1)


def allow_open_files() -> None:
    """Raise the limit of open files as far as we may: every visit has a connection."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def stopping_signals() -> tuple[signal.Signals, ...]:
    """Return the signals upon which a process is to stop cleanly.

    SIGHUP says that the terminal has gone. Who started us with `nohup` has had it ignored, and so it stays.
    """
    is_told = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if is_told else ()))


@contextlib.contextmanager
def as_interrupts() -> Iterator[None]:
    """Let every signal to stop be a KeyboardInterrupt, until a loop takes them over."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in stopping_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
