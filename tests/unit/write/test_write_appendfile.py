"""Bytes get into a file whole or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest
from write_samples import SmallDisk

from tiptoe.errors import DiskFull
from tiptoe.write import appendfile
from tiptoe.write.appendfile import AppendFile


def test_offsets_are_known_before_anything_is_written(tmp_path: Path) -> None:
    """Appending costs no system call; the file appears with the first flush."""
    file = AppendFile(tmp_path, "corpus/a.jsonl")

    assert [file.append(b"one"), file.append(b"three")] == [0, 3]
    assert not file.path.exists()
    file.flush()
    assert file.path.read_bytes() == b"onethree"
    assert file.path.name == "a.jsonl.open"
    file.close()


def test_a_full_disk_leaves_no_half_record_and_loses_none(tmp_path: Path) -> None:
    """The operator makes room and the crawl goes on as if nothing had been."""
    disk = SmallDisk(room=15)
    file = AppendFile(tmp_path, "a", write=disk.write)
    file.append(b"0123456789")
    file.flush()
    file.append(b"abcdefghij")

    with pytest.raises(DiskFull):
        file.flush()
    assert file.path.read_bytes() == b"0123456789"
    assert file.flushed_size == 10

    disk.room = 100
    assert file.append(b"!") == 20
    file.flush()
    assert file.path.read_bytes() == b"0123456789abcdefghij!"
    file.close()


def test_a_record_is_refused_when_too_much_waits_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory stays bounded while the disk is full, and the refused record leaves no trace."""
    monkeypatch.setattr(appendfile, "BUFFER_BYTES_MAX", 10)
    file = AppendFile(tmp_path, "a", write=SmallDisk(room=0).write)
    file.append(b"0123456789")

    with pytest.raises(DiskFull):
        file.append(b"abc")
    assert file.size == 10
    file.close()


def test_two_writers_cannot_share_a_name(tmp_path: Path) -> None:
    """An incarnation that was used before would spoil committed offsets."""
    first, second = AppendFile(tmp_path, "a"), AppendFile(tmp_path, "a")
    first.append(b"x")
    first.flush()
    second.append(b"y")

    with pytest.raises(FileExistsError):
        second.flush()
    first.close()


def test_the_kernel_s_own_limit_is_a_full_disk_too(tmp_path: Path) -> None:
    """A real limit, in a child process: quota and file size limits must not look like crashes."""
    script = """
import resource, sys
from pathlib import Path
from tiptoe.errors import DiskFull
from tiptoe.write.appendfile import AppendFile
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, resource.RLIM_INFINITY))
file = AppendFile(Path(sys.argv[1]), "a")
file.append(b"x" * 1000)
file.flush()
file.append(b"y" * 1000)
try:
    file.flush()
except DiskFull:
    resource.setrlimit(resource.RLIMIT_FSIZE, (9999, resource.RLIM_INFINITY))
    print(file.path.stat().st_size)
    file.flush()
"""
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )

    assert run.stdout == "1000\n"
    assert (tmp_path / "a.open").read_bytes() == b"x" * 1000 + b"y" * 1000


def test_a_file_that_was_let_go_is_opened_again_where_it_ended(tmp_path: Path) -> None:
    """Whoever writes many files cannot keep them all open."""
    file = AppendFile(tmp_path, "a")
    file.append(b"one")
    file.flush()
    file.let_go()
    file.sync()
    file.append(b"two")
    file.flush()
    file.let_go()
    file.let_go()
    assert file.path.read_bytes() == b"onetwo"
    file.close()


def test_a_file_that_somebody_else_has_cut_meanwhile_is_not_written_to(tmp_path: Path) -> None:
    """Its offsets are no longer true; whoever was taken for dead has to go."""
    file = AppendFile(tmp_path, "a")
    file.append(b"one")
    file.flush()
    file.let_go()
    file.path.write_bytes(b"o")
    file.append(b"two")
    for _ in range(2):
        with pytest.raises(OSError, match="changed"):
            file.flush()
    assert file.path.read_bytes() == b"o"
    file.close()
