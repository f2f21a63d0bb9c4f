"""How is the operator's command for the end of a crawl run?

As a program in a process group of its own, without a shell. It reads the figures of the crawl as JSON from
its standard input; its output goes to the event log, line by line and up to a limit. When its time is up, the
whole group is ended. A failure is reported and changes nothing for the crawl.
"""

import asyncio
import contextlib
import os
import shlex
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from tiptoe.observe.eventlog import EventLog

__all__ = ["EndCommand"]

LINES_MAX: Final = 200
LINE_CHARS_MAX: Final = 500
"""Maximum output that is logged; the rest is read, so that the command does not block, and counted."""

GRACE_SECONDS: Final = 2.0
"""Time between SIGTERM and SIGKILL; also how long output is read that other processes hold open."""

OWN_PREFIX: Final = "TIPTOE_"
"""Prefix of our own environment variables, which are not passed on."""


@dataclass(slots=True)
class _OutputLog:
    """Logs lines of output, up to a maximum number; a line ends at a line feed."""

    log: EventLog
    rest: bytes = b""
    lines: int = 0

    def add(self, some: bytes) -> None:
        *whole, self.rest = (self.rest + some).split(b"\n")
        # An endless line must not fill the memory.
        self.rest = self.rest[: 4 * LINE_CHARS_MAX]
        for line in whole:
            self._note(line)

    def close(self) -> None:
        if self.rest:
            self._note(self.rest)
        if self.lines > LINES_MAX:
            self.log.note("end_command.silenced", lines=self.lines - LINES_MAX)

    def _note(self, line: bytes) -> None:
        self.lines += 1
        if self.lines <= LINES_MAX:
            text = line.decode("utf-8", "replace").rstrip("\r")[:LINE_CHARS_MAX]
            message = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
            self.log.note("end_command.said", line=message)


class _Conversation(asyncio.SubprocessProtocol):
    """Receives a program's output, its exit, and the moment when no process holds its output any more."""

    def __init__(self, output: _OutputLog) -> None:
        self._output = output
        self.is_listening = True
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._output.add(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self.is_listening = False

    def process_exited(self) -> None:
        self.exited.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


@dataclass(frozen=True, slots=True)
class EndCommand:
    """A command, and how long it may take."""

    text: str  # quoted as for a shell
    seconds: float
    directory: Path  # where it runs
    log: EventLog
    environment: Mapping[str, str]

    async def run(self, given: bytes) -> str:
        """Run the command until it ends; return what went wrong, or an empty string."""
        words = shlex.split(self.text)
        self.log.note("end_command.begins", command=words[0])
        output = _OutputLog(self.log)
        try:
            program, talk = await asyncio.get_running_loop().subprocess_exec(
                lambda: _Conversation(output),
                *words,
                stderr=asyncio.subprocess.STDOUT,
                cwd=self.directory,
                env=self._environment(),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return self._told(f"cannot be started: {getattr(error, 'strerror', None) or error}")
        try:
            async with asyncio.timeout(self.seconds):
                await _attend(program, talk, given)
        except TimeoutError:
            await _end_group(program, talk)
            return self._told(f"took longer than crawl.on_end_seconds ({self.seconds:g} s), and was ended")
        except asyncio.CancelledError:
            await _end_group(program, talk)
            self._told("was ended, because the crawl was to end at once")
            raise
        finally:
            await _hang_up(program, talk)
            output.close()
        code = program.get_returncode()
        return self._told("" if code == 0 else f"failed: {_exit_code_text(code)}")

    def _environment(self) -> dict[str, str]:
        return {name: value for name, value in self.environment.items() if not name.startswith(OWN_PREFIX)}

    def _told(self, fault: str) -> str:
        if fault:
            self.log.note("end_command.failed", why=fault)
        else:
            self.log.note("end_command.done")
        return fault


async def _attend(program: asyncio.SubprocessTransport, talk: _Conversation, given: bytes) -> None:
    """Send a program its input, which it need not read, and wait until it exits."""
    ear = _ear_of(program)
    if not ear.is_closing():  # it may have ended by now
        ear.write(given)
        ear.write_eof()
    await talk.exited.wait()
    # Processes that it left in the background may never close its output.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE_SECONDS):
            await talk.closed.wait()


async def _end_group(program: asyncio.SubprocessTransport, talk: _Conversation) -> None:
    """End a program and every process it has started, even those that outlive it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program.get_pid(), signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE_SECONDS):
            await talk.exited.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program.get_pid(), signal.SIGKILL)
    await talk.exited.wait()


async def _hang_up(program: asyncio.SubprocessTransport, talk: _Conversation) -> None:
    """Close the transports of a program that has ended, so that none is left when the loop ends."""
    if talk.is_listening:
        _ear_of(program).abort()  # closing would wait for a reader
    program.close()
    await talk.closed.wait()


def _ear_of(program: asyncio.SubprocessTransport) -> asyncio.WriteTransport:
    """Return the standard input of a program."""
    return cast("asyncio.WriteTransport", program.get_pipe_transport(0))


def _exit_code_text(code: int | None) -> str:
    if code is not None and code < 0:
        return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
