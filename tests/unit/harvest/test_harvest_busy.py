"""The note that survives the process."""

from pathlib import Path

from tiptoe.harvest.busy import NOTE_BYTES, BusyNote
from tiptoe.keeper.directory import take_busy_note


def test_the_keeper_reads_what_a_dead_harvester_was_busy_with(tmp_path: Path) -> None:
    """One hostile page may cost us two processes, not the crawl."""
    note = BusyNote(tmp_path / "state" / "h1-0001.busy")
    note.begin("http://a.example/a-long-one-that-came-before")
    note.begin("http://a.example/killer")
    assert take_busy_note(tmp_path, "h1-0001") == ["http://a.example/killer"]
    assert take_busy_note(tmp_path, "h1-0001") == []  # told once
    note.close()


def test_nobody_is_to_blame_when_the_page_was_read(tmp_path: Path) -> None:
    """Most harvesters die of other causes."""
    note = BusyNote(tmp_path / "state" / "h1-0001.busy")
    assert take_busy_note(tmp_path, "h1-0001") == []
    note = BusyNote(tmp_path / "state" / "h1-0001.busy")
    note.begin("http://a.example/")
    note.end()
    assert take_busy_note(tmp_path, "h1-0001") == []
    note.close()


def test_what_we_end_for_is_not_covered_by_what_is_read_until_then(tmp_path: Path) -> None:
    """Others go on reading until a harvester that has failed is gone."""
    note = BusyNote(tmp_path / "state" / "h1-0001.busy")
    note.begin("http://a.example/killer")
    note.seal()
    note.begin("http://a.example/innocent")
    note.end()
    assert take_busy_note(tmp_path, "h1-0001") == ["http://a.example/killer"]
    note.close()


def test_a_url_of_any_length_fits(tmp_path: Path) -> None:
    """What does not fit is cut; the note never grows."""
    note = BusyNote(tmp_path / "h1.busy")
    note.begin("http://a.example/" + "ž" * NOTE_BYTES)
    assert (tmp_path / "h1.busy").stat().st_size == NOTE_BYTES
    note.close()
