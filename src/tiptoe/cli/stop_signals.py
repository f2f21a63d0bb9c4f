"""How does long work that no event loop runs hear that it is to stop?"""

import os
import signal
import time
from collections.abc import Callable

from tiptoe.cli.exits import Exit
from tiptoe.keeper.second_signal import SecondSignal
from tiptoe.observe.process import stopping_signals

__all__ = ["on_stop_signals"]


def on_stop_signals(stop: Callable[[], object]) -> None:
    """First signal: have it stop when it can. Second: end at once, where that costs nothing either."""
    second_signal = SecondSignal()

    def hear(number: int, frame: object) -> None:
        if second_signal.is_shown(time.monotonic()):
            os._exit(Exit.INTERRUPTED)
        stop()

    for number in stopping_signals():
        signal.signal(number, hear)
