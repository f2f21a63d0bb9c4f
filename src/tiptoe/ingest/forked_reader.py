"""How does a reading process begin without loading everything again?

It is forked from the process of the command before that has threads or a database. So it begins with all
modules loaded, which takes a third of a second otherwise. Later, and on other systems than Linux, readers are
started from scratch, see `crew.py`.
"""

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, NoReturn, TypeAlias

__all__ = ["ForkedReader", "ReadUnits", "may_fork"]

ReadUnits: TypeAlias = Callable[[BinaryIO, BinaryIO], object]
"""Reads the units that arrive at the first pipe, and answers at the second, until the first is closed."""

FILES_MAX: Final = 1 << 20
_TASKS: Final = Path("/proc/self/task")


def may_fork() -> bool:
    """Tell whether a child of this process would find no locks of other threads."""
    return sys.platform == "linux" and _TASKS.is_dir() and len(os.listdir(_TASKS)) == 1


class ForkedReader:
    """A child of this process that reads units; it has the pipes of a `subprocess.Popen`."""

    def __init__(self, read_units: ReadUnits) -> None:
        (units, self_units), (self_answers, answers) = os.pipe(), os.pipe()
        self._pid = os.fork()
        self._is_over = False
        if not self._pid:
            _read_and_end(read_units, units, answers)
        os.close(units)
        os.close(answers)
        self.stdin: BinaryIO = os.fdopen(self_units, "wb")
        self.stdout: BinaryIO = os.fdopen(self_answers, "rb")

    def kill(self) -> None:
        """Kill the process, unless it has ended."""
        if not self._is_over:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait for the end of the process."""
        if not self._is_over:
            os.waitpid(self._pid, 0)
            self._is_over = True


def _read_and_end(read_units: ReadUnits, units: int, answers: int) -> NoReturn:
    """Read units in the child: with no other files open, and without cleaning up for the parent."""
    code = 1
    try:
        os.dup2(units, 0)
        os.dup2(answers, 1)
        os.closerange(3, FILES_MAX)
        read_units(os.fdopen(0, "rb", closefd=False), os.fdopen(1, "wb", closefd=False))
        code = 0
    except BaseException:
        os.write(2, traceback.format_exc().encode("utf-8", "replace"))
    finally:
        os._exit(code)
