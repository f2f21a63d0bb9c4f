"""A reading process of `tiptoe read`: `python -m tiptoe.ingest`, with units on its standard input."""

import os
import signal
import sys

from tiptoe.compose_ingest import page_intake
from tiptoe.convert.confinement import leave_network
from tiptoe.convert.frames import read_frame
from tiptoe.ingest.worker import FRAME_BYTES_MAX, serve
from tiptoe.observe.process import die_with_parent, spare_the_collector, stopping_signals

__all__ = ["main"]


def main() -> int:
    """Read the units given, until the parent process closes the pipe."""
    die_with_parent()
    leave_network()  # its input may be hostile, and it needs no network
    # Terminals and service managers signal all processes of a command: the parent process handles it, and
    # may let us finish our work.
    for number in stopping_signals():
        signal.signal(number, signal.SIG_IGN)
    units, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not get between the answers
    greeting = read_frame(units, FRAME_BYTES_MAX)
    if greeting is None:
        return 0
    with page_intake(greeting) as intake:
        spare_the_collector()
        serve(units, answers, intake)
    return 0


if __name__ == "__main__":
    sys.exit(main())
