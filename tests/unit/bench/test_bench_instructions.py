"""Does the count of instructions run, and does it say what is missing?"""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tiptoe.errors import CrawlerError

BENCH = Path(__file__).parents[3] / "bench"


@pytest.fixture
def instructions() -> Iterator[ModuleType]:
    """Benchmarks are scripts beside each other, as `python bench/instructions.py` finds them."""
    paths = sys.path.copy()
    sys.path.insert(0, str(BENCH))
    yield importlib.import_module("instructions")
    sys.path[:] = paths


@pytest.mark.parametrize(("work", "size"), [("pages", 3), ("frontier", 1_000)])
def test_what_is_counted_can_be_done(instructions: ModuleType, work: str, size: int) -> None:
    """They call what changes most often: the journey of a page, and the frontier."""
    assert work in instructions.SIZES
    subprocess.run([sys.executable, str(BENCH / "instructions.py"), work, str(size)], check=True)


def test_help_is_help_and_other_work_is_refused() -> None:
    """A name that nobody knows is a mistake of whoever typed it, not a fault of the script."""
    command = [sys.executable, str(BENCH / "instructions.py")]
    asked = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True)
    assert "judged-filtered" in asked.stdout
    refused = subprocess.run([*command, "pagse"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "no such work: pagse" in refused.stderr


def test_without_valgrind_it_says_what_is_missing(
    instructions: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CrawlerError, match="valgrind"):
        instructions.counted("pages", 1)


def test_the_count_of_a_process_is_read_from_what_valgrind_says(
    instructions: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "valgrind"
    fake.write_text("#!/bin/sh\necho '==1== Collected : 4711' >&2\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert instructions.counted("pages", 1) == 4711
