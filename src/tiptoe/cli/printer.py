"""Where does a command print, and what if the reader goes away?

As with `tiptoe stats | head`: then the command ends silently, as other tools do.
"""

import errno
import os
import re
import stat
import sys
from typing import IO, Any, NoReturn

from rich.console import Console

__all__ = ["Printer", "leave_dead_terminal", "look_away"]

PIPED_COLUMNS = 160
"""Line width when the output is not a terminal: long names need not be folded."""

PADDING = re.compile(r" +(?=\n)")


class Printer(Console):
    """Standard output, or another stream; `narrow` keeps help, which fills lines, narrow in a pipe."""

    def __init__(
        self,
        *,
        file: IO[str] | None = None,
        quiet: bool = False,
        highlight: bool = True,
        narrow: bool = False,
    ) -> None:
        super().__init__(file=file, quiet=quiet, highlight=highlight)
        if not self.is_terminal and not narrow:
            self.width = PIPED_COLUMNS

    def print(self, *objects: Any, **known: Any) -> None:
        """Print; to a pipe or a file, without the blanks that pad the last column of a table."""
        if self.is_terminal or self.quiet:
            super().print(*objects, **known)
            return
        with self.capture() as shown:
            super().print(*objects, **known)
        self.file.write(PADDING.sub("", shown.get()))
        self.file.flush()

    def on_broken_pipe(self) -> NoReturn:
        """Raise, and let the caller decide how to end: a crawl has to end cleanly."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def look_away() -> None:
    """Write nothing more to a reader that has gone, not even when the interpreter ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def leave_dead_terminal() -> None:
    """Write nothing more to a terminal that has gone, which SIGHUP may indicate."""
    for stream in (sys.stdout, sys.stderr):
        number = stream.fileno()
        # A terminal that has hung up no longer counts as a terminal, but is still a device.
        if stat.S_ISCHR(os.fstat(number).st_mode) and not os.isatty(number):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)
