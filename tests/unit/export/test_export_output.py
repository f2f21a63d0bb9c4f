"""A file appears whole, or not at all."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
from export_samples import make_document

from tiptoe.errors import SettingsError
from tiptoe.export.formats.parquet import write_parquet
from tiptoe.export.output import Output
from tiptoe.write.corpus import Document


class Interrupted(Exception):
    """Something went wrong in the middle."""


def write_half(output: Output) -> None:
    output.file.write(b"new")
    raise Interrupted


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_files_get_their_names_together_at_the_end(tmp_path: Path) -> None:
    with Output(tmp_path / "x") as output:
        output.file.write(b"text")
        index = output.beside(".index")
        assert index is not None
        index.write(b"1")
        assert names(tmp_path) == ["x.index.part", "x.part"]
    assert names(tmp_path) == ["x", "x.index"]
    assert ((tmp_path / "x").read_bytes(), output.written_bytes) == (b"text", 5)


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(Interrupted), Output(tmp_path / "x", force=True) as output:
        write_half(output)
    assert names(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == b"old"


def test_a_file_that_is_there_is_replaced_only_by_force(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(SettingsError, match="--force replaces it"), Output(tmp_path / "x"):
        pass
    with Output(tmp_path / "x", force=True) as output:
        output.file.write(b"new")
    assert (tmp_path / "x").read_bytes() == b"new"


def test_what_is_no_file_is_never_replaced(tmp_path: Path) -> None:
    """Root could replace a device by a file."""
    with pytest.raises(SettingsError, match="is no file"), Output(tmp_path, force=True):
        pass
    with pytest.raises(SettingsError, match="is no file"), Output(Path("/dev/null"), force=True):
        pass
    assert Path("/dev/null").is_char_device()


def test_the_remains_of_a_killed_export_are_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "x.part").write_bytes(b"much longer remains")
    with Output(tmp_path / "x") as output:
        output.file.write(b"new")
    assert names(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == b"new"


def test_two_exports_do_not_write_one_file(tmp_path: Path) -> None:
    with Output(tmp_path / "x") as output:
        output.file.write(b"mine")
        with pytest.raises(SettingsError, match="another export is writing it"), Output(tmp_path / "x"):
            pass
    assert (tmp_path / "x").read_bytes() == b"mine"


class Broken(Output):
    """An output whose disk is full after some bytes."""

    def __init__(self, room: int) -> None:
        super().__init__(Path("-"))
        self.room = room
        self.file: BinaryIO = self  # type: ignore[assignment]

    def write(self, data: bytes) -> int:
        self.room -= len(data)
        if self.room < 0:
            raise OSError(28, "No space left on device")
        return len(data)


@pytest.mark.parametrize("room", [0, 100, 30_000])
def test_a_full_disk_reaches_us_through_the_writer_of_parquet(
    room: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """It would panic, and print that, if it heard of it."""
    read = 0

    def documents() -> Iterator[Document]:
        nonlocal read
        for read in range(100_000):
            yield make_document(f"odstavec {read} " * 20)

    with pytest.raises(OSError, match="No space left"):
        write_parquet(documents(), Broken(room), False)
    assert read < 10_000  # the rest was not even read
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("problem", [Interrupted, KeyboardInterrupt])
def test_what_goes_wrong_while_reading_reaches_us_too(problem: type[BaseException]) -> None:
    def documents() -> Iterable[Document]:
        yield make_document("text")
        raise problem

    with pytest.raises(problem):
        write_parquet(documents(), Broken(1_000_000), False)
