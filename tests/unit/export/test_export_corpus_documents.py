"""The corpus of a crawl is read in whatever state it is."""

from pathlib import Path

import msgspec
import pytest
from export_samples import make_crawl, make_document

from tiptoe.errors import SettingsError
from tiptoe.export.corpus_documents import corpus_bytes, has_usability, read_documents
from tiptoe.export.export_amounts import ExportAmounts
from tiptoe.observe.run_figures import write_figures
from tiptoe.protocol.status import Status
from tiptoe.write.corpus import CorpusWriter
from tiptoe.write.ratings import LateFile, LateRating


def corpus_file(directory: Path) -> Path:
    (file,) = (directory / "corpus").iterdir()
    return file


def test_documents_come_in_the_order_of_the_files(tmp_path: Path) -> None:
    """The same export twice is the same file twice."""
    documents = [make_document(f"odstavec {number}") for number in range(5)]
    directory = make_crawl(tmp_path, documents)
    later = directory / "corpus" / "h2-00001.jsonl"
    later.write_bytes(msgspec.json.encode(make_document("poslední")) + b"\n")
    assert list(read_documents(directory, ExportAmounts())) == [*documents, make_document("poslední")]


def test_a_torn_tail_is_passed_over(tmp_path: Path) -> None:
    """A crawl that runs, or was killed, has half a line at its end."""
    directory = make_crawl(tmp_path, [make_document("celý")])
    with corpus_file(directory).open("ab") as file:
        file.write(msgspec.json.encode(make_document("useknutý"))[:-5])
    amounts = ExportAmounts()
    assert [document.paragraphs for document in read_documents(directory, amounts)] == [["celý"]]
    assert amounts.unreadable_lines == 0


def test_lines_that_are_none_of_ours_are_counted(tmp_path: Path) -> None:
    directory = make_crawl(tmp_path, [make_document("první")])
    with corpus_file(directory).open("ab") as file:
        file.write(b'nonsense\n{"id": 3}\n\xff\xfe\n' + msgspec.json.encode(make_document("druhý")) + b"\n")
    amounts = ExportAmounts()
    assert [document.paragraphs for document in read_documents(directory, amounts)] == [["první"], ["druhý"]]
    assert (amounts.unreadable_lines, amounts.read.documents) == (3, 2)


@pytest.mark.parametrize("encoding", ["iso-8859-2", "windows-1250", "iso-8859-1"])
def test_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    written = make_document("žluťoučký kůň", "„uvozovky“ 😀")
    directory = make_crawl(tmp_path, [written], encoding=encoding)
    assert list(read_documents(directory, ExportAmounts())) == [written]


def test_the_encoding_may_have_changed_between_runs(tmp_path: Path) -> None:
    """The figures know only the encoding of the last run."""
    directory = make_crawl(tmp_path, [make_document("žluťoučký")], encoding="iso-8859-2")
    earlier = directory / "corpus" / "h0-00001.jsonl"
    earlier.write_bytes(msgspec.json.encode(make_document("ěščřžýáíé")) + b"\n")
    amounts = ExportAmounts()
    read = [document.paragraphs for document in read_documents(directory, amounts)]
    assert read == [["ěščřžýáíé"], ["žluťoučký"]]
    assert amounts.unreadable_lines == 0


def test_each_file_is_read_as_its_own_run_has_written_it(tmp_path: Path) -> None:
    """In one encoding what stands in the other is text as well, but not the same."""
    directory = make_crawl(tmp_path, [])
    for number, encoding in enumerate(("iso-8859-2", "windows-1250"), start=1):
        write_figures(directory, Status(started_at=float(number), now=number + 0.5, encoding=encoding))
        writer = CorpusWriter(
            directory, f"tiptoe-h1-{number * 1000:x}-0001", encoding=encoding, size_max=10**9
        )
        writer.write_document(make_document("šťáva z žita"))
        writer.files.close()
    read = [document.paragraphs for document in read_documents(directory, ExportAmounts())]
    assert read == [["šťáva z žita"], ["šťáva z žita"]]


def test_older_and_newer_lines_can_be_read(tmp_path: Path) -> None:
    """Fields come with time: those that are missing have a default, those we do not know are no fault."""
    directory = make_crawl(tmp_path, [])
    (directory / "corpus").mkdir()
    old = msgspec.to_builtins(make_document("text"))
    for name in ("html_bytes", "type"):
        del old[name]
    new = {**old, "lang": "cs", "lang_confidence": 0.98, "usability": 0.7, "labels": ["main"], "future": [1]}
    lines = b"".join(msgspec.json.encode(line) + b"\n" for line in (old, new))
    (directory / "corpus" / "h1-00001.jsonl").write_bytes(lines)
    amounts = ExportAmounts()
    first, second = read_documents(directory, amounts)
    assert (first.html_bytes, amounts.unreadable_lines) == (0, 0)
    assert (second.lang, second.usability, second.labels) == ("cs", 0.7, ["main"])


def test_whether_documents_were_rated_is_seen_by_the_field_alone(tmp_path: Path) -> None:
    """A page may well talk about it."""
    directory = make_crawl(tmp_path, [make_document('{"usability": 0.5}', title='"usability":1')])
    assert not has_usability(directory)
    with corpus_file(directory).open("ab") as file:
        file.write(msgspec.json.encode(make_document("text", usability=0.5)) + b"\n")
    assert has_usability(directory)


def test_what_is_no_crawl_or_has_no_corpus_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        corpus_bytes(tmp_path / "nowhere")
    with pytest.raises(SettingsError, match="there is no corpus in it yet"):
        corpus_bytes(make_crawl(tmp_path, []))


def test_a_later_rating_takes_the_place_of_the_first(tmp_path: Path) -> None:
    """What `tiptoe segmenter catch-up` found out belongs to the document."""
    documents = [make_document("první", usability=None), make_document("druhý", usability=0.25)]
    directory = make_crawl(tmp_path, documents)
    file = corpus_file(directory)
    assert read_usabilities(directory) == [None, 0.25]
    with LateFile(file) as late:
        late.add([LateRating(0, documents[0].id, 0.75)])
    assert read_usabilities(directory) == [0.75, 0.25]
    file.rename(file.with_name(file.name.removesuffix(".open")))  # finished or not when it was listed
    assert read_usabilities(directory) == [0.75, 0.25]


def read_usabilities(directory: Path) -> list[object]:
    return [document.usability for document in read_documents(directory, ExportAmounts())]


def test_later_ratings_are_ratings_too(tmp_path: Path) -> None:
    directory = make_crawl(tmp_path, [make_document("první")])
    assert not has_usability(directory)
    with LateFile(corpus_file(directory)) as late:
        late.add([LateRating(0, "", 0.5)])
    assert has_usability(directory)
