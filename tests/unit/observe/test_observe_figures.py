"""What a run has counted, on disk."""

from pathlib import Path

from tiptoe.observe.figures import FiguresFile, read_runs


def test_figures_of_all_runs_add_up_and_those_of_the_crawl_come_from_the_last(tmp_path: Path) -> None:
    """Activities are counted anew in each run, discards over all of them."""
    (tmp_path / "log").mkdir()
    FiguresFile(tmp_path, 100.0).write({"activities": {"read": 1.5}, "discards": {"noindex": 3}}, 110.0)
    FiguresFile(tmp_path, 200.0, encoding="iso-8859-2").write(
        {"activities": {"read": 2.0, "write": 1.0}, "discards": {"noindex": 5}, "stopped_because": "x"}, 205.0
    )
    runs = read_runs(tmp_path)
    assert (runs.count, runs.seconds) == (2, 15.0)
    assert runs.activities == {"read": 3.5, "write": 1.0}
    assert runs.last is not None
    assert (runs.last.discards, runs.last.encoding) == ({"noindex": 5}, "iso-8859-2")


def test_later_figures_of_a_run_replace_earlier_ones(tmp_path: Path) -> None:
    """Whoever reads meanwhile sees one or the other, never half of a file."""
    (tmp_path / "log").mkdir()
    file = FiguresFile(tmp_path, 100.0)
    for pages in (1, 2):
        file.write({"pages": pages, "something": "else"}, 101.0 + pages)
    assert len(list((tmp_path / "log").iterdir())) == 1
    last = read_runs(tmp_path).last
    assert last is not None
    assert (last.pages, last.written_at) == (2, 103.0)


def test_a_spoilt_file_is_passed_over(tmp_path: Path) -> None:
    """A power cut may leave it empty; the other runs still count."""
    (tmp_path / "log").mkdir()
    FiguresFile(tmp_path, 100.0).write({"pages": 1}, 101.0)
    (tmp_path / "log" / "figures-ffff.json").write_bytes(b"\0\0\0")
    assert read_runs(tmp_path).count == 1


def test_figures_that_cannot_be_written_stop_nothing(tmp_path: Path) -> None:
    """There is no log directory; a full disk is the same."""
    FiguresFile(tmp_path, 100.0).write({"pages": 1}, 101.0)
    assert read_runs(tmp_path).last is None
