"""Requests that have begun and not ended are on record, whatever happens to their process."""

import errno
import os
import signal
from pathlib import Path

import pytest

from tiptoe.write.underway import Begun, Underway, read_underway

URL = "https://a.example/x"


def begin(underway: Underway, at: float = 10.5, url: str = URL) -> int:
    return underway.begin(at, 7, "a.example", "192.0.2.1", "page", url)


def after_death(path: Path, notes: list[tuple[float, str]], ended: int = 0) -> list[Begun]:
    """Let a process begin requests, end the first few, and be killed; return what is left."""
    child = os.fork()
    if not child:
        underway = Underway(path)
        places = [begin(underway, at, url) for at, url in notes]
        for place in places[:ended]:
            underway.end(place)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    return read_underway(path)


def test_what_a_killed_process_had_begun_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "log" / "requests-h1.underway"
    left = after_death(path, [(1.0, URL), (3.25, f"{URL}2"), (2.0, f"{URL}3")], ended=1)
    assert left == [
        Begun(2.0, "7", "a.example", "192.0.2.1", "page", f"{URL}3"),
        Begun(3.25, "7", "a.example", "192.0.2.1", "page", f"{URL}2"),
    ]


def test_a_shorter_note_hides_what_stood_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a"
    underway = Underway(path)
    underway.end(begin(underway, url=URL * 5))
    begin(underway)
    assert path.read_bytes().count(b"\tpage\thttps://a.example/x\n") == 1
    underway.close()


def test_many_requests_at_once_have_room(tmp_path: Path) -> None:
    """Long addresses are cut, not lost."""
    left = after_death(tmp_path / "a", [(float(n), f"{URL}{n}/" + "x" * 9_000) for n in range(1000)])
    assert [note.started_at for note in left] == [float(n) for n in range(1000)]
    assert all(note.url.startswith(f"{URL}{n}/x") for n, note in enumerate(left))


def test_nothing_is_left_behind_by_a_good_end(tmp_path: Path) -> None:
    underway = Underway(tmp_path / "a")
    underway.close()
    underway.end(begin(underway))
    underway.close()
    assert list(tmp_path.iterdir()) == []


def test_while_its_writer_lives_nobody_is_accused(tmp_path: Path) -> None:
    underway = Underway(tmp_path / "a")
    begin(underway)
    assert read_underway(tmp_path / "a") == []
    underway.close()


def test_a_full_disk_stops_no_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its line will say what happened; only its note is missing."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    underway = Underway(tmp_path / "a")
    with monkeypatch.context() as full:
        full.setattr(os, "posix_fallocate", refuse)
        underway.end(begin(underway))
    assert begin(underway) >= 0
    underway.close()


def test_noise_is_no_request(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff" * 700 + b"1.0\tonly\n")
    assert read_underway(tmp_path / "a") == []
