"""How do crawls that were forked start their harvesters without importing everything again?

A crawl of the nursery keeps a process beside it that has all imports and no threads. It forks twice for every
harvester, and who stands between ends at once: the harvester is then a child of the crawl, as any that it
would have started, and is told from it by nothing but its command line.
"""

import asyncio
import ctypes
import json
import os
import signal
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

from tiptoe.observe.process import die_with_parent

__all__ = ["KEPT_NAME", "REQUEST_BYTES_MAX", "fork_harvesters"]

KEPT_NAME: Final = "kept-fork"
"""Of the process that is kept beside a crawl."""

MODULE: Final = "tiptoe.harvest"
REQUEST_BYTES_MAX: Final = 1 << 20
PR_SET_NAME: Final = 15
PR_SET_CHILD_SUBREAPER: Final = 36


def fork_harvesters() -> dict[str, Any] | None:
    """Have harvesters of this process forked from now on; return what to be in each of them."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)  # whose parent has ended is a child of ours
    crawl = os.getpid()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, REQUEST_BYTES_MAX)
    if os.fork() == 0:
        ours.close()
        return _serve(theirs, crawl)
    theirs.close()
    start_anew = asyncio.create_subprocess_exec

    async def start(
        program: str, *words: str, **options: Any
    ) -> "asyncio.subprocess.Process | ForkedHarvester":
        if words[:2] == ("-m", MODULE):
            return ForkedHarvester(_ask(ours, words[2:], **options))
        return await start_anew(program, *words, **options)

    asyncio.create_subprocess_exec = start  # type: ignore[assignment]
    return None


class ForkedHarvester:
    """A harvester that was forked; as `asyncio.subprocess.Process` as far as crawls need it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._watched = os.pidfd_open(pid)
        self._loop.add_reader(self._watched, self._reap)

    def _reap(self) -> None:
        self._loop.remove_reader(self._watched)
        os.close(self._watched)
        _, status = os.waitpid(self.pid, 0)
        self.returncode = os.waitstatus_to_exitcode(status)
        self._ended.set()

    async def wait(self) -> int:
        """Wait for its end; return its exit code."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)


def _ask(
    requests: socket.socket, words: tuple[str, ...], *, stdin: int, env: Mapping[str, str],
    start_new_session: bool, stderr: IO[Any] | None = None,
) -> int:  # fmt: skip
    """Have a harvester forked; return its pid."""
    assert stdin == asyncio.subprocess.DEVNULL
    assert start_new_session
    wish = {"module": MODULE, "words": words, "env": dict(env), "cwd": str(Path.cwd()), "ignored": []}
    with open(os.devnull, "rb") as nothing:
        streams = [nothing.fileno(), 1, 2 if stderr is None else stderr.fileno()]
        socket.send_fds(requests, [json.dumps(wish).encode()], streams)
    if not (pid := requests.recv(64)):
        raise ConnectionResetError("the process that forks harvesters has ended")
    return int(pid)


def _serve(requests: socket.socket, crawl: int) -> dict[str, Any]:
    """Fork for every request until the crawl ends; return what to be in each harvester."""
    die_with_parent()
    own_name = Path("/proc/self/comm").read_bytes().strip()
    _prctl(PR_SET_NAME, KEPT_NAME.encode())
    for heard in (signal.SIGINT, signal.SIGHUP):
        signal.signal(heard, signal.SIG_IGN)  # they are for the crawl
    with open(os.devnull, "r+b") as nothing:
        for stream in range(3):
            os.dup2(nothing.fileno(), stream)
    while True:
        message, streams, _, _ = socket.recv_fds(requests, REQUEST_BYTES_MAX, 3)
        if not message:
            os._exit(0)
        if (between := os.fork()) == 0:
            if os.fork():
                os._exit(0)
            while os.getppid() != crawl:  # who stands between has not ended yet
                time.sleep(0.0005)
            _prctl(PR_SET_NAME, own_name)
            requests.send(b"%d" % os.getpid())
            requests.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            os.setsid()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            wish: dict[str, Any] = json.loads(message)
            return wish
        os.waitpid(between, 0)
        for stream in streams:
            os.close(stream)


def _prctl(option: int, value: int | bytes) -> None:
    ctypes.CDLL(None).prctl(option, value)
