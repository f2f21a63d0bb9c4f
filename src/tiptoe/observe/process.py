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

__all__ = ["allow_open_files", "die_with_parent", "give_memory_back", "spare_the_collector"]

PR_SET_PDEATHSIG = 1
M_MMAP_THRESHOLD = -3
LARGE_BYTES = 1 << 20


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def spare_the_collector() -> None:
    """Look for cycles rarely: what a page leaves behind has none, and there is much of it."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def give_memory_back() -> None:
    """Let large blocks go back to the system as soon as they are freed.

    The C library of Linux stops doing that once some have been freed, and keeps them for what comes next:
    with a database, which fills and frees buffers of megabytes, that is a third of the memory of a keeper.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if sys.platform == "linux" and mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)


def allow_open_files() -> None:
    """Raise the limit of open files as far as we may: every visit has a connection."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
