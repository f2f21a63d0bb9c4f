"""How is a simulated web started from the command line?

    python -m tiptoe.testing.serve --shape demo --record arrivals.jsonl
    python -m tiptoe.testing.serve --shape realistic --hosts 50000

Prints one JSON line when it is ready and one when it ends: on SIGTERM or
SIGINT, when its standard input (if a pipe) is closed, or after `--seconds`.
"""

import argparse
import asyncio
import os
import signal
import stat
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec
import uvloop

from tiptoe.errors import SettingsError
from tiptoe.testing.recorder import Recorder
from tiptoe.testing.served import ServedWeb, WebClosed, WebOpened
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

__all__ = ["main", "read_shape"]

PRESETS: Final[dict[str, Callable[[int], WebShape]]] = {
    "tiny": WebShape.tiny,
    "demo": WebShape.demo,
    "bench": WebShape.bench,
    "realistic": WebShape.realistic,
}


def read_shape(text: str, seed: int = 1) -> WebShape:
    """Return the shape with a given name, or written as a JSON object of its fields."""
    if text in PRESETS:
        return PRESETS[text](seed)
    try:
        return msgspec.json.decode(text, type=WebShape)
    except msgspec.MsgspecError as error:
        raise SettingsError(f"--shape {text}: {', '.join(PRESETS)}, or a JSON object ({error})") from error


def main(
    arguments: list[str] | None = None,
    *,
    web_type: type[SimulatedWeb] = SimulatedWeb,
    served_type: type[ServedWeb] = ServedWeb,
) -> None:
    """Serve a web with these options until told to stop."""
    options = _parser().parse_args(arguments)
    shape = read_shape(options.shape, options.seed)
    if options.hosts:
        shape = replace(shape, hosts=options.hosts)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(shape, options, web_type, served_type))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tiptoe.testing.serve", description="Serve a simulated web.")
    parser.add_argument("--shape", default="demo", help=f"{', '.join(PRESETS)}, or a JSON object")
    parser.add_argument("--seed", type=int, default=1, help="of a named shape")
    parser.add_argument("--hosts", type=int, default=0, help="another number of hosts")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--dns-port", type=int, default=0)
    parser.add_argument("--record", type=Path, help="append arrivals to this file")
    parser.add_argument("--seconds", type=float, help="end after so long")
    return parser


async def _serve(
    shape: WebShape,
    options: argparse.Namespace,
    web_type: type[SimulatedWeb],
    served_type: type[ServedWeb],
) -> None:
    recorder = Recorder(options.record) if options.record else None
    # What pages and sitemaps say about their changes has to be true by the reader's clock.
    began_at = (recorder or Recorder()).now()
    served = served_type(
        web_type(shape, dated_from=began_at),
        recorder=recorder,
        port=options.port,
        dns_port=options.dns_port,
        began_at=began_at,
    )
    async with served:
        _say(WebOpened(served.port, served.dns_address, served.proxy_url, os.getpid(), served.began_at))
        await _wait_for_end(options.seconds)
    if recorder:
        recorder.close()
    _say(WebClosed(served.requests, time.process_time()))


async def _wait_for_end(seconds: float | None) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    # The end of a pipe means that we are no longer needed; a terminal or /dev/null says nothing.
    if stat.S_ISFIFO(os.fstat(0).st_mode):
        loop.add_reader(0, lambda: None if os.read(0, 4096) else _end(loop, ended))
    try:
        async with asyncio.timeout(seconds):
            await ended.wait()
    except TimeoutError:
        pass


def _end(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    loop.remove_reader(0)
    ended.set()


def _say(line: WebOpened | WebClosed) -> None:
    sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
