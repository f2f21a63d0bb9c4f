"""`tiptoe read`: what is said of a reading."""

import subprocess
import sys
from pathlib import Path

from tiptoe.cli.exits import Exit


def read(directory: Path, source: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tiptoe", "read", source, "--out", "corpus", "--processes", "1"]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)


def test_a_reading_says_where_the_corpus_is_and_what_was_read_before(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>Water is needed by everybody, every day of the year.")
    (tmp_path / "notes.py").write_text("import this\n")

    empty = read(tmp_path, "notes.py")
    assert (empty.returncode, empty.stderr) == (
        Exit.TEXTLESS,
        "tiptoe: corpus: no text was found, so the corpus is empty\n",
    )

    first, again = read(tmp_path, "a.html"), read(tmp_path, "a.html")
    assert (first.returncode, again.returncode) == (Exit.DONE, Exit.DONE)
    assert first.stdout.startswith("1 text read from 55 B into corpus.\n")
    assert again.stdout.startswith("Nothing new: all of it was read into corpus before.\n")
