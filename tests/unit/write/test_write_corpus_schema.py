"""What is published about the form of the corpus is true of what is written."""

import json
import re
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.write.corpus import Document, MetadataSources, encode_line
from tiptoe.write.corpus_readme import crawl_readme, leave_readme
from tiptoe.write.corpus_reference import CORPUS_PAGE, CORPUS_SCHEMA, corpus_page, schema_file
from tiptoe.write.corpus_schema import MEANINGS, ColumnKind, corpus_columns, corpus_schema
from tiptoe.write.iso_moments import iso_moment_of

ROOT = Path(__file__).parents[3]


def make_document(**changes: Any) -> Document:
    fields: dict[str, Any] = {
        "id": "urn:uuid:1", "url": "https://a.example/", "title": None, "language": None, "charset": None,
        "fetched_at": "2026-11-15T20:26:55.659223Z", "last_modified": None, "depth": 0, "digest": "sha1:A",
        "warc_file": "h1-00001.warc.gz", "warc_offset": 0, "paragraphs": ["Jeden.", "Dva."],
    }  # fmt: skip
    return Document(**(fields | changes))


KNOWN = make_document(
    title="Titulek", language="cs", charset="utf-8", last_modified="2026-01-01T00:00:00.000000Z", lang="cs",
    lang_confidence=0.9, lang_others=["en"], paragraph_langs=["cs", "en"], usability=0.5,
    labels=["main", "boilerplate"], duplicity=0.1, repeated=[1], truncated="length", authors=["A. B."],
    published="2024-05-01", keywords=["x"], sources=MetadataSources(title="meta"), fields={"price": 3.5},
)  # fmt: skip


def test_the_published_files_are_current() -> None:
    """After a change: `python -m tiptoe.write.corpus_reference`."""
    assert (ROOT / CORPUS_PAGE).read_text(encoding="utf-8") == corpus_page()
    assert (ROOT / CORPUS_SCHEMA).read_text(encoding="utf-8") == schema_file()


@pytest.mark.parametrize("document", [make_document(), KNOWN])
def test_lines_are_of_the_form_that_is_published(document: Document) -> None:
    line = json.loads(encode_line(document))
    valid = jsonschema_rs.validator_for(corpus_schema(Document))
    assert [error.message for error in valid.iter_errors(line)] == []
    assert list(line) == [column.name for column in corpus_columns(Document)] == list(MEANINGS)


@pytest.mark.parametrize(
    ("labels", "main"),
    [(None, "Jeden.\nDva."), (["boilerplate", "main"], "Dva."), (["x"], "Jeden.\nDva.")],
)
def test_the_text_of_a_line_is_the_main_text(labels: list[str] | None, main: str) -> None:
    """It is what somebody sees who loads the folder; an export has taken out what is not wanted."""
    document = make_document(labels=labels)
    assert json.loads(encode_line(document))["text"] == main
    assert json.loads(encode_line(document, has_boilerplate=True))["text"] == "Jeden.\nDva."


@pytest.mark.parametrize(
    "change", [{"title": 5}, {"last_modified": "Thu, 01 Jan 2026 00:00:00 GMT"}, {"repeated": ["x"]}]
)
def test_what_is_of_another_form_is_refused(change: dict[str, object]) -> None:
    line = json.loads(encode_line(KNOWN)) | change
    assert not jsonschema_rs.is_valid(corpus_schema(Document), line)
    line.pop(next(iter(change)))
    assert not jsonschema_rs.is_valid(corpus_schema(Document), line)  # every field has to be there


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("Thu, 01 Jan 2026 00:00:00 GMT", "2026-01-01T00:00:00.000000Z"),
        ("Thursday, 01-Jan-26 00:00:00 GMT", "2026-01-01T00:00:00.000000Z"),
        ("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000000Z"),
        ("yesterday", None),
        ("", None),
        ("Thu, 01 Jan 1920 00:00:00 GMT", None),
        ("9" * 4000, None),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
        ("Sun, 30 Feb 2025 00:00:00 GMT", None),
        ("Thu, 01 Jan 2026 24:00:00 GMT", None),
        ("Thu, 01 Foo 2026 00:00:00 GMT", None),
    ],
)
def test_moments_are_in_one_form_whatever_a_server_says(said: str, moment: str | None) -> None:
    assert iso_moment_of(said) == moment


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2099, 12, 31)))
def test_the_usual_form_of_http_is_read_as_any_other(moment: datetime) -> None:
    """It has a way of its own, since nearly every page has one."""
    usual = format_datetime(moment.replace(tzinfo=UTC), usegmt=True)
    assert iso_moment_of(usual) == iso_moment_of(usual.replace("GMT", "+0000"))


def test_the_readme_names_every_column_with_its_kind(tmp_path: Path) -> None:
    leave_readme(tmp_path, Document, has_fields=False)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    _, head, _ = text.split("---\n")
    assert re.findall(r"^  - name: (\w+)$", head, re.MULTILINE) == list(MEANINGS)
    kinds = dict(re.findall(r"^  - name: (\w+)\n    (.+)$", head, re.MULTILINE))
    assert kinds["fetched_at"] == f"dtype: {ColumnKind.MOMENT.value}"
    assert (kinds["labels"], kinds["repeated"]) == ("list: string", "list: int64")
    assert kinds["fields"] == "dtype: 'null'"


def test_the_readme_is_left_once_and_says_more_when_fields_are_found(tmp_path: Path) -> None:
    leave_readme(tmp_path, Document, has_fields=False)
    leave_readme(tmp_path, Document, has_fields=True)
    leave_readme(tmp_path, Document, has_fields=False)  # another harvester, which has found none
    readme = tmp_path / "README.md"
    assert readme.read_text(encoding="utf-8") == crawl_readme(Document, has_fields=True)
    readme.write_text("my own")
    leave_readme(tmp_path, Document, has_fields=True)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("README.md", "my own")]
