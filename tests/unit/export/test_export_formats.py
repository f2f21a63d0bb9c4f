"""Each format, read back by somebody else's rules."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from export_samples import export_to, make_crawl, make_document

from tiptoe.write.corpus import Document

TEXT = ("Dr. Novák přišel. Řekl: „Ahoj!“", "Cena je 5 % (tj. málo).")
DOCUMENTS = (
    make_document(*TEXT, id="urn:uuid:1", title='Řekl "ano" \\'),
    make_document("Second page.", id="urn:uuid:2", language="en", last_modified=None, fetched_at=""),
)


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return make_crawl(tmp_path, DOCUMENTS)


# -- jsonl ---------------------------------------------------------------


def test_json_lines_are_those_of_the_corpus(crawl: Path, tmp_path: Path) -> None:
    export_to(tmp_path / "x", crawl, "jsonl")
    (source,) = (crawl / "corpus").iterdir()
    assert (tmp_path / "x").read_bytes() == source.read_bytes()


def test_json_lines_are_in_utf_8_whatever_the_corpus_is_in(tmp_path: Path) -> None:
    export_to(tmp_path / "x", make_crawl(tmp_path, DOCUMENTS, encoding="iso-8859-2"), "jsonl")
    lines = (tmp_path / "x").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["paragraphs"] for line in lines] == [list(TEXT), ["Second page."]]


def test_lines_of_an_older_corpus_leave_in_the_form_of_now(tmp_path: Path) -> None:
    """Earlier, what was not known was empty, and servers' dates stood as they had said them."""
    old = make_document("Text.", title="", language="", last_modified="Thu, 01 Jan 2026 00:00:00 GMT")
    odd = make_document("Text.", charset="", last_modified="yesterday")
    export_to(tmp_path / "x", make_crawl(tmp_path, [old, odd]), "jsonl")
    first, second = map(json.loads, (tmp_path / "x").read_text(encoding="utf-8").splitlines())
    assert (first["title"], first["language"]) == (None, None)
    assert (first["last_modified"], first["text"]) == ("2026-01-01T00:00:00.000000Z", "Text.")
    assert (second["charset"], second["last_modified"]) == (None, None)


def test_json_lines_may_have_sentences(crawl: Path, tmp_path: Path) -> None:
    export_to(tmp_path / "x", crawl, "jsonl", sentences=True)
    first = json.loads((tmp_path / "x").read_text(encoding="utf-8").splitlines()[0])
    assert first["sentences"] == [["Dr. Novák přišel.", "Řekl: „Ahoj!“"], ["Cena je 5 % (tj. málo)."]]
    assert first["paragraphs"] == list(TEXT)
    assert first["usability"] is None  # nobody has rated it


# -- txt -----------------------------------------------------------------


def test_plain_text_has_a_paragraph_a_line_and_an_index(crawl: Path, tmp_path: Path) -> None:
    export_to(tmp_path / "x.txt", crawl, "txt")
    lines = (tmp_path / "x.txt").read_text(encoding="utf-8").split("\n")
    assert lines == [*TEXT, "", "Second page.", "", ""]
    head, *rows = (tmp_path / "x.txt.index.tsv").read_text(encoding="utf-8").splitlines()
    entries = [dict(zip(head.split("\t"), row.split("\t"), strict=True)) for row in rows]
    assert [(entry["id"], entry["line"], entry["lines"]) for entry in entries] == [
        ("urn:uuid:1", "1", "2"),
        ("urn:uuid:2", "4", "1"),
    ]
    assert (entries[0]["warc_file"], entries[0]["warc_offset"]) == ("tiptoe-h1-00001.warc.gz", "17184")
    assert lines[int(entries[1]["line"]) - 1] == "Second page."


def test_plain_text_may_have_a_sentence_a_line(crawl: Path, tmp_path: Path) -> None:
    export_to(tmp_path / "x.txt", crawl, "txt", sentences=True)
    assert (tmp_path / "x.txt").read_text(encoding="utf-8") == (
        "Dr. Novák přišel.\nŘekl: „Ahoj!“\n\nCena je 5 % (tj. málo).\n\n\nSecond page.\n\n\n"
    )
    row = (tmp_path / "x.txt.index.tsv").read_text(encoding="utf-8").splitlines()[2].split("\t")
    assert row[:3] == ["7", "2", "urn:uuid:2"]


