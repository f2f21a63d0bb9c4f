"""How is long work without an event loop told to stop?"""

import os
import signal
import time
from collections.abc import Callable

from tiptoe.cli.exits import Exit
from tiptoe.keeper.second_signal import SecondSignal
from tiptoe.observe.process import stopping_signals

__all__ = ["on_stop_signals"]


def on_stop_signals(stop: Callable[[], object]) -> None:
    """On the first signal, stop when possible; on the second, exit at once, which loses nothing either."""
    second_signal = SecondSignal()

    def hear(number: int, frame: object) -> None:
        if second_signal.is_shown(time.monotonic()):
            os._exit(Exit.INTERRUPTED)
        stop()

    for number in stopping_signals():
        signal.signal(number, hear)
