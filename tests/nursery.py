"""How do journeys start hundreds of processes without importing everything in each?

Most of what a command costs is its imports. One process has done them, and forks whenever another is wanted;
the child gets the words, streams, environment and directory it would have been started with, and ends as any
other. So do the harvesters of a crawl (`forked_harvesters`). What is on a terminal, or in the background, and
what else crawls start themselves, is still started anew.

    process = start("tiptoe", ["status", "czech"], stdout=file)
    assert process.wait(60) == 0
"""

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

from forked_harvesters import REQUEST_BYTES_MAX, fork_harvesters

__all__ = ["Forked", "run", "start"]

BEFOREHAND: Final = (
    "simulated.unkind", "tiptoe.cli.control_commands", "tiptoe.cli.crawl_command", "tiptoe.compose_harvester",
    "tiptoe.harvest.harvester", "tiptoe.testing.serve",
)  # fmt: skip
"""What most of the processes need."""

STREAMS: Final = 3
HEARD: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class Forked:
    """A process that was forked; as `subprocess.Popen` as far as tests need it."""

    pid: int
    _end: IO[bytes]  # where the nursery says how it ended
    returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, if it has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0.0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit code; that of a signal is negative."""
        if self.returncode is None:
            watch = select.poll()
            watch.register(self._end, select.POLLIN)
            if not watch.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
            self.returncode = int(self._end.readline())
            self._end.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it ended, and we have not been told yet
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def __del__(self) -> None:
        self._end.close()  # tests that fail may wait for nothing


def start(
    module: str, words: Sequence[str], *, stdout: IO[Any], stderr: IO[Any] | None = None,
    stdin: IO[Any] | None = None, env: Mapping[str, str] | None = None, cwd: Path | None = None,
) -> Forked:  # fmt: skip
    """Run `python -m module words`; errors go where the output goes unless said otherwise."""
    request = {
        "module": module,
        "words": words,
        "env": dict(os.environ if env is None else env),
        "cwd": str(cwd or Path.cwd()),
        "ignored": [number for number in HEARD if signal.getsignal(number) is signal.SIG_IGN],
    }
    told, tells = os.pipe()
    with open(os.devnull, "rb") as nothing:
        streams = [(stdin or nothing).fileno(), stdout.fileno(), (stderr or stdout).fileno()]
        with _asking:
            socket.send_fds(_nursery(), [json.dumps(request).encode()], [*streams, tells])
    os.close(tells)
    end = os.fdopen(told, "rb", buffering=0)
    return Forked(int(end.readline()), end)


def run(
    module: str, words: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> "subprocess.CompletedProcess[str]":  # fmt: skip
    """Run `python -m module words` to its end, whatever that is."""
    with TemporaryFile("w+") as out, TemporaryFile("w+") as errors:
        process = start(module, words, stdout=out, stderr=errors, env=env, cwd=cwd)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        for file in (out, errors):
            file.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), errors.read())


_asking = threading.Lock()


@functools.cache
def _nursery() -> socket.socket:
    """Start the process that forks the others; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, REQUEST_BYTES_MAX)
    with theirs:
        command = [sys.executable, __file__, str(theirs.fileno())]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
            start_new_session=True,
        )  # fmt: skip

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


# -- in the process that forks ---------------------------------------------------


@dataclass(slots=True)
class _Nursery:
    """Who forks, and whom it has forked."""

    requests: socket.socket
    children: dict[int, tuple[int, int]] = field(default_factory=dict)  # by pidfd: pid, where its end is told

    def serve(self) -> dict[str, Any] | None:
        """Fork for every request; return what to be in each child, and nothing in the nursery, at its end."""
        watch = select.poll()
        watch.register(self.requests, select.POLLIN)
        while True:
            for ready, _ in watch.poll():
                if ready != self.requests.fileno():
                    watch.unregister(ready)
                    self._report_end(ready)
                    continue
                message, descriptors, _, _ = socket.recv_fds(self.requests, REQUEST_BYTES_MAX, STREAMS + 1)
                if not message:
                    return None
                *streams, tells = descriptors
                if (pid := os.fork()) == 0:
                    self._forget(streams, tells)
                    wish: dict[str, Any] = json.loads(message)
                    return wish
                os.write(tells, b"%d\n" % pid)
                for stream in streams:
                    os.close(stream)
                self.children[child := os.pidfd_open(pid)] = pid, tells
                watch.register(child, select.POLLIN)

    def _report_end(self, child: int) -> None:
        pid, tells = self.children.pop(child)
        _, status = os.waitpid(pid, 0)
        with contextlib.suppress(BrokenPipeError):  # nobody wants to know
            os.write(tells, b"%d\n" % os.waitstatus_to_exitcode(status))
        os.close(child)
        os.close(tells)

    def _forget(self, streams: Sequence[int], tells: int) -> None:
        """Have no files but one's own."""
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.close(tells)
        self.requests.close()
        for child, (_, other) in self.children.items():
            os.close(child)
            os.close(other)


def _main() -> None:
    sys.path[0] = str(Path(__file__).parent)
    for module in BEFOREHAND:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # so that children share it
    nursery = _Nursery(socket.socket(fileno=int(sys.argv[1])))
    wish = nursery.serve()
    if wish is not None:
        if wish["module"] == "tiptoe" and wish["words"][:1] == ["crawl"]:
            wish = fork_harvesters() or wish
        _be(wish)


def _be(wish: Mapping[str, Any]) -> None:
    for number in wish["ignored"]:
        signal.signal(number, signal.SIG_IGN)
    os.chdir(wish["cwd"])
    os.environ.clear()
    os.environ.update(wish["env"])
    sys.argv[1:] = wish["words"]
    runpy.run_module(wish["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