def test_nobody_breaks_a_line_of_plain_text(tmp_path: Path) -> None:
    """Lines end at more characters than one thinks, and tabs part the columns of the index."""
    hostile = "a\nb\u2028c\x85d\te\rf"
    directory = make_crawl(tmp_path, [make_document(hostile, title=hostile, url="x\ty")])
    export_to(tmp_path / "x.txt", directory, "txt")
    assert (tmp_path / "x.txt").read_text(encoding="utf-8") == "a b c d e f\n\n"
    index = (tmp_path / "x.txt.index.tsv").read_text(encoding="utf-8")
    assert [line.count("\t") for line in index.splitlines()] == [8, 8]


# -- vertical ------------------------------------------------------------


def test_a_vertical_looks_as_sketch_engine_wants_it(crawl: Path, tmp_path: Path) -> None:
    export_to(tmp_path / "x.vert", crawl, "vertical")
    expected = r"""<doc id="urn:uuid:1" url="https://a.example/x?a=1&b=2" title="Řekl &quot;ano&quot; \\" lang="cs" crawled="2026-11-15T20:26:55.659223Z" modified="2026-01-01T00:00:00.000000Z" type="text/html" warc_file="tiptoe-h1-00001.warc.gz" warc_offset="17184">
<p>
<s>
Dr
<g/>
.
Novák
přišel
<g/>
.
</s>
<s>
Řekl
<g/>
:
„
<g/>
Ahoj
<g/>
!
<g/>
“
</s>
</p>
"""  # noqa: E501
    assert (tmp_path / "x.vert").read_text(encoding="utf-8").startswith(expected)


def test_sentences_without_a_space_between_are_glued(tmp_path: Path) -> None:
    """Put together again, the tokens are the text."""
    run = "x" * 301
    export_to(tmp_path / "x", make_crawl(tmp_path, [make_document(f"a {run}")]), "vertical")
    lines = (tmp_path / "x").read_text(encoding="utf-8").splitlines()
    assert lines[-9:] == ["<s>", "x" * 300, "</s>", "<g/>", "<s>", "x", "</s>", "</p>", "</doc>"]


def test_what_was_found_out_about_a_document_and_its_paragraphs_is_there(tmp_path: Path) -> None:
    document = make_document("Text.", "Menu", lang="sk", usability=0.123, labels=["main", 'a"b'])
    export_to(tmp_path / "x", make_crawl(tmp_path, [document]), "vertical")
    lines = (tmp_path / "x").read_text(encoding="utf-8").splitlines()
    assert ' lang="sk" ' in lines[0]
    assert lines[0].endswith(' usability="0.12">')
    assert [line for line in lines if line.startswith("<p")] == ['<p class="main">', '<p class="a&quot;b">']


@pytest.mark.parametrize(
    "hostile",
    [
        "</doc>",
        "<doc id=1>",
        "<g/>",
        "</s> </p>",
        "a\n</doc>\nb",
        'x" y="',
        "a\\",
        "\\\\",
        "<\t>",
        "\u2028<p>",
    ],
)
def test_no_page_can_open_or_close_our_structures(tmp_path: Path, hostile: str) -> None:
    document = make_document(hostile + " konec", title=hostile, url=hostile)
    export_to(tmp_path / "x", make_crawl(tmp_path, [document]), "vertical")
    text = (tmp_path / "x").read_text(encoding="utf-8")
    lines = text.splitlines()
    tags = [line for line in lines if re.fullmatch(r"</?(doc|p|s)( .*)?>", line)]
    assert [re.match(r"</?\w+", tag)[0] for tag in tags][:3] == ["<doc", "<p", "<s"]  # type: ignore[index]
    assert [tag.split()[0] for tag in tags[-3:]] == ["</s>", "</p>", "</doc>"]
    assert sum(tag.startswith("<doc") for tag in tags) == sum(tag == "</doc>" for tag in tags) == 1
    names = re.findall(r' (\w+)="(?:[^"\\]|\\.)*"', lines[0])
    assert names[:4] == ["id", "url", "title", "lang"]
    assert names[-2:] == ["warc_file", "warc_offset"]


# -- parquet -------------------------------------------------------------


def rows(file: Path, columns: str = "*") -> list[tuple[object, ...]]:
    """Read with an implementation that shares no code with the writer."""
    return duckdb.execute(f"select {columns} from '{file}'").fetchall()


