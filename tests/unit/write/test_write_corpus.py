"""Documents enter the corpus as JSON lines."""

import json
from pathlib import Path
from zlib import crc32

import msgspec
from write_samples import make_document

from tiptoe.write.corpus import CorpusWriter, Document


def test_a_document_is_one_line_known_by_its_checksum(tmp_path: Path) -> None:
    """Readers stream the corpus line by line; whoever doubts one can prove it."""
    writer = CorpusWriter(tmp_path, "h1", size_max=10**9, encoding="utf-8")
    first, second = make_document(title="a\nb"), make_document("https://b.example/")
    checks = [writer.write_document(first), writer.write_document(second)]
    writer.files.flush()

    raw = (tmp_path / "corpus" / "h1-00001.jsonl.open").read_bytes()
    assert [msgspec.json.decode(line, type=Document) for line in raw.splitlines()] == [first, second]
    assert checks == [crc32(line) for line in raw.splitlines(keepends=True)]
    assert "žluťoučký".encode() in raw
    writer.files.close()


def test_every_line_has_all_fields_in_one_order(tmp_path: Path) -> None:
    """Readers that take the form of a table from its first lines stumble over a field that comes late."""
    writer = CorpusWriter(tmp_path, "h1", size_max=10**9, encoding="utf-8")
    writer.write_document(make_document())
    writer.write_document(
        make_document(lang="cs", lang_others=["sk"], usability=0.5, version=2, repeated=[1])
    )
    writer.write_document(make_document(labels=["main", "main"], title="a\ud800"))
    writer.files.flush()
    lines = (tmp_path / "corpus" / "h1-00001.jsonl.open").read_bytes().splitlines()
    assert [list(json.loads(line)) for line in lines] == [[*Document.__struct_fields__, "text"]] * 3


def test_halves_of_characters_are_replaced(tmp_path: Path) -> None:
    """A broken page must not stop the writer, nor break the corpus for strict readers."""
    writer = CorpusWriter(tmp_path, "h1", size_max=10**9, encoding="utf-8")
    writer.write_document(make_document(title="a\ud800", paragraphs=["b\udfff", "c"]))
    writer.files.flush()

    line = (tmp_path / "corpus" / "h1-00001.jsonl.open").read_text("utf-8")
    document = msgspec.json.decode(line, type=Document)
    assert (document.title, document.paragraphs) == ("a?", ["b?", "c"])
    writer.files.close()


def test_an_older_encoding_loses_no_character(tmp_path: Path) -> None:
    """Tools of twenty years ago read ISO-8859-2; what it lacks is escaped as JSON allows."""
    writer = CorpusWriter(tmp_path, "h1", encoding="iso-8859-2", size_max=10**9)
    written = make_document(title="kůň ñ 😀", paragraphs=["žluťoučký", "„uvozovky“"])
    writer.write_document(written)
    writer.files.flush()

    raw = (tmp_path / "corpus" / "h1-00001.jsonl.open").read_bytes()
    assert "žluťoučký".encode("iso-8859-2") in raw
    assert msgspec.json.decode(raw.decode("iso-8859-2"), type=Document) == written
    writer.files.close()
