"""Is the list of stored documents committed with the archive?"""

from pathlib import Path

import msgspec
from write_samples import INFO, make_answer, recover

from tiptoe.write.documents import StoredDocument
from tiptoe.write.output_kinds import DOCUMENT_LIST
from tiptoe.write.outputs import Outputs

NAME = "documents/h1-0001-00001.jsonl"


def store(outputs: Outputs, url: str) -> None:
    place = outputs.warc.write_exchange(make_answer(url, b"%PDF-1.4"), metadata={})
    outputs.add(
        DOCUMENT_LIST,
        StoredDocument(
            id=place.record_id,
            url=url,
            type="application/pdf",
            fetched_at="2026-09-21T14:13:20Z",
            depth=1,
            digest=place.payload_digest,
            warc_file=place.file,
            warc_offset=place.offset,
            warc_length=place.length,
        ),
    )


def listed(path: Path) -> list[StoredDocument]:
    return [msgspec.json.decode(line, type=StoredDocument) for line in path.read_bytes().splitlines()]


def test_the_list_has_a_mark_and_is_cut_back_to_it(tmp_path: Path) -> None:
    """What is not committed will be fetched again, and listed again."""
    outputs = Outputs(
        tmp_path,
        "h1-0001",
        info=INFO,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    store(outputs, "https://a.example/one.pdf")
    outputs.flush()
    marks = outputs.marks()
    assert NAME in marks
    store(outputs, "https://a.example/two.pdf")
    outputs.flush()
    outputs.close()
    assert [document.url for document in listed(tmp_path / f"{NAME}.open")] == [
        "https://a.example/one.pdf", "https://a.example/two.pdf",
    ]  # fmt: skip
    repairs = {repair.file: repair.what for repair in recover(tmp_path, marks)}
    assert repairs[NAME] == "cut"
    (kept,) = listed(tmp_path / NAME)
    assert kept.url == "https://a.example/one.pdf"


def test_a_list_is_finished_when_the_keeper_knows_it_wholly(tmp_path: Path) -> None:
    outputs = Outputs(
        tmp_path,
        "h1-0001",
        info=INFO,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    store(outputs, "https://a.example/one.pdf")
    outputs.flush()
    outputs.acknowledge(outputs.marks())
    outputs.close()
    assert len(listed(tmp_path / NAME)) == 1


def test_fields_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    """There is a line for every document of the crawl."""
    outputs = Outputs(
        tmp_path,
        "h1-0001",
        info=INFO,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    store(outputs, "https://a.example/one.pdf")
    outputs.flush()
    assert b"charset" not in (tmp_path / f"{NAME}.open").read_bytes()
    outputs.close()
