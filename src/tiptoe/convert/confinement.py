"""What may a process do that reads a hostile document?

Compute, for a while, in some memory; write to the pipe it was given. No file,
no further process, and where the kernel lets us take it away, no network.
"""

import contextlib
import ctypes
import os
import resource
from pathlib import Path

import msgspec

__all__ = ["DocumentBounds", "confine", "leave_network", "used_bytes"]

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_NO_NEW_PRIVS, PR_SET_DUMPABLE = 38, 4
STATM = Path("/proc/self/statm")
OPEN_FILES_MAX = 32


class DocumentBounds(msgspec.Struct, frozen=True, array_like=True):
    """How much one document may cost."""

    seconds: float = 60.0
    memory_bytes: int = 1 << 30
    output_bytes: int = 128 << 20


def leave_network() -> bool:
    """Move this process into a network without any way out; False where that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        # As root no user namespace is needed, and some kernels forbid them.
        return bool(libc.unshare(CLONE_NEWNET) == 0 or libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0)
    except AttributeError:  # not Linux
        return False


def confine(bounds: DocumentBounds) -> None:
    """Give up everything that a reader does not need; cannot be undone."""
    cpu = max(1, int(bounds.seconds) + 1)
    limits = {
        resource.RLIMIT_CPU: cpu,
        resource.RLIMIT_AS: _mapped_bytes() + bounds.memory_bytes,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES_MAX,
    }
    for limit, value in limits.items():
        with contextlib.suppress(ValueError, OSError):  # the operator's own limit may be lower
            resource.setrlimit(limit, (value, value))
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def used_bytes() -> int:
    """Return the memory that this process has in use; nothing where nobody can say."""
    try:
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _mapped_bytes() -> int:
    """Return the address space that our own code and libraries take already."""
    try:
        return int(STATM.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 1 << 30
