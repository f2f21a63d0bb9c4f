"""What may a process do that reads a possibly hostile document?

Compute for a limited time in limited memory, and write to the pipe it was given. It has
no files, no further processes, and no network if the kernel allows taking it away.
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
    """Move this process into a network namespace without a way out; return False if that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        # Root needs no user namespace, and some kernels forbid them.
        return bool(libc.unshare(CLONE_NEWNET) == 0 or libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0)
    except AttributeError:  # not Linux
        return False


def confine(bounds: DocumentBounds) -> None:
    """Give up every right that a reader does not need; cannot be undone."""
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
    """Return the memory that this process uses; 0 if that is unknown."""
    try:
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _mapped_bytes() -> int:
    """Return the address space already taken by our own code and libraries."""
    try:
        return int(STATM.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 1 << 30
