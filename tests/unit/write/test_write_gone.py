"""Pages that left the web are noted, and the notes survive like the corpus."""

import json
from pathlib import Path

from write_samples import INFO, recover, write_page

from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import GONE_LIST
from tiptoe.write.outputs import Outputs

AT = "2026-09-21T14:13:20.000000Z"


def lines(directory: Path) -> list[dict[str, object]]:
    paths = (directory / "gone").glob("*.jsonl")
    return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


def test_a_line_says_which_page_left_when_and_how(tmp_path: Path) -> None:
    """A reason that the status tells is empty, and no field is ever missing."""
    outputs = Outputs(
        tmp_path,
        "h1-0001",
        info=INFO,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    outputs.add(GONE_LIST, GonePage(url="https://a.example/1", gone_at=AT, status=404))
    outputs.add(GONE_LIST, GonePage(url="https://a.example/2", gone_at=AT, status=200, reason="noindex"))
    outputs.flush()
    outputs.acknowledge(outputs.marks())
    outputs.close()
    assert lines(tmp_path) == [
        {"url": "https://a.example/1", "gone_at": AT, "status": 404, "reason": ""},
        {"url": "https://a.example/2", "gone_at": AT, "status": 200, "reason": "noindex"},
    ]


def test_notes_that_nobody_acknowledged_are_cut_with_the_rest(tmp_path: Path) -> None:
    """Their pages are asked for again, and noted again."""
    outputs = Outputs(
        tmp_path,
        "h1-0001",
        info=INFO,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    write_page(outputs, 1)
    outputs.add(GONE_LIST, GonePage(url="https://a.example/1", gone_at=AT, status=404))
    outputs.flush()
    marks = outputs.marks()
    outputs.add(GONE_LIST, GonePage(url="https://a.example/2", gone_at=AT, status=404))
    outputs.flush()
    outputs.close()
    assert "gone/h1-0001-00001.jsonl" in marks
    recover(tmp_path, marks)
    assert [line["url"] for line in lines(tmp_path)] == ["https://a.example/1"]
    assert recover(tmp_path, marks) == []


def test_without_gone_pages_there_is_no_file(tmp_path: Path) -> None:
    outputs = Outputs(
        tmp_path,
        "h1-0001",
        info=INFO,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    write_page(outputs, 1)
    outputs.flush()
    outputs.close()
    assert not (tmp_path / "gone").exists()
