"""In which process are documents read, so that none of them can do harm?

One process loads the readers and then forks a child for each document. The child is
confined, reads, writes its answer to a pipe and exits, with whatever the document did
to it. The parent process never examines a document.
"""

import gc
import os
import select
import signal
import time
from typing import BinaryIO

import msgspec

from tiptoe.convert.confinement import DocumentBounds, confine, leave_network, used_bytes
from tiptoe.convert.frames import READY, ReaderAnswer, Task, framed, read_frame
from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.readers import read
from tiptoe.convert.reading import Reason, TextDocument
from tiptoe.observe.process import die_with_parent

__all__ = ["run_confined", "serve"]

TASK_BYTES_MAX = (1 << 32) - 1
PIECE_BYTES = 1 << 16
MEMORY_EXIT = 101
"""Exit code of a child that ran out of memory: it may not be able to send an answer."""

FULL_SHARE = 0.7
"""Minimum share of the memory in use at which a crash is attributed to lack of memory."""

_encode = msgspec.msgpack.Encoder().encode


def serve(tasks: BinaryIO, answers: BinaryIO) -> int:
    """Process tasks until there are no more."""
    die_with_parent()
    leave_network()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the process that sends the tasks
    gc.freeze()  # otherwise garbage collection in a child would copy all memory that it shares with us
    decoder = msgspec.msgpack.Decoder(Task)
    answers.write(framed(READY))
    answers.flush()
    while (frame := read_frame(tasks, TASK_BYTES_MAX)) is not None:
        answers.write(framed(run_confined(decoder.decode(frame))))
        answers.flush()
    return 0


def run_confined(task: Task) -> bytes:
    """Let a child read one document; return its answer, or a reason instead."""
    receiver, sender = os.pipe()
    inherited = used_bytes()  # counts as the child's own
    child = os.fork()
    if not child:
        _read_and_die(task, sender)
    os.close(sender)
    try:
        said = _receive(receiver, time.monotonic() + task.bounds.seconds, task.bounds)
    finally:
        os.close(receiver)
        os.kill(child, signal.SIGKILL)  # it may have closed the pipe but be running
        _, status, used = os.wait4(child, 0)
    if isinstance(said, Reason):
        return _encode(ReaderAnswer(reason=said.value))
    if status == 0:
        return said
    is_full = used.ru_maxrss * 1024 - inherited >= FULL_SHARE * task.bounds.memory_bytes
    return _encode(ReaderAnswer(reason=_cause_of_death(status, is_full=is_full).value))


def _read_and_die(task: Task, sender: int) -> None:
    """Do the work of the child: read, answer, exit."""
    try:
        die_with_parent()
        os.closerange(0, sender)
        os.closerange(sender + 1, os.sysconf("SC_OPEN_MAX"))
        confine(task.bounds)
        found = read(DocumentKind(task.kind), task.body, task.charset)
        answer = ReaderAnswer(found) if isinstance(found, TextDocument) else ReaderAnswer(reason=found.value)
        data = memoryview(_encode(answer))
        while data:
            data = data[os.write(sender, data) :]
        os._exit(0)
    except MemoryError:
        os._exit(MEMORY_EXIT)
    except BaseException:
        os._exit(1)


def _receive(pipe: int, deadline: float, bounds: DocumentBounds) -> bytes | Reason:
    """Return the answer of a child, or the reason if it is too long or takes too much time."""
    parts: list[bytes] = []
    size = 0
    words = select.poll()
    words.register(pipe, select.POLLIN)
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not words.poll(left * 1000):
            return Reason.TIMEOUT
        part = os.read(pipe, PIECE_BYTES)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > bounds.output_bytes:
            return Reason.TOO_BIG


def _cause_of_death(status: int, *, is_full: bool) -> Reason:
    """Return why a child ended without an answer; libraries that run out of memory tend to abort."""
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) == signal.SIGXCPU:
            return Reason.TIMEOUT
        return Reason.MEMORY if is_full else Reason.CRASHED
    return Reason.MEMORY if os.WEXITSTATUS(status) == MEMORY_EXIT else Reason.CRASHED
