"""What does a corpus look like as a table of columns?

Parquet with zstd, in row groups small enough for memory. The text is included twice, as a whole and
by paragraph, since half of the users want the one and half the other.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate, chain
from typing import Any, BinaryIO, NamedTuple, cast

import msgspec
from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema, list_array
from arro3.io import write_parquet as write_stream

from tiptoe.export.output import Output
from tiptoe.export.selection import language_of
from tiptoe.text.word_tokens import Splitter
from tiptoe.write.corpus import Document

__all__ = ["write_parquet"]

GROUP_ROWS = 1000
"""Rows per group, as Hugging Face writes text; readers keep one group in memory, and so do we."""

BATCH_ROWS = 250
BATCH_CHARS = 4_000_000
COMPRESSION = "zstd(3)"
REPETITIVE = ("lang", "language", "charset", "type", "warc_file")
"""Columns with few distinct values, written with a dictionary."""

STRING = DataType.string()
STRINGS = DataType.list(Field("element", STRING, nullable=False))
PLACES = DataType.list(Field("element", DataType.int32(), nullable=False))
PARAGRAPHS_OF_SENTENCES = DataType.list(Field("element", STRINGS, nullable=False))
MOMENT = DataType.timestamp("us", tz="UTC")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Column(NamedTuple):
    """A column, and how its value is taken from a document."""

    name: str
    kind: DataType
    value: Callable[[Document], Any]


def _moment(text: str) -> int | None:
    """Return a moment in microseconds; None if it is not a moment."""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        span = moment - EPOCH
    except (ValueError, TypeError, OverflowError):
        return None
    return (span.days * 86_400 + span.seconds) * 1_000_000 + span.microseconds


COLUMNS = (
    Column("id", STRING, lambda document: document.id),
    Column("url", STRING, lambda document: document.url),
    Column("title", STRING, lambda document: document.title),
    Column("text", STRING, lambda document: "\n".join(document.paragraphs)),
    Column("paragraphs", STRINGS, lambda document: document.paragraphs),
    Column("labels", STRINGS, lambda document: document.labels or []),
    Column("lang", STRING, lambda document: language_of(document) or None),
    Column("lang_confidence", DataType.float64(), lambda document: _number(document.lang_confidence)),
    Column("lang_others", STRINGS, lambda document: document.lang_others or []),
    Column("paragraph_langs", STRINGS, lambda document: document.paragraph_langs or []),
    Column("usability", DataType.float64(), lambda document: _number(document.usability)),
    Column("duplicity", DataType.float64(), lambda document: _number(document.duplicity)),
    Column("repeated", PLACES, lambda document: document.repeated or []),
    Column("language", STRING, lambda document: document.language),
    Column("charset", STRING, lambda document: document.charset),
    Column("type", STRING, lambda document: document.type),
    Column("fetched_at", MOMENT, lambda document: _moment(document.fetched_at)),
    Column("last_modified", MOMENT, lambda document: _moment(document.last_modified or "")),
    Column("depth", DataType.int32(), lambda document: document.depth),
    Column("version", DataType.int32(), lambda document: document.version),
    Column("truncated", STRING, lambda document: document.truncated),
    Column("html_bytes", DataType.int64(), lambda document: document.html_bytes),
    Column("digest", STRING, lambda document: document.digest),
    Column("warc_file", STRING, lambda document: document.warc_file),
    Column("warc_offset", DataType.int64(), lambda document: document.warc_offset),
    Column("authors", STRINGS, lambda document: document.authors or []),
    Column("published", STRING, lambda document: document.published),
    Column("modified", STRING, lambda document: document.modified),
    Column("site_name", STRING, lambda document: document.site_name),
    Column("description", STRING, lambda document: document.description),
    Column("keywords", STRINGS, lambda document: document.keywords or []),
    Column("categories", STRINGS, lambda document: document.categories or []),
    Column("license", STRING, lambda document: document.license),
    Column("sources", STRING, lambda document: _json(document.sources)),
    Column("fields", STRING, lambda document: _json(document.fields)),
)


class Link:
    """Wraps the file for the writer, which cannot pass errors on: keeps the first and ends the stream."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.problem: BaseException | None = None

    def batches(self, documents: Iterable[Document], columns: Sequence[Column]) -> Iterator[RecordBatch]:
        """Yield the rows of documents in batches."""
        schema = _schema(columns)
        try:
            for rows in _batches(documents):
                arrays = [_array(column.kind, list(map(column.value, rows))) for column in columns]
                yield RecordBatch.from_arrays(arrays, schema=schema)
                if self.problem is not None:
                    return
        except GeneratorExit:
            raise
        except BaseException as problem:
            self.problem = problem

    def write(self, data: bytes) -> int:
        """Write, unless an earlier call has failed."""
        if self.problem is None:
            try:
                self._file.write(data)
            except BaseException as problem:
                self.problem = problem
        return len(data)

    def flush(self) -> None:
        """Do nothing: flushing is up to the owner of the file."""

    def seek(self, offset: int, whence: int = 0) -> int:
        """Refuse: the writer requires this method, but writes from beginning to end."""
        raise OSError("only forward")


def write_parquet(documents: Iterable[Document], output: Output, sentences: bool) -> None:
    """Write documents as rows, in order."""
    columns = (*COLUMNS, _sentences_column()) if sentences else COLUMNS
    link = Link(output.file)
    write_stream(
        RecordBatchReader.from_batches(_schema(columns), link.batches(documents, columns)),
        cast(BinaryIO, link),
        compression=COMPRESSION,
        max_row_group_size=GROUP_ROWS,
        dictionary_enabled=False,
        column_dictionary_enabled=dict.fromkeys(REPETITIVE, True),
    )
    if link.problem is not None:
        raise link.problem


def _schema(columns: Sequence[Column]) -> Schema:
    return Schema([Field(column.name, column.kind) for column in columns])


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Yield documents in lists limited by number and by amount of text."""
    batch: list[Document] = []
    chars = 0
    for document in documents:
        batch.append(document)
        chars += sum(map(len, document.paragraphs))
        if len(batch) >= BATCH_ROWS or chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _array(kind: DataType, values: Sequence[Any]) -> Array:
    """Return a column of one batch."""
    if kind == MOMENT:
        return Array(values, type=DataType.int64()).cast(MOMENT)
    inner = kind.value_type
    if inner is None:
        return Array(values, type=kind)
    ends = Array([0, *accumulate(map(len, values))], type=DataType.int32())
    return list_array(ends, _array(inner, list(chain.from_iterable(values))), type=kind)


def _number(value: object) -> float | None:
    return value if isinstance(value, float) else None


def _json(value: object) -> str | None:
    """Return an object as JSON, since its fields depend on the operator's rules."""
    return msgspec.json.encode(value).decode() if value is not None else None


def _sentences_column() -> Column:
    splitter = Splitter()

    def split(document: Document) -> list[list[str]]:
        language = language_of(document)
        return [splitter.sentence_texts(paragraph, language) for paragraph in document.paragraphs]

    return Column("sentences", PARAGRAPHS_OF_SENTENCES, split)
