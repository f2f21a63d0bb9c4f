"""Every file of a corpus is read in the encoding it was written in."""

from pathlib import Path

import msgspec
import pytest

from tiptoe.observe.decoding import CorpusDecoder, corpus_encoding
from tiptoe.observe.run_figures import write_figures
from tiptoe.protocol.status import Status


class Titled(msgspec.Struct):
    """A line with the one field that matters here."""

    title: str


def runs(directory: Path, *encodings: str) -> list[Path]:
    """Let a crawl have these runs, each with an encoding of its own; return a file of each."""
    (directory / "log").mkdir()
    (directory / "corpus").mkdir()
    files = []
    for number, encoding in enumerate(encodings, start=1):
        write_figures(directory, Status(started_at=float(number), now=number + 0.5, encoding=encoding))
        files.append(directory / "corpus" / f"tiptoe-h1-{number * 1000:x}-0001-00001.jsonl")
        files[-1].touch()
    return files


def line(title: str, encoding: str) -> bytes:
    return f'{{"title":"{title}"}}'.encode(encoding)


@pytest.mark.parametrize("suffix", ["", ".open"])
def test_a_file_is_read_as_its_own_run_has_written_it(tmp_path: Path, suffix: str) -> None:
    """Both encodings have a letter for every byte: nobody would see the difference but readers."""
    encodings = ["iso-8859-2", "utf-8", "windows-1250"]
    files = runs(tmp_path, *encodings)
    decoder = CorpusDecoder(tmp_path, Titled)
    for file, encoding in zip(files, encodings, strict=True):
        path = file.with_name(file.name + suffix)
        assert decoder.read(path, line("žluťoučký šum", encoding)).title == "žluťoučký šum"


def test_what_looks_like_utf_8_is_not_taken_for_it_where_the_encoding_is_known(tmp_path: Path) -> None:
    """Pages that were spoilt long ago look like that; a corpus has them as they are."""
    (file,) = runs(tmp_path, "windows-1250")
    assert CorpusDecoder(tmp_path, Titled).read(file, line("PĂ©ÄŤe", "windows-1250")).title == "PĂ©ÄŤe"


def test_a_line_in_another_encoding_than_its_file_is_no_line(tmp_path: Path) -> None:
    (file,) = runs(tmp_path, "utf-8")
    with pytest.raises(ValueError, match="utf-8"):
        CorpusDecoder(tmp_path, Titled).read(file, line("žluť", "iso-8859-2"))


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-2"])
def test_a_file_of_no_run_is_read_in_utf_8_or_else_as_the_last_run_wrote(
    tmp_path: Path, encoding: str
) -> None:
    """Files of converted documents do not say when they were written."""
    runs(tmp_path, "windows-1250", "iso-8859-2")
    path = tmp_path / "corpus" / "converted-001-0001-00001.jsonl"
    assert CorpusDecoder(tmp_path, Titled).read(path, line("žluť", encoding)).title == "žluť"


def test_an_empty_corpus_has_no_encoding_yet(tmp_path: Path) -> None:
    """So it may still be changed."""
    assert corpus_encoding(tmp_path) is None
    (file,) = runs(tmp_path, "iso-8859-2")
    assert corpus_encoding(tmp_path) == "iso-8859-2"
    file.unlink()
    assert corpus_encoding(tmp_path) is None
