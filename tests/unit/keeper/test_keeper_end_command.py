"""The operator's command for the end of a crawl: bounded in time and output, and harmless."""

import asyncio
import os
import sys
from pathlib import Path

import psutil
import pytest
import uvloop
from journey_crawl import wait_until

from tiptoe.keeper.end_command import LINES_MAX, EndCommand
from tiptoe.observe.eventlog import EventLog

PYTHON = sys.executable


def run(
    tmp_path: Path, text: str, given: bytes = b"{}\n", *, seconds: float = 30.0, **environment: str
) -> str:
    log = EventLog.at(tmp_path / "keeper.log", "keeper")
    command = EndCommand(text, seconds, tmp_path, log, {**os.environ, **environment})
    fault = asyncio.run(command.run(given))
    log.close()
    return fault


def logged(tmp_path: Path) -> str:
    return (tmp_path / "keeper.log").read_text(encoding="utf-8")


def script(tmp_path: Path, text: str) -> str:
    """Return the command that runs a program; its words are quoted as an operator would."""
    (tmp_path / "a program.py").write_text(text, encoding="utf-8")
    return f"{PYTHON} 'a program.py'"


def test_it_reads_the_figures_and_its_output_is_logged(tmp_path: Path) -> None:
    """It runs in the directory of the crawl, and what it prints cannot move a cursor."""
    program = (
        "import json, sys; print('pages', json.load(sys.stdin)['pages']); print('\\x1b[2J', file=sys.stderr)"
    )
    assert run(tmp_path, script(tmp_path, program), b'{"pages": 7}\n') == ""
    assert 'end_command.said line="pages 7"' in logged(tmp_path)
    assert "\x1b" not in logged(tmp_path)
    assert "end_command.done" in logged(tmp_path)


def test_no_shell_reads_it_and_our_own_variables_stay_here(tmp_path: Path) -> None:
    program = (
        "import os, sys; print(sys.argv[1:], sorted(n for n in os.environ if 'TIPTOE' in n), os.environ['A'])"
    )
    text = script(tmp_path, program) + " '$HOME' '*' ';' 'touch x'"
    assert run(tmp_path, text, TIPTOE_DETACHED="1", A="b") == ""
    assert "['$HOME', '*', ';', 'touch x'] [] b" in logged(tmp_path)


def test_a_failure_is_told_with_its_code(tmp_path: Path) -> None:
    assert run(tmp_path, script(tmp_path, "raise SystemExit(3)")) == "failed: exit code 3"
    assert 'end_command.failed why="failed: exit code 3"' in logged(tmp_path)


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert "cannot be started" in run(tmp_path, "./no-such-program --at-all")


def test_who_does_not_listen_is_not_insisted_on(tmp_path: Path) -> None:
    """More figures than a pipe holds, for a program that closes its ear."""
    program = "import os, sys; os.close(0); print('deaf')"
    assert run(tmp_path, script(tmp_path, program), b"x" * 5_000_000) == ""


def test_who_ends_before_we_have_spoken_does_not_end_the_crawl(tmp_path: Path) -> None:
    """On the loop of a crawl; a short program has often ended by the time that it is written to."""
    log = EventLog.at(tmp_path / "keeper.log", "keeper")
    command = EndCommand("cat '>' x", 30.0, tmp_path, log, dict(os.environ))

    async def run_often() -> set[str]:
        return {await command.run(b"{}\n") for _ in range(10)}

    assert uvloop.run(run_often()) == {"failed: exit code 1"}
    log.close()


def test_after_its_time_the_whole_group_is_ended(tmp_path: Path) -> None:
    """Also children that do not want to hear of it."""
    program = (
        "import os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal, time;"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)'])\n"
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "time.sleep(60)\n"
    )
    assert "took longer than crawl.on_end_seconds (3 s)" in run(
        tmp_path, script(tmp_path, program), seconds=3.0
    )
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    # A signal has been sent when this is asked, but a child may not have got to dying of it.
    wait_until(lambda: not any(map(_is_alive, pids)), "the group has ended")


def _is_alive(pid: int) -> bool:
    """Whether a process is there, and not only its entry that nobody has read."""
    try:
        return bool(psutil.Process(pid).status() not in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD})
    except psutil.NoSuchProcess:
        return False


def test_what_it_leaves_in_the_background_holds_nobody_up(tmp_path: Path) -> None:
    """A child that reads none of the figures and holds the output open, as daemons do."""
    program = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "open('pid', 'w').write(str(child.pid))\n"
    )
    assert run(tmp_path, script(tmp_path, program), b"x" * 5_000_000) == ""
    left = psutil.Process(int((tmp_path / "pid").read_text()))
    assert left.is_running()  # and it is left alone
    left.kill()


def test_its_output_has_bounds(tmp_path: Path) -> None:
    """A million lines, and one without end: read, so that it goes on, and not kept."""
    program = "import sys\nfor n in range(20_000): print('line', n)\nsys.stdout.write('x' * 3_000_000)"
    assert run(tmp_path, script(tmp_path, program)) == ""
    assert logged(tmp_path).count("end_command.said") == LINES_MAX
    assert f"end_command.silenced lines={20_001 - LINES_MAX}" in logged(tmp_path)
    assert len(logged(tmp_path)) < 100_000


def test_it_ends_when_the_crawl_is_to_end_at_once(tmp_path: Path) -> None:
    log = EventLog.at(tmp_path / "keeper.log", "keeper")
    text = script(tmp_path, "import time; print(1, flush=True); time.sleep(60)")
    command = EndCommand(text, 60.0, tmp_path, log, os.environ)

    async def begin_and_cancel() -> None:
        task = asyncio.ensure_future(command.run(b""))
        while "said" not in logged(tmp_path):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(begin_and_cancel())
    log.close()
    assert "was ended" in logged(tmp_path)
