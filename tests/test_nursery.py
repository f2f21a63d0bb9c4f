"""What is forked for a journey is what would have been started."""

import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from nursery import start

WORDS = ["config", "--format", "json", "--set", "crawl.contact=me@example.org"]


def test_it_says_what_a_new_process_says_and_ends_as_it_does() -> None:
    for words in (WORDS, ["config", "--format", "no such"]):
        anew = subprocess.run([sys.executable, "-m", "tiptoe", *words], capture_output=True, check=False)
        with TemporaryFile() as out, TemporaryFile() as errors:
            code = start("tiptoe", words, stdout=out, stderr=errors).wait(60)
            out.seek(0)
            errors.seek(0)
            assert (anew.returncode, anew.stdout, anew.stderr) == (code, out.read(), errors.read())


def test_it_has_the_directory_and_environment_it_is_given(tmp_path: Path) -> None:
    told = "import os; print(os.getcwd(), dict(os.environ))"
    with TemporaryFile("w+") as out:
        process = start("timeit", ["-n1", "-r1", told], stdout=out, env={"WISH": "one"}, cwd=tmp_path)
        assert process.wait(60) == 0
        out.seek(0)
        assert out.readline() == f"{tmp_path} {{'WISH': 'one'}}\n"


def test_one_that_is_killed_says_by_what() -> None:
    with TemporaryFile() as out:
        process = start("timeit", ["import time; time.sleep(600)"], stdout=out)
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.kill()
        assert process.wait(60) == -signal.SIGKILL
