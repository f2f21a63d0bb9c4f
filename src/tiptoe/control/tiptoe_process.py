"""How does the server run `tiptoe` commands in separate processes?

Reports read gigabytes and crawls outlive the server: both run as child processes, with a time limit, limited
output, and few at a time."""

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

import msgspec

from tiptoe.control.web_problem import WebProblem

__all__ = ["ProcessOutput", "TiptoeProcesses"]

AT_ONCE: Final = 3
OUTPUT_BYTES_MAX: Final = 64 << 20
FAULT_CHARS_MAX: Final = 4000
WAIT_SECONDS: Final = 30.0


class ProcessOutput(msgspec.Struct, frozen=True):
    """The output of a process, and its exit code."""

    code: int
    output: bytes
    fault: str


class TiptoeProcesses:
    """Runs commands of ours, few at a time; further ones wait, for a limited time."""

    def __init__(self, at_once: int = AT_ONCE, wait_seconds: float = WAIT_SECONDS) -> None:
        self._turns = threading.BoundedSemaphore(at_once)
        self._wait_seconds = wait_seconds

    def run(self, words: Sequence[str], *, seconds: float, cwd: Path | None = None) -> ProcessOutput:
        """Run a command to its end; raise WebProblem when it runs, or has to wait, too long."""
        if not self._turns.acquire(timeout=self._wait_seconds):
            raise WebProblem(503, "the server is busy with other reports; try again in a minute")
        try:
            return _run(words, seconds, cwd)
        finally:
            self._turns.release()


def _run(words: Sequence[str], seconds: float, cwd: Path | None) -> ProcessOutput:
    with TemporaryFile() as said, TemporaryFile() as fault:
        try:
            done = subprocess.run(  # noqa: S603  our own command; outside input is only in its arguments
                [sys.executable, "-m", "tiptoe", *words],
                stdin=subprocess.DEVNULL, stdout=said, stderr=fault, timeout=seconds, cwd=cwd, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise WebProblem(503, f"it took more than {seconds:g} s") from error
        said.seek(0)
        fault.seek(0)
        complaint = fault.read(FAULT_CHARS_MAX * 4).decode("utf-8", "replace")[:FAULT_CHARS_MAX]
        return ProcessOutput(done.returncode, said.read(OUTPUT_BYTES_MAX), complaint.strip())
