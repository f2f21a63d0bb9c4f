"""Which form does a line of the corpus have, for programs that check or load it?

The form is taken from the struct that is written (`Document` in `corpus`); only the meanings are given here.
Tools that guess the columns of a table from its first lines fail if the first values are null, so the type of
each column is declared.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import inspect

__all__ = [
    "MEANINGS", "ColumnKind", "CorpusColumn", "Line", "corpus_columns", "corpus_schema", "features_of",
]  # fmt: skip

Line: TypeAlias = type[msgspec.Struct]

TEXT: Final = "text"
MOMENTS: Final = frozenset({"fetched_at", "last_modified"})
MOMENT_PATTERN: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$"

MEANINGS: Final[Mapping[str, str]] = {
    "id": "the id of the WARC record that the document was made from",
    "url": "canonical address of the page",
    "title": "title of the page, as readers see it",
    "language": "language that the page or its server declares; `lang` is the one detected",
    "charset": "charset of the page; the corpus itself is in UTF-8, or as `write.encoding` says",
    "fetched_at": "when it was requested",
    "last_modified": "when it was last changed, according to its server",
    "depth": "links between a seed and this page",
    "digest": "hash of the body as received",
    "warc_file": "the file in `warc/` that has the record",
    "warc_offset": "where the record begins in that file, in bytes",
    "paragraphs": "the text: no markup, white space collapsed; a block of the page ends a paragraph",
    "html_bytes": "size of the page, uncompressed",
    "type": "media type, by its content: `text/html`, or that of a converted document",
    "version": "1; then 2, 3, … when the page was visited again and had changed",
    "lang": "language of the text, as detected: ISO 639-1, `und` when it cannot be determined",
    "lang_confidence": "how certain that is, from 0 to 1",
    "lang_others": "further languages of a mixed text, the most frequent first; null when there is only one",
    "paragraph_langs": "language of each paragraph; null when all are in the same",
    "usability": "how good the text is, from 0 to 1, according to the segmenter (running text, not lists)",
    "labels": "class of each paragraph: `main` or `boilerplate`; null when they were not classified",
    "duplicity": "share of its long paragraphs that were already in the corpus, from 0 to 1",
    "repeated": "positions of these paragraphs, counted from 0",
    "truncated": "why the page is incomplete: `length`, `time` or `disconnect`; null when it is complete",
    "authors": "who wrote it, as the page says",
    "published": "the day that the page gives, such as `2024-05-01`",
    "modified": "the day of its last change that the page gives",
    "site_name": "name of the site, as the page gives it",
    "description": "what the page says it is about",
    "keywords": "keywords of the page",
    "categories": "sections or categories that the page is in",
    "license": "licence that the page names: an address, or words",
    "sources": "where each piece of metadata was: `jsonld`, `meta`, `microdata`, `page`, `header` or `url`",
    "fields": "what the operator's rules have found, by name; null without rules",
    TEXT: "the main text: `paragraphs` that are not labelled as boilerplate, one per line",
}  # fmt: skip


class ColumnKind(Enum):
    """The type of the values in a column."""

    STRING = "string"
    INTEGER = "int64"
    NUMBER = "float64"
    MOMENT = "timestamp[us, tz=UTC]"
    STRINGS = "list of string"
    INTEGERS = "list of int64"
    RECORD = "struct of string"  # with known names
    OBJECT = "json"  # with any names


class CorpusColumn(NamedTuple):
    """A field of every line."""

    name: str
    kind: ColumnKind
    meaning: str
    names: tuple[str, ...] = ()  # of the strings in a RECORD


def corpus_columns(line: Line) -> list[CorpusColumn]:
    """Return all fields, in order."""
    info = inspect.type_info(line)
    assert isinstance(info, inspect.StructType)
    columns = [_column(field) for field in info.fields]
    return [*columns, CorpusColumn(TEXT, ColumnKind.STRING, MEANINGS[TEXT])]


def corpus_schema(line: Line) -> dict[str, Any]:
    """Return the form of a line as a JSON schema."""
    _, parts = msgspec.json.schema_components([line], ref_template="#/$defs/{name}")
    whole = parts.pop(line.__name__)
    properties = {name: {**value} for name, value in whole["properties"].items()}
    properties[TEXT] = {"type": "string"}
    for name, value in properties.items():
        value.pop("default", None)  # every line has every field
        value["description"] = MEANINGS[name]
        if name in MOMENTS:
            for part in value.get("anyOf", [value]):
                if part.get("type") == "string":
                    part.update(format="date-time", pattern=MOMENT_PATTERN)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a corpus by tiptoe",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "$defs": parts,
    }


def features_of(columns: list[CorpusColumn], *, has_fields: bool) -> list[str]:
    """Return the columns as YAML lines under `features:`, as in Hugging Face's dataset cards.

    Without the operator's rules `fields` is always null; only recent versions know a type for other values.
    """
    lines: list[str] = []
    for column in columns:
        lines.append(f"  - name: {column.name}")
        if column.kind is ColumnKind.RECORD:
            lines.append("    struct:")
            lines += [f"    - name: {name}\n      dtype: string" for name in column.names]
        elif column.kind in (ColumnKind.STRINGS, ColumnKind.INTEGERS):
            lines.append(f"    list: {column.kind.value.removeprefix('list of ')}")
        else:
            is_empty = column.kind is ColumnKind.OBJECT and not has_fields
            lines.append("    dtype: 'null'" if is_empty else f"    dtype: {column.kind.value}")
    return lines


def _column(field: inspect.Field) -> CorpusColumn:
    kind = field.type
    if isinstance(kind, inspect.UnionType):
        kinds = [part for part in kind.types if not isinstance(part, inspect.NoneType)]
        assert len(kinds) == 1, field.name
        kind = kinds[0]
    names: tuple[str, ...] = ()
    match kind:
        case inspect.StrType():
            found = ColumnKind.MOMENT if field.name in MOMENTS else ColumnKind.STRING
        case inspect.IntType():
            found = ColumnKind.INTEGER
        case inspect.FloatType():
            found = ColumnKind.NUMBER
        case inspect.ListType(item_type=inspect.IntType()):
            found = ColumnKind.INTEGERS
        case inspect.ListType(item_type=inspect.StrType()):
            found = ColumnKind.STRINGS
        case inspect.StructType(fields=inner):
            found, names = ColumnKind.RECORD, tuple(part.name for part in inner)
        case inspect.DictType():
            found = ColumnKind.OBJECT
        case _:
            raise AssertionError(f"{field.name}: a kind of value that nobody loads yet")
    return CorpusColumn(field.name, found, MEANINGS[field.name], names)
