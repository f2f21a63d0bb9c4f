"""A reading process of `tiptoe read`: `python -m tiptoe.ingest`, with units on its standard input."""

import os
import signal
import sys

from tiptoe.compose_ingest import page_intake
from tiptoe.convert.confinement import leave_network
from tiptoe.convert.frames import read_frame
from tiptoe.ingest.worker import FRAME_BYTES_MAX, serve
from tiptoe.observe.process import die_with_parent, spare_the_collector

__all__ = ["main"]


def main() -> int:
    """Read what one is told to, until the one who tells has gone."""
    die_with_parent()
    leave_network()  # what it reads is hostile, and it has nobody to ask
    # Ctrl-C is for whoever started us: what is under way may be finished.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    units, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a library prints may get among the answers
    greeting = read_frame(units, FRAME_BYTES_MAX)
    if greeting is None:
        return 0
    with page_intake(greeting) as intake:
        spare_the_collector()
        serve(units, answers, intake)
    return 0


if __name__ == "__main__":
    sys.exit(main())
