"""What a run has counted, on disk."""

from pathlib import Path

from tiptoe.observe.run_figures import read_runs, write_figures
from tiptoe.protocol.status import Status


def test_figures_of_all_runs_add_up_and_those_of_the_crawl_come_from_the_last(tmp_path: Path) -> None:
    """Activities are counted anew in each run, discards over all of them."""
    (tmp_path / "log").mkdir()
    first = Status(started_at=100.0, now=110.0, activities={"read": 1.5}, discards={"noindex": 3})
    write_figures(tmp_path, first)
    second = Status(
        started_at=200.0, now=205.0, encoding="iso-8859-2", activities={"read": 2.0, "write": 1.0},
        discards={"noindex": 5}, stopped_because="x",
    )  # fmt: skip
    write_figures(tmp_path, second)
    runs = read_runs(tmp_path)
    assert (runs.count, runs.seconds) == (2, 15.0)
    assert runs.activities == {"read": 3.5, "write": 1.0}
    assert runs.last is not None
    assert (runs.last.discards, runs.last.encoding) == ({"noindex": 5}, "iso-8859-2")


def test_later_figures_of_a_run_replace_earlier_ones(tmp_path: Path) -> None:
    """Whoever reads meanwhile sees one or the other, never half of a file."""
    (tmp_path / "log").mkdir()
    for pages in (1, 2):
        write_figures(tmp_path, Status(started_at=100.0, now=101.0 + pages, pages=pages))
    assert len(list((tmp_path / "log").iterdir())) == 1
    last = read_runs(tmp_path).last
    assert last is not None
    assert (last.pages, last.now) == (2, 103.0)


def test_a_spoilt_file_is_passed_over(tmp_path: Path) -> None:
    """A power cut may leave it empty; the other runs still count."""
    (tmp_path / "log").mkdir()
    write_figures(tmp_path, Status(started_at=100.0, now=101.0, pages=1))
    (tmp_path / "log" / "figures-ffff.json").write_bytes(b"\0\0\0")
    assert read_runs(tmp_path).count == 1


def test_figures_that_cannot_be_written_stop_nothing(tmp_path: Path) -> None:
    """There is no log directory; a full disk is the same."""
    write_figures(tmp_path, Status(started_at=100.0, now=101.0, pages=1))
    assert read_runs(tmp_path).last is None
