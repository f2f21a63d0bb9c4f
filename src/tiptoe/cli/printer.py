"""Where does a command print, and what if nobody reads on?

As with `tiptoe stats | head`: the command ends then, without a word, as other tools do.
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
"""Where nobody watches, long names need not be folded."""

PADDING = re.compile(r" +(?=\n)")


class Printer(Console):
    """Standard output, or another stream; what fills whole lines, such as help, stays `narrow` in a pipe."""

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
        """Print; in a pipe or a file, without the blanks that fill up the last column of a table."""
        if self.is_terminal or self.quiet:
            super().print(*objects, **known)
            return
        with self.capture() as shown:
            super().print(*objects, **known)
        self.file.write(PADDING.sub("", shown.get()))
        self.file.flush()

    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the one who runs the command how it ends; a crawl has to do so in good order."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def look_away() -> None:
    """Let nothing more be written to a reader that has gone, not even when the interpreter ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def leave_dead_terminal() -> None:
    """Let nothing more be written to a terminal that has gone, which is what SIGHUP may say."""
    for stream in (sys.stdout, sys.stderr):
        number = stream.fileno()
        # A terminal that has hung up is no terminal any more, but still a device.
        if stat.S_ISCHR(os.fstat(number).st_mode) and not os.isatty(number):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)
