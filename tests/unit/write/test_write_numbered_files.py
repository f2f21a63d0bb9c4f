"""Files follow each other, and are finished only when the keeper knows them."""

from pathlib import Path

from tiptoe.write.numbered_files import NumberedFiles


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.rglob("*") if path.is_file())


def test_a_record_is_never_split_over_two_files(tmp_path: Path) -> None:
    """Each file must be readable by itself."""
    files = NumberedFiles(tmp_path, "corpus/h1", ".jsonl", size_max=10)

    assert [files.append(data) for data in (b"aaaa", b"bbbb", b"cccc", b"d" * 30, b"e")] == [
        ("corpus/h1-00001.jsonl", 0),
        ("corpus/h1-00001.jsonl", 4),
        ("corpus/h1-00002.jsonl", 0),
        ("corpus/h1-00003.jsonl", 0),
        ("corpus/h1-00004.jsonl", 0),
    ]
    files.close()


def test_a_full_file_keeps_its_open_name_until_it_is_acknowledged(tmp_path: Path) -> None:
    """A finished file is committed for good: recovery never has to touch one."""
    files = NumberedFiles(tmp_path, "corpus/h1", ".jsonl", size_max=4)
    files.append(b"aaaa")
    files.append(b"bbbb")
    files.flush()
    marks = files.marks()

    assert marks == {"corpus/h1-00001.jsonl": 4, "corpus/h1-00002.jsonl": 4}
    assert names(tmp_path) == ["h1-00001.jsonl.open", "h1-00002.jsonl.open"]
    files.acknowledge(marks)
    assert names(tmp_path) == ["h1-00001.jsonl", "h1-00002.jsonl.open"]
    assert files.marks() == {}
    files.close()
    assert names(tmp_path) == ["h1-00001.jsonl", "h1-00002.jsonl"]


def test_an_old_acknowledgement_does_not_finish_a_file_that_grew_since(tmp_path: Path) -> None:
    """Reports may be in flight while the next page is written."""
    files = NumberedFiles(tmp_path, "corpus/h1", ".jsonl", size_max=8)
    files.append(b"aaaa")
    files.flush()
    old = files.marks()
    files.append(b"bbbb")
    files.append(b"cccc")
    files.flush()
    files.acknowledge(old)

    assert files.marks() == {"corpus/h1-00001.jsonl": 8, "corpus/h1-00002.jsonl": 4}
    assert names(tmp_path) == ["h1-00001.jsonl.open", "h1-00002.jsonl.open"]
    files.close()
    assert names(tmp_path) == ["h1-00001.jsonl.open", "h1-00002.jsonl.open"]


def test_only_flushed_bytes_are_marked(tmp_path: Path) -> None:
    """A mark is a promise that the bytes survive the death of this process."""
    files = NumberedFiles(tmp_path, "corpus/h1", ".jsonl", size_max=100)
    files.append(b"aaaa")

    assert files.marks() == {}
    files.flush()
    files.append(b"bbbb")
    assert files.marks() == {"corpus/h1-00001.jsonl": 4}
    files.sync()
    files.close()