def test_parquet_has_one_row_a_document_with_proper_types(crawl: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    export_to(file, crawl, "parquet")
    described = duckdb.execute(f"describe select * from '{file}'").fetchall()
    assert {row[0]: row[1] for row in described} == {
        "id": "VARCHAR", "url": "VARCHAR", "title": "VARCHAR", "text": "VARCHAR", "paragraphs": "VARCHAR[]",
        "labels": "VARCHAR[]", "lang": "VARCHAR", "lang_confidence": "DOUBLE", "usability": "DOUBLE",
        "lang_others": "VARCHAR[]", "paragraph_langs": "VARCHAR[]",
        "duplicity": "DOUBLE", "repeated": "INTEGER[]",
        "authors": "VARCHAR[]", "published": "VARCHAR", "modified": "VARCHAR", "site_name": "VARCHAR",
        "description": "VARCHAR", "keywords": "VARCHAR[]", "categories": "VARCHAR[]", "license": "VARCHAR",
        "sources": "VARCHAR", "fields": "VARCHAR",
        "language": "VARCHAR", "charset": "VARCHAR", "type": "VARCHAR",
        "fetched_at": "TIMESTAMP WITH TIME ZONE", "last_modified": "TIMESTAMP WITH TIME ZONE",
        "depth": "INTEGER", "version": "INTEGER", "truncated": "VARCHAR",
        "html_bytes": "BIGINT", "digest": "VARCHAR",
        "warc_file": "VARCHAR", "warc_offset": "BIGINT",
    }  # fmt: skip
    columns = (
        "id, title, text, paragraphs, lang, language, usability, depth, html_bytes, warc_file, warc_offset"
    )
    warc = ("tiptoe-h1-00001.warc.gz", 17184)
    assert rows(file, columns) == [
        ("urn:uuid:1", 'Řekl "ano" \\', "\n".join(TEXT), list(TEXT), "cs", "cs-CZ", None, 2, 1234, *warc),
        ("urn:uuid:2", "Titulek", "Second page.", ["Second page."], "en", "en", None, 2, 1234, *warc),
    ]


def test_moments_are_moments_and_what_is_none_is_null(crawl: Path, tmp_path: Path) -> None:
    export_to(tmp_path / "x.parquet", crawl, "parquet")
    moments = rows(tmp_path / "x.parquet", "epoch_us(fetched_at), epoch_us(last_modified)")
    fetched_at = datetime(2026, 11, 15, 20, 26, 55, 659223, tzinfo=UTC).timestamp()
    modified_at = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
    assert moments == [(round(fetched_at * 1e6), round(modified_at * 1e6)), (None, None)]


def test_parquet_may_have_sentences_by_paragraph(crawl: Path, tmp_path: Path) -> None:
    export_to(tmp_path / "x.parquet", crawl, "parquet", sentences=True)
    assert rows(tmp_path / "x.parquet", "sentences") == [
        ([["Dr. Novák přišel.", "Řekl: „Ahoj!“"], ["Cena je 5 % (tj. málo)."]],),
        ([["Second page."]],),
    ]


def test_groups_of_rows_are_bounded_and_in_order(tmp_path: Path) -> None:
    documents = (make_document(f"odstavec {number}", warc_offset=number) for number in range(2500))
    export_to(tmp_path / "x.parquet", make_crawl(tmp_path, documents), "parquet")
    assert rows(tmp_path / "x.parquet", "warc_offset") == [(number,) for number in range(2500)]
    columns = "distinct row_group_id, row_group_num_rows, compression"
    groups = duckdb.execute(f"select {columns} from parquet_metadata('{tmp_path}/x.parquet')")
    assert sorted(groups.fetchall()) == [(0, 1000, "ZSTD"), (1, 1000, "ZSTD"), (2, 500, "ZSTD")]


def test_what_was_found_out_has_its_columns(tmp_path: Path) -> None:
    found = make_document(
        "Text.", lang="sk", lang_confidence=0.0, usability=0.0, labels=["main"], duplicity=0.5, repeated=[0]
    )
    export_to(tmp_path / "x.parquet", make_crawl(tmp_path, [found]), "parquet")
    columns = "lang, lang_confidence, usability, labels, duplicity, repeated"
    assert rows(tmp_path / "x.parquet", columns) == [("sk", 0.0, 0.0, ["main"], 0.5, [0])]


@pytest.mark.parametrize("format", ["jsonl", "parquet", "vertical", "txt"])
def test_nothing_to_export_is_an_empty_file(tmp_path: Path, format: str) -> None:
    directory = make_crawl(tmp_path, [make_document("")])
    amounts = export_to(tmp_path / "x.parquet", directory, format)
    assert (amounts.read.documents, amounts.written.documents) == (1, 0)
    if format == "parquet":
        assert rows(tmp_path / "x.parquet") == []
    else:
        assert (tmp_path / "x.parquet").read_bytes() == b""


def test_every_field_of_the_corpus_is_in_the_table(crawl: Path, tmp_path: Path) -> None:
    """A field added to the corpus must not be forgotten here."""
    export_to(tmp_path / "x.parquet", crawl, "parquet")
    columns = {row[0] for row in duckdb.execute(f"describe select * from '{tmp_path}/x.parquet'").fetchall()}
    assert set(Document.__struct_fields__) - columns == set()
