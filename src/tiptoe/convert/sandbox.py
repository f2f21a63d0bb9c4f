"""How is a document read that may be malicious?

By a process that forks a confined child for each document; see `reader_process.py`.
Whatever happens there, the result is a value: text, or the reason why there is none. A
reader process that dies or does not answer is replaced for the next document.
"""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import BinaryIO

import msgspec

from tiptoe.convert.confinement import DocumentBounds
from tiptoe.convert.frames import READY, ReaderAnswer, Task, framed, read_frame
from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.reading import Reason, TextDocument
from tiptoe.errors import CrawlerError

__all__ = ["Sandbox"]

START_SECONDS = 60.0
GRACE_SECONDS = 10.0
"""How much longer than its child a reader process may take to answer; above it, it is killed."""

COMMAND = (sys.executable, "-m", "tiptoe.convert")


class Sandbox:
    """Reads one document at a time, in a process of its own."""

    def __init__(self, bounds: DocumentBounds, *, command: Sequence[str] = COMMAND) -> None:
        self._bounds = bounds
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._decoder = msgspec.msgpack.Decoder(ReaderAnswer)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def read(self, kind: DocumentKind, body: bytes, charset: str = "") -> TextDocument | Reason:
        """Return the text of a document, or the reason why there is none."""
        process = self._process or self._start()
        task = framed(msgspec.msgpack.encode(Task(kind.value, charset, body, self._bounds)))
        said = self._exchange(process, task, self._bounds.seconds + GRACE_SECONDS)
        if said is None:
            self.close()
            return Reason.CRASHED
        try:
            answer = self._decoder.decode(said)
            return answer.text or Reason(answer.reason)
        except (msgspec.DecodeError, ValueError):
            return Reason.CRASHED

    def _start(self) -> subprocess.Popen[bytes]:
        """Start a reader process and wait until it is ready."""
        process = subprocess.Popen(  # noqa: S603  our own program
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True
        )
        self._process = process
        if self._exchange(process, b"", START_SECONDS) != READY:
            self.close()
            raise CrawlerError("the process that reads documents does not start; its own words stand above")
        return process

    def _exchange(self, process: subprocess.Popen[bytes], task: bytes, seconds: float) -> bytes | None:
        """Send a task and return the answer; None if the process dies, or has to be killed."""
        tasks, answers = _pipes(process)
        watch = threading.Timer(seconds, process.kill)
        watch.start()
        try:
            with contextlib.suppress(BrokenPipeError):
                tasks.write(task)
                tasks.flush()
            return read_frame(answers, self._bounds.output_bytes)
        finally:
            watch.cancel()
            watch.join()

    def close(self) -> None:
        """End the reader process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in _pipes(process):
                with contextlib.suppress(OSError):
                    pipe.close()
            process.wait()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout  # type: ignore[return-value]
