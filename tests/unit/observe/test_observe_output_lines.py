"""Whole lines of growing, finished and torn files."""

from pathlib import Path

from tiptoe.observe.output_lines import index_files, whole_lines
from tiptoe.write.output_kinds import CORPUS


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def make(directory: Path, *files: str) -> None:
    for name in files:
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"a\nb\n")


def test_a_torn_last_line_is_passed_over_and_every_byte_is_told(tmp_path: Path) -> None:
    """A killed harvester leaves half a line; the bar of progress must still reach its end."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":2}\n{"c"')
    told: list[int] = []
    assert list(whole_lines(path, told.append)) == [b'{"a":1}', b'{"b":2}']
    assert sum(told) == 20


def test_a_file_that_was_finished_since_it_was_listed_is_read_under_its_final_name(tmp_path: Path) -> None:
    """A running crawl renames its files at any moment."""
    make(tmp_path, "corpus/h1-00001.jsonl.open")
    [listed] = CORPUS.files(tmp_path)
    listed.rename(tmp_path / "corpus" / "h1-00001.jsonl")
    assert list(whole_lines(listed, lambda count: None)) == [b"a", b"b"]


def test_a_file_that_was_taken_away_has_no_lines(tmp_path: Path) -> None:
    assert list(whole_lines(tmp_path / "gone.jsonl", lambda count: None)) == []


def test_an_answer_is_never_indexed_twice(tmp_path: Path) -> None:
    """The merged index repeats the others; it counts only when it is alone."""
    make(tmp_path, "warc/index.cdxj")
    assert names(index_files(tmp_path)) == ["index.cdxj"]
    make(tmp_path, "warc/h1-00001.cdxj", "warc/h2-00001.cdxj.open", "warc/index.cdxj.round-00000")
    assert names(index_files(tmp_path)) == ["h1-00001.cdxj", "h2-00001.cdxj.open"]
